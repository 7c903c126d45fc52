"""Replacements for modules of the course framework, so that students' files can import them. The names are theirs."""

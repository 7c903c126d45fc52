"""The web app: the server half in Python, the page in `static/`. docs/internals/web_protocol.md is the contract between the two."""

"""The web app: the server in Python, the page in `static/` (docs/internals/web_protocol.md)."""

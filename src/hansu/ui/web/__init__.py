"""The web app: the server half in Python, the page in `static/`. docs/web.md is the contract between the two."""

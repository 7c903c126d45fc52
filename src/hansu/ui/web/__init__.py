"""The web app: the server half in Python, the page in `static/`. docs/guide/web.md is the contract between the two."""

"""The web app's style sheet for pages that are a single file: colours, fonts, buttons and links, light and dark."""

PAPER = """
  :root { color-scheme: light dark; --ground: #f7f3ea; --card: #fffdf8; --ink: #2a2620; --quiet: #6f675a;
          --line: #cfc5b0; --accent: #2c6a55; --accent-soft: #dfeae2 }
  @media (prefers-color-scheme: dark) {
    :root { --ground: #17181a; --card: #1f2123; --ink: #e9e5dc; --quiet: #a09a8e;
            --line: #45484c; --accent: #85c7ac; --accent-soft: #21352d }
  }
  body { background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, -apple-system, "Segoe UI",
         "Apple SD Gothic Neo", "Malgun Gothic", "Noto Sans KR", "Noto Sans CJK KR", sans-serif }
  h1 { font-family: ui-serif, "Iowan Old Style", Palatino, "Noto Serif KR", "Noto Serif CJK KR", Georgia, serif;
       font-weight: 500 }
  a { color: var(--accent); text-underline-offset: .2em }
  a.home { display: inline-block; line-height: 2.5rem; text-decoration: none }
  button { min-height: 2.5rem; padding: .3rem .95rem; font: inherit; color: inherit; background: var(--card);
           border: 1px solid var(--line); border-radius: .6rem; cursor: pointer }
  button:hover { border-color: var(--accent); color: var(--accent) } button:active { background: var(--accent-soft) }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px }
  input[type=range] { accent-color: var(--accent) }
"""

# The site of docs/: Sphinx with MyST reads the same Markdown that GitHub shows. Everything it needs is in its own folder: no page asks another host.
import pathlib
import re

top = pathlib.Path(__file__).resolve().parents[2]
project = "xprofd"
version = release = re.search(r"^project\(xprofd VERSION ([0-9.]+)", (top / "CMakeLists.txt").read_text(), re.M)[1]
copyright = "the xprofd developers, Apache License 2.0"

extensions = ["myst_parser"]
myst_enable_extensions = ["tasklist"]
myst_heading_anchors = 4
exclude_patterns = ["*.html"]
html_theme = "furo"
html_title = f"xprofd {version}"
html_copy_source = False
html_show_sphinx = False
highlight_language = "none"
# `sh example` marks what the tests run.
suppress_warnings = ["misc.highlighting_failure"]
nitpicky = True


def setup(app):
    from pygments.lexers.shell import BashLexer

    app.add_lexer("sh", BashLexer)

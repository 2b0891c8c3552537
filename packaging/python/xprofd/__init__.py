"""xprofd, the program: `xprofd` on PATH, or `python -m xprofd`. This package only finds it."""
import os
from importlib import metadata

__version__ = metadata.version(__name__)


def find_program() -> str:
    """The path of the program that was installed with this package; never another one of PATH."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    # The record of the installation names it; `pip install --target` moves it afterwards, to bin/ beside the package.
    recorded = [file.locate() for file in metadata.files(__name__) or [] if file.name == "xprofd" and file.parent.name == "bin"]
    places = [str(path) for path in recorded] + [os.path.join(package, "bin", "xprofd")]
    for place in places:
        if os.path.isfile(place) and os.access(place, os.X_OK):
            return os.path.realpath(place)
    raise FileNotFoundError("xprofd: the program of this package is not at " + " or ".join(places) + "; install the package again")

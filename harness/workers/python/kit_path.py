"""Import this first: it lets a worker of this tree find the package that any
worker in Python may use, kit/python/assay_worker."""

import pathlib
import sys

KIT = pathlib.Path(__file__).resolve().parents[3] / "kit" / "python"

if str(KIT) not in sys.path:
    sys.path.insert(0, str(KIT))

"""`python -m footnote_ingest.sandbox MODULE FD ORDERS`: the template process of the sandbox (`child.py`)."""

import gc
import sys
from importlib import import_module

if __name__ == "__main__":
    # Nothing of an import is garbage. To look for it again and again takes a third of the time.
    gc.disable()
    import_module(sys.argv.pop(1)).main()

"""``python -m nightshift``."""

import sys

from nightshift.cli import main

if __name__ == "__main__":
    sys.exit(main())

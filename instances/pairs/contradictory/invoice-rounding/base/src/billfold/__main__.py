import sys

from billfold.cli import main

sys.exit(main())

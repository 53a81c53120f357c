"""``python -m hierpair`` is the command line."""

import sys

from hierpair.cli import main

sys.exit(main())

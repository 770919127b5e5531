"""`python -m retrograd`."""

import sys

from retrograd.cli import main

sys.exit(main())

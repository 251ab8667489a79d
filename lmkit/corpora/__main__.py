"""`python -m lmkit.corpora list` and `python -m lmkit.corpora fetch NAME [--from FILE ...]`."""

import sys

from lmkit.real import main

sys.exit(main())

"""What all tests share."""

from __future__ import annotations

import sys
from pathlib import Path

# The helpers of the tests (strategies, oracles, malformed inputs) are plain modules beside them.
sys.path.insert(0, str(Path(__file__).parent))

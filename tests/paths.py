"""Where tests find their files."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[1]
"""The project."""

BUNDLED = ROOT / "tests" / "data"
"""Published numbers and vectors that come with the tests."""

SHARED = Path(os.environ.get("HIERPAIR_DATA", ROOT.parent / "shared" / "data"))
"""Real data, where they are; tests that need them are skipped elsewhere."""

"""Where the contract lies."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCHEMAS = ROOT / "schemas"
GOLDEN = SCHEMAS / "golden"
PROSE = SCHEMAS / "README.md"

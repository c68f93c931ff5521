"""post-merge, post-checkout, post-rewrite: catalogs follow the days that came or went (design §3.3)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from nutsync.operations.catalogs import make_good
from nutsync.operations.cell import open_cell


def make_catalogs_good(environ: Mapping[str, str]) -> int:
    """Make the catalogs of the years that changed fit their days."""
    cell = open_cell(Path.cwd(), environ=environ, whole=False)
    make_good(cell.root, cell.git.private_dir, cell.clock.now().local_date())
    return 0

"""Tables like those of the FashionAM paper, over several systems and seeds, with the published rows beside them.

Table 3 (systems, by task), Table 5 (ablations), Table 9 (what stage 2 trains) and Figure 4 (by number of earlier
turns), for each protocol and history that was measured. `tables.md` and `tables.html` are to be read; `tables.json`
holds every value, unrounded.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from eval.report import as_markdown, as_page
from eval.runs import write_whole
from eval.tables_parts import Part, Result, parts_of
from eval.tables_runs import measured
from eval.tables_scores import as_plain
from eval.tables_spec import Spec
from eval.tables_text import sections_of

FORMAT, VERSION = "dimity-tables", 1


def write_tables(spec: Spec, out: Path, n_workers: int = 1) -> tuple[Path, ...]:
    """Make the runs that are missing below `out`/runs, then tables.md, tables.html and tables.json in `out`.

    Raises RunError for runs over different queries, and what a run raises.
    """
    parts = parts_of(measured(spec, out / "runs", n_workers))
    sections = sections_of(parts)
    out.mkdir(parents=True, exist_ok=True)
    texts = {
        "tables.md": as_markdown(spec.title, sections),
        "tables.html": as_page(spec.title, sections),
        "tables.json": json.dumps(plain(spec, parts), indent=1, ensure_ascii=False, allow_nan=False),
    }
    for name, text in texts.items():
        write_whole(out / name, [text])
    return tuple(out / name for name in texts)


def plain(spec: Spec, parts: Sequence[Part]) -> dict[str, Any]:
    """For JSON; values lie in 0 to 1."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "title": spec.title,
        "parts": [
            {
                "protocol": part.protocol,
                "history": part.history,
                "rows": [_plain_result(result) for result in part.results],
                "differences": [asdict(difference) for difference in part.differences],
            }
            for part in parts
        ],
    }


def _plain_result(result: Result) -> dict[str, Any]:
    return {
        "name": result.row.name,
        "tables": list(result.row.tables),
        "ours": result.row.ours,
        "seeds": [
            {name: run.settings.get(name) for name in ("system", "encoder", "agent", "references")}
            for run in result.runs
        ],
        "n_failed": result.n_failed,
        "overall": as_plain(result.overall),
        "by_task": {task: as_plain(values) for task, values in result.by_task.items()},
        "by_earlier": {str(number): as_plain(values) for number, values in result.by_earlier.items()},
    }

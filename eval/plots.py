"""Pictures of scores as SVG text: the same scores give the same bytes. The only place that draws with matplotlib."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eval.scores import Row

COLOURS = ("#1f5fa8", "#c8502b", "#3b8a57", "#8a5aa8")
SIZE = (6.4, 3.4)
"""Inches."""
SETTINGS: Any = {"svg.hashsalt": "dimity", "svg.fonttype": "none", "font.size": 9, "axes.spines.top": False,
            "axes.spines.right": False}  # fmt: skip


def lines_by_turn(series: Mapping[str, Sequence[Row]], measures: Mapping[str, Sequence[str]]) -> str:
    """Measures over the number of earlier turns with their intervals, as in DIM-Fashion's Figure 4.

    `series` and `measures` have the same keys; a row's name is its number of turns.
    """

    def draw(axes: Any) -> None:
        shown = [(rows, measure) for name, rows in series.items() for measure in measures[name]]
        for (rows, measure), colour in zip(shown, COLOURS, strict=False):
            cells = [row.cells[measure] for row in rows]
            turns = [int(row.name) for row in rows]
            axes.plot(turns, [cell.value for cell in cells], "o-", color=colour, label=measure, markersize=4)
            axes.fill_between(
                turns, [cell.low for cell in cells], [cell.high for cell in cells], color=colour, alpha=0.15, lw=0
            )
        axes.set_xlabel("earlier turns")
        axes.set_xticks(sorted({int(row.name) for rows in series.values() for row in rows}))
        axes.set_ylim(0, 1)
        axes.legend(frameon=False, ncols=3, loc="upper center", bbox_to_anchor=(0.5, 1.15))

    return _svg(draw)


def bars(rows: Sequence[Row], measures: Sequence[str]) -> str:
    """One group of bars a row, with intervals; a short line marks what chance gives."""

    def draw(axes: Any) -> None:
        width = 0.8 / len(measures)
        for number, (measure, colour) in enumerate(zip(measures, COLOURS, strict=False)):
            cells = [row.cells[measure] for row in rows]
            at = [place + (number - (len(measures) - 1) / 2) * width for place in range(len(rows))]
            values = [cell.value for cell in cells]
            below = [max(0.0, cell.value - cell.low) for cell in cells]
            above = [max(0.0, cell.high - cell.value) for cell in cells]
            axes.bar(at, values, width * 0.92, yerr=[below, above], color=colour, label=measure,
                     error_kw={"elinewidth": 0.8, "ecolor": "#444444"})  # fmt: skip
            axes.hlines([cell.random for cell in cells], [x - width / 2 for x in at], [x + width / 2 for x in at],
                        colors="#111111", lw=1)  # fmt: skip
        axes.set_xticks(range(len(rows)), [f"{row.name}\n{row.n_queries:,}" for row in rows])
        axes.set_ylim(0, 1)
        axes.legend(frameon=False, ncols=3, loc="upper center", bbox_to_anchor=(0.5, 1.15))

    return _svg(draw)


def _svg(draw: Any) -> str:
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=SIZE, layout="constrained")
        FigureCanvasSVG(figure)
        draw(figure.add_subplot())
        written = io.StringIO()
        figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
    text = written.getvalue()
    return text[text.index("<svg") :]

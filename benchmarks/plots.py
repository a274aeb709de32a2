"""A picture for every growth curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib as mpl  # type: ignore[import-not-found,unused-ignore]
from matplotlib.figure import Figure  # type: ignore[import-not-found,unused-ignore]

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from benchmarks.results import Curve

_STYLE = {"svg.hashsalt": "benchmarks", "svg.fonttype": "none", "axes.spines.top": False, "axes.spines.right": False}


SOAK = "soak-"
"""How the names of the soak's pictures begin."""


def draw(curves: Iterable[Curve], folder: Path) -> None:
    """Write each curve into an SVG file of its name; a file that no curve has any more is removed, but for those of the soak."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.svg"):
        if not old.name.startswith(SOAK):
            old.unlink()
    for curve in curves:
        draw_one(curve, folder)


def draw_one(curve: Curve, folder: Path) -> None:
    """Write one curve into an SVG file of its name."""
    folder.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(6.4, 3.6), layout="constrained")
        axes = figure.subplots()
        for name, points in curve.lines.items():
            marker = "" if len(points) > 20 else "o"
            axes.plot([x for x, _ in points], [y for _, y in points], marker=marker, label=name)
        if curve.logarithmic:
            axes.set_yscale("log")
        else:
            axes.set_ylim(bottom=0)
        axes.set(title=curve.title, xlabel=curve.x, ylabel=curve.y)
        axes.grid(alpha=0.3)
        axes.legend()
        # Without a date, so that the same figures give the same file.
        figure.savefig(folder / f"{curve.name}.svg", metadata={"Date": None})

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


def draw(curves: Iterable[Curve], folder: Path) -> None:
    """Write each curve into an SVG file of its name. A file of no curve is removed."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.svg"):
        old.unlink()
    for curve in curves:
        with mpl.rc_context(_STYLE):
            figure = Figure(figsize=(6.4, 3.6), layout="constrained")
            axes = figure.subplots()
            for name, points in curve.lines.items():
                axes.plot(
                    [x for x, _ in points], [y for _, y in points], marker="o" if len(points) <= 20 else "", label=name
                )
            axes.set_ylim(bottom=0)
            axes.set(title=curve.title, xlabel=curve.x, ylabel=curve.y)
            axes.grid(alpha=0.3)
            axes.legend()
            # Without a date, so that the same figures give the same file.
            figure.savefig(folder / f"{curve.name}.svg", metadata={"Date": None})

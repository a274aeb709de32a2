"""The grid of eras on a terminal: a letter for each era, in the colour of its state."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from typing import Any

from rich.live import Live
from rich.text import Text

from staking_gateway.errors import InvalidInput, StakingGatewayError
from staking_gateway.health.eras import State
from staking_gateway.ledger import Ledger
from staking_gateway_provider.commands.output import new_console
from staking_gateway_provider.commands.views import advice, advice_lines, look
from staking_gateway_provider.explanations import explain
from staking_gateway_provider.networks import open_ledger

_STYLES = {"P": "green", "W": "cyan", "H": "yellow", "O": "yellow", "U": "red", "R": "red", "X": "bold red"}
"""Colour of a state's letter; the other states are dim."""
_GROUP = 10
SECONDS = 3.0
"""Between two drawings."""


def grid_lines(grid: Mapping[str, Any], *, width: int = 80) -> list[Text]:
    """The letters of the eras, oldest first, and what the letters mean.

    :param grid: as in an overview: `first` and `cells`.
    :param width: columns of the terminal.
    """
    letters = [cell["state"] for cell in grid["cells"]]
    groups = max((width - 10) // (_GROUP + 1), 1)
    lines = []
    for start in range(0, len(letters), groups * _GROUP):
        line = Text(f"{grid['first'] + start:>8}")
        for offset, letter in enumerate(letters[start : start + groups * _GROUP]):
            line.append("  " if offset == 0 else " " if offset % _GROUP == 0 else "")
            line.append(letter, style=_STYLES.get(letter, "dim"))
        lines.append(line)
    counts, meanings = Counter(letters), Text(" " * 10)
    for state in State:
        if counts[state.value]:
            meanings.append(state.value, style=_STYLES.get(state.value, "dim"))
            meanings.append(f" {state.word} {counts[state.value]}   ")
    return [*lines, meanings] if letters else []


def pause() -> None:
    """Wait between two drawings."""
    time.sleep(SECONDS)


def watch(name: str, ledger_conn_id: str | None) -> None:
    """Draw the grid of a network every few seconds, until Ctrl-C.

    :raises InvalidInput: standard output is not a terminal.
    """
    console = new_console()
    if not console.is_terminal:
        raise InvalidInput("watch", "standard output is not a terminal", "Leave --watch out, or use a terminal")
    with closing(open_ledger(ledger_conn_id)) as ledger:
        drawn = _screen(name, ledger, console.width)
        live = Live(drawn, console=console, auto_refresh=False, redirect_stdout=False, redirect_stderr=False)
        try:
            with live:
                while True:
                    pause()
                    live.update(_screen(name, ledger, console.width), refresh=True)
        except KeyboardInterrupt:
            return


def _screen(name: str, ledger: Ledger, width: int) -> Text:
    """The grid with headline and first cause. A failure becomes text, because the next drawing may succeed."""
    try:
        view = look(name, ledger)
    except StakingGatewayError as problem:
        return Text(f"{name}: {explain(problem).text}")
    first = view.causes[0] if view.causes else None
    told = advice(name, first)
    lines = [
        Text(f"{name}: {view.data['headline']}", style="bold"),
        Text(""),
        *grid_lines(view.data["grid"], width=width),
        Text(""),
        *(Text(line) for line in (advice_lines(told) if first else ["No cause needs attention."])),
        Text(f"{view.data['now'][:19].replace('T', ' ')} UTC; Ctrl-C ends", style="dim"),
    ]
    return Text("\n").join(lines)

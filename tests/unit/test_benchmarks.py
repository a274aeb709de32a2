"""The benchmarks measure what they promise: every row, judged by its bound, and a reason for what is not reached."""

from __future__ import annotations

from importlib import import_module

import pytest

from benchmarks import __main__ as command
from benchmarks import report
from benchmarks.results import Findings, Line, Scale, at_least, at_most
from benchmarks.rounds import interleaved, where_time_goes
from benchmarks.rows import ROWS, Row

PROMISED = {
    "status, latency-bound",
    "status, CPU-bound",
    "status end to end",
    "one call",
    "signing",
    "waiting",
    "noticing",
    "loading",
    "node read",
    "catch-up",
    "ledger",
}


def line(value, bound, reason=""):
    return Line("a row", "a peer", "1 s", "2 s", value, bound, reason=reason)


def test_every_promised_row_is_there_and_has_a_measurement():
    assert {row.title for row in ROWS.values()} == PROMISED
    for row in ROWS.values():
        module, function = row.home.split(":")
        assert callable(getattr(import_module(f"benchmarks.{module}"), function)), row


@pytest.mark.parametrize(
    ("value", "bound", "verdict"),
    [
        (0.85, at_least(0.85), "reached"),
        (0.8499, at_least(0.85), "not reached"),
        (1.15, at_most(1.15), "reached"),
        (1.1501, at_most(1.15), "not reached"),
        (None, at_least(0.7), "not measured"),
        (3.0, None, "shown"),
    ],
)
def test_a_line_is_judged_by_its_bound(value, bound, verdict):
    assert line(value, bound).verdict == verdict
    assert line(value, bound).reached == (verdict in ("reached", "shown"))


def test_the_results_name_every_line_and_the_reason_of_each_that_is_not_reached():
    lines = [
        line(2.0, at_least(1)),
        line(0.5, at_least(1), "it was slow"),
        line(None, at_least(1), "nothing to run it"),
    ]
    text = report.markdown(lines, [], {"Date": "today"})
    assert text.count("| a row |") == 3
    assert "a row, a peer: 0.50x, must be >= 1.00x. it was slow" in text
    assert "a row, a peer: not measured. nothing to run it" in text
    assert "- Date: today" in text


def test_contenders_take_turns_and_are_compared_round_by_round():
    order = []

    def contender(name, seconds):
        coming = iter(seconds)

        def run():
            order.append(name)
            return next(coming)

        return run

    # The second round met a machine ten times as busy.
    figures = interleaved({"ours": contender("ours", [1, 10, 1]), "peer": contender("peer", [2, 20, 3])}, 3)
    assert order == ["ours", "peer", "peer", "ours", "ours", "peer"]
    assert (figures["ours"], figures["peer"], figures.ratio("peer", "ours")) == (1, 3, 2)


def test_a_profile_tells_shares_of_the_time():
    assert "%" in where_time_goes(lambda: sorted(range(100_000)))


class TestCommand:
    @pytest.fixture
    def rows(self, monkeypatch):
        """Rows that find what a test says, in place of the real ones."""

        def put(**found):
            made = {name: Row(name, f"work of {name}", "none:none") for name in found}
            monkeypatch.setattr(command, "ROWS", made)
            monkeypatch.setattr(Row, "measure", lambda row, scale: found[row.title](scale))

        return put

    def test_measures_only_the_rows_it_is_asked_for(self, rows, capsys):
        asked = []
        rows(first=lambda scale: asked.append("first") or Findings(), second=lambda scale: asked.append("second"))
        assert command.main(["--rows", "first"]) == 0
        assert asked == ["first"]

    def test_goes_on_when_a_row_breaks_and_fails_in_the_end(self, rows, capsys):
        def broken(scale):
            raise OSError("no program")

        rows(first=broken, second=lambda scale: Findings([line(2.0, at_least(1))]))
        assert command.main(["--quick"]) == 1
        assert "no program" in (told := capsys.readouterr().out)
        assert "reached" in told

    def test_fails_when_what_is_not_reached_has_no_reason(self, rows, capsys):
        rows(first=lambda scale: Findings([line(0.5, at_least(1))]))
        assert command.main(["--quick"]) == 1
        rows(first=lambda scale: Findings([line(0.5, at_least(1), "measured")]))
        assert command.main(["--quick"]) == 0

    def test_hands_on_how_much_to_do(self, rows, capsys):
        given = []
        rows(first=lambda scale: given.append(scale) or Findings())
        command.main(["--quick"])
        assert given == [Scale(quick=True)]

    def test_refuses_a_row_it_does_not_know(self, capsys):
        with pytest.raises(SystemExit):
            command.main(["--rows", "nonsense"])
        assert "known are status-latency" in capsys.readouterr().err

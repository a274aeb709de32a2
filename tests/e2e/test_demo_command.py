"""`python -m demo.run` as a program: what it refuses, and that it never leaves a process behind.

Each demo is stopped at its first program: the live one of `test_live_eras.py` tells the rest.
"""

from __future__ import annotations

import signal

from demos import PATIENCE


def test_a_wrong_variable_is_refused_before_anything_starts(start, checkout):
    demo = start(ERAS="abc")

    assert demo.process.wait(PATIENCE) == 2
    assert "ERAS=abc is not a number of eras" in demo.text()
    assert not (checkout / ".airflow").exists()


def test_a_signal_at_the_very_first_program_leaves_nothing(start):
    demo = start()
    demo.wait_for("Metadata database ...")

    assert demo.signal(signal.SIGHUP) == 128 + signal.SIGHUP
    assert demo.left_behind() == []


def test_nothing_outlives_a_killed_demo_or_one_whose_program_died(start, checkout):
    killed = start()
    killed.program_of("migrate")
    assert killed.signal(signal.SIGKILL) == -signal.SIGKILL

    successor = start()
    successor.program_of("migrate").kill()
    assert killed.left_behind() == []
    assert successor.process.wait(PATIENCE) == 1
    assert "The database could not be made" in successor.text()
    assert str(checkout / ".airflow" / "components" / "db-migrate.log") in successor.text()
    assert successor.left_behind() == []

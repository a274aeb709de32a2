"""What the simulated gateway has seen, and a simulator whose clock runs."""

RUNNING_CLOCK = {"manual_clock": False, "era_length": 3600.0, "window": 0.0, "confirm_seconds": 0.05}
"""Settings of a simulator that confirms payouts by itself."""


def calls(simulator):
    """Calls by path; reads of one method are under its name."""
    counted = simulator.control.truth()["calls"]
    return {**counted["by_path"], **counted["by_method"]}


def sends(simulator):
    return calls(simulator).get("/send", 0)


def executed(simulator):
    """The eras of the executed payouts, in order."""
    return [payout["era"] for payout in simulator.control.truth()["payouts"]]


def a_second_passes(simulator):
    """For `on_wait` of a task: the chain executes what was sent."""
    return lambda _: simulator.control.advance(seconds=1)

"""A soak's parts that need no Airflow: what is done when, what counts as growth, and what is written down where."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from itertools import pairwise

import psutil
import pytest
import requests

from benchmarks import results_file
from benchmarks.soak import __main__ as command
from benchmarks.soak import report
from benchmarks.soak.course import PROGRAMS, Act, Course
from benchmarks.soak.evidence import AirflowEvidence
from benchmarks.soak.memory import DATABASE, MOST_GROWTH, WARM_UP_SECONDS, Sample, slope, trends, weigh
from benchmarks.soak.network import FIRST, Network, account_keys, fault_rules
from benchmarks.soak.pace import MOST_READY, MOST_RUNS, ChainClock, Work, step
from benchmarks.soak.run import Outcome
from demo.receiver import Receiver
from staking_gateway.config.loader import Config
from staking_gateway_simulator.__main__ import build_parser, read_settings
from staking_gateway_simulator.accounts import stakes_by_default
from staking_gateway_simulator.faults import FAULTS
from staking_gateway_simulator.running import RunningSimulator

NOW = datetime(2026, 6, 1, tzinfo=timezone.utc)
FULL, SHORT = Course(), Course(eras=40)


# --- the course ----------------------------------------------------------------------------------------------------------


def test_a_full_soak_has_enough_eras_and_ends_within_the_hour():
    assert FULL.total >= 500
    assert FULL.total * FULL.pace < 50 * 60


def test_every_program_is_killed_in_its_turn():
    killed = [step.target for step in FULL.steps() if step.act is Act.KILL]
    assert killed[:5] == [*PROGRAMS, "simulator alpha"]
    assert {*PROGRAMS} <= {*killed[5:]}
    after = [step.after for step in FULL.steps() if step.act is Act.KILL]
    assert {later - earlier for earlier, later in pairwise(after)} == {51}


@pytest.mark.parametrize("course", [FULL, SHORT, Course(eras=501, count=1), Course(eras=20, count=4)])
def test_what_is_begun_is_ended_in_time(course):
    steps = course.steps()
    assert [step.after for step in steps] == sorted(step.after for step in steps)
    assert all(0 < step.after < course.total for step in steps)
    for begin, end in ((Act.PAUSE, Act.RESUME), (Act.IDLE, Act.STAKE)):
        acts = [(step.act, step.target) for step in steps if step.act in (begin, end)]
        assert acts
        assert acts[::2] == [(begin, target) for _, target in acts[::2]]
        assert acts[1::2] == [(end, target) for _, target in acts[::2]]


def test_a_tenth_of_each_hundred_eras_is_left_to_the_catch_up():
    steps = [step for step in FULL.steps() if step.act in (Act.PAUSE, Act.RESUME)]
    rests = [(resume.after - pause.after) / FULL.count for pause, resume in zip(steps[::2], steps[1::2], strict=True)]
    assert len(rests) == 5
    assert {round(rest) for rest in rests} == {10}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"count": 7}, "networks"),
        ({"count": 0}, "networks"),
        ({"eras": 2}, "eras"),
        ({"pace": 0}, "seconds"),
        ({"accounts": 0}, "accounts"),
        ({"chance": 1.5}, "chance"),
    ],
)
def test_a_course_that_cannot_be_run_is_refused_by_name(changes, told):
    with pytest.raises(ValueError, match=f"^{told}: .*; write "):
        Course(**changes)


# --- networks ------------------------------------------------------------------------------------------------------------


def test_every_fault_has_the_same_chance():
    assert sorted(rule.partition(":")[0] for rule in fault_rules(0.01)) == sorted(FAULTS)
    assert {rule.partition(":")[2] for rule in fault_rules(0.01)} == {"probability=0.01"}


def test_the_product_and_the_simulator_take_a_networks_settings_and_mean_the_same_eras(tmp_path):
    networks = [Network.make(name, FULL, NOW) for name in FULL.networks]
    config = Config.model_validate({"networks": {network.name: network.settings() for network in networks}})
    for network in networks:
        options = build_parser().parse_args(network.simulator(tmp_path, 2)[3:])
        settings = read_settings(options)
        calendar = config.network(network.name).calendar
        assert calendar.start(network.eras[0]) == network.start
        assert calendar.start(settings.anchor_era) == settings.anchor_time
        assert calendar.anchors[0].length.total_seconds() == settings.era_length
        assert settings.stakers == 4 * settings.batch
        assert len(settings.faults) == len(FAULTS)
    assert len({account for network in networks for account in network.accounts}) == FULL.count * FULL.accounts


def test_chance_does_not_repeat_itself_after_a_restart(tmp_path):
    network = Network.make("alpha", FULL, NOW)
    first, second = (network.simulator(tmp_path, birth) for birth in (0, 1))
    seed = first.index("--fault-seed") + 1
    assert first[seed] != second[seed]


# --- the pace ------------------------------------------------------------------------------------------------------------


def test_a_chain_waits_while_airflow_has_too_much_to_do():
    busy, behind = Work(MOST_READY + 1, Counter()), Work(MOST_READY, Counter(alpha=MOST_RUNS + 1, beta=MOST_RUNS))
    assert busy.is_too_much("beta")
    assert behind.is_too_much("alpha")
    assert not behind.is_too_much("beta")


@pytest.mark.parametrize(("behind", "passed", "forward"), [(0.5, 0.5, 0.5), (60, 0.5, 1.0), (0, 0.5, 0), (-3, 0.5, 0)])
def test_a_chain_that_has_waited_follows_at_twice_the_pace_and_is_never_ahead(behind, passed, forward):
    assert step(behind, passed, wait=False) == forward


@pytest.mark.parametrize(("behind", "forward"), [(60, 0.5), (0.1, 0.1), (0, 0), (-3, 0)])
def test_a_chain_that_waits_creeps_for_payouts_are_confirmed_in_its_time(behind, forward):
    assert step(behind, 2.0, wait=True) == forward


def test_a_chains_clock_follows_the_machines_and_tells_when_each_era_ended(tmp_path):
    start = datetime.now(timezone.utc) - timedelta(seconds=30)
    network = Network.make("alpha", Course(eras=1, pace=20, count=1), start)
    settings = read_settings(build_parser().parse_args(network.simulator(tmp_path, 0)[3:]))
    clock = ChainClock(network)
    with RunningSimulator(replace(settings, faults=()), port=network.port) as simulator:
        assert simulator.control.state()["active_era"] == FIRST - 1
        clock.go_on(wait=False)
        assert (clock.active, clock.ended, clock.ends) == (FIRST - 1, 0, {})
        clock.note(simulator.control.advance(eras=2), NOW)
        assert (clock.active, clock.ended) == (FIRST + 1, 1)
        assert clock.ends == {FIRST - 1: NOW, FIRST: NOW}
        before = simulator.control.state()["chain_time"]
        clock.go_on(wait=True)
        crept = simulator.control.state()["chain_time"]
        assert before < crept
        clock.go_on(wait=False)
        assert crept < simulator.control.state()["chain_time"] <= datetime.now(timezone.utc).isoformat()


def test_the_first_account_stakes_and_some_do_not():
    stakes = [stakes_by_default(bytes.fromhex(key[2:])) for key in account_keys("alpha", 10)]
    assert stakes[0]
    assert False in stakes


# --- memory --------------------------------------------------------------------------------------------------------------


def life(program, weights, *, birth=1, first=0, age=WARM_UP_SECONDS):
    """A sample every two eras; weights in MB."""
    return [
        Sample(
            program,
            birth,
            first + 2 * index,
            age + index,
            round(weight * 1e6),
            round(weight * 5e5),
            {birth: round(weight * 1e6)},
        )
        for index, weight in enumerate(weights)
    ]


def test_a_program_that_grows_by_more_than_is_allowed_is_told_of():
    steady = life("triggerer", [100 + index % 3 for index in range(60)])
    leaking = life("scheduler", [100 + 2 * (MOST_GROWTH + 1) / 100 * index for index in range(60)])
    found = {trend.program: trend for trend in trends([*steady, *leaking])}
    assert not found["triggerer"].grows
    assert found["scheduler"].slope == pytest.approx(MOST_GROWTH + 1)
    assert [line.partition(" ")[0] for line in report.growing(found.values())] == ["scheduler"]


def test_growth_is_that_of_one_life_and_not_of_its_beginning():
    warming = life("scheduler", [10 * index for index in range(30)], age=0)
    first = life("scheduler", [300] * 30, first=60)
    second = life("scheduler", [50] * 20, birth=2, first=120)
    (trend,) = trends([*warming, *first, *second])
    assert (trend.slope, trend.eras, trend.lives) == (0, 58, 2)
    assert (trend.start, trend.end) == (150, 25)


def test_each_process_is_judged_by_itself():
    def family(slopes):
        return [
            replace(sample, each={pid: round((50 + 2 * grown / 100 * index) * 1e6) for pid, grown in enumerate(slopes)})
            for index, sample in enumerate(life("scheduler", [800] * 60))
        ]

    (steady,) = trends(family([1.0] * 16))
    assert (steady.slope, steady.grows) == (pytest.approx(1.0, abs=0.01), False)
    (leaking,) = trends(family([*[0.0] * 15, MOST_GROWTH + 1]))
    assert leaking.grows


def test_a_database_server_may_fill_its_buffers():
    (trend,) = trends(life(DATABASE, range(100, 160)))
    assert trend.slope > MOST_GROWTH
    assert (trend.grows, trend.verdict) == (False, "shown")


def test_a_short_life_is_not_judged():
    (trend,) = trends(life("scheduler", [1, 100, 1000]))
    assert (trend.slope, trend.verdict, trend.grows) == (None, "too short to tell", False)
    assert slope([(1.0, float(index)) for index in range(20)]) is None


def test_one_outlier_is_no_growth():
    assert slope([(float(index), 1000.0 if index == 28 else 5.0) for index in range(30)]) == 0


def test_a_process_is_weighed_and_one_that_is_gone_is_not():
    age, rss, pss, each = weigh(psutil.Process())
    assert age > 0
    assert 0 < pss <= rss == sum(each.values())
    assert os.getpid() in each
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as ending:
        process = psutil.Process(ending.pid)
    assert weigh(process) is None


# --- messages ------------------------------------------------------------------------------------------------------------


def test_the_receiver_keeps_messages_with_their_keys():
    with Receiver() as receiver:
        body = {"text": "told", "staking_alert": {"id": "a1"}}
        answer = requests.post(receiver.url, json=body, headers={"Idempotency-Key": "a1"}, timeout=10)
    assert answer.status_code == 200
    assert receiver.messages == [{"id": "a1", "key": "a1"}]


# --- what is written -----------------------------------------------------------------------------------------------------


def outcome(**changes):
    samples = life("scheduler", [100.0] * 30) + life("triggerer", [50.0] * 30)
    rows = AirflowEvidence()
    rows.rows.update({"log": 1000, "dag_run": 50})
    used = {("scheduler", 1): 1000.0, ("scheduler", 2): 500.0, ("simulator alpha", 1): 30.0}
    return Outcome(airflow=rows, samples=samples, processor=used, seconds=2400.0, ledger_bytes=510_000, **changes)


def test_the_section_tells_figures_memory_and_every_violation():
    text = report.markdown(FULL, outcome(), ["alpha: era 7 was paid 2 times"], {"Date": "today"})
    assert text.startswith("## Soak\n")
    assert "- Date: today" in text
    assert "- Eras: 510: 102 of each of 5 networks" in text
    assert "40.0 minutes" in text
    assert "1,530 s, 3.0 s an era: 1,500 scheduler, 30 simulator" in text
    assert "1.00 kB an era" in text
    assert "1,050 rows, 2 an era" in text
    assert "**Violations: 1**\n  - alpha: era 7 was paid 2 times" in text
    assert "| scheduler | 50.0 MB |" in text
    assert "plots/soak-memory.svg" in text
    assert "**Violations: none**" in report.markdown(FULL, outcome(), [], {})


def test_the_plot_has_a_line_for_each_program():
    curve = report.memory_curve(outcome())
    assert curve.name == "soak-memory"
    assert {name: len(points) for name, points in curve.lines.items()} == {"scheduler": 30, "triggerer": 30}


def test_each_writer_of_the_results_leaves_the_others_section_alone():
    costs = results_file.merged("", results_file.COSTS, "# What it costs\n\nmuch\n")
    both = results_file.merged(costs, results_file.SOAK, "## Soak\n\nlong\n")
    assert both.startswith(costs)
    assert "## Soak\n\nlong" in both
    again = results_file.merged(both, results_file.COSTS, "# What it costs\n\nless")
    assert again == both.replace("much", "less")
    assert results_file.merged(again, results_file.SOAK, "## Soak\n\nshort") == again.replace("long", "short")
    # However it begins, the costs come first.
    soak_first = results_file.merged("", results_file.SOAK, "## Soak\n\nlong")
    assert results_file.merged(soak_first, results_file.COSTS, "# What it costs\n\nmuch") == both


def test_what_was_written_before_there_were_sections_is_kept(tmp_path):
    path = tmp_path / "RESULTS.md"
    path.write_text("# What it costs\n\nmuch\n")
    results_file.put(path, results_file.SOAK, "## Soak")
    assert path.read_text() == results_file.merged(
        results_file.merged("", results_file.COSTS, "# What it costs\n\nmuch"), results_file.SOAK, "## Soak"
    )
    results_file.put(path, results_file.COSTS, "# What it costs\n\nless")
    assert "much" not in path.read_text()
    assert path.read_text().count("# What it costs") == 1


# --- the command ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def conclude():
    from rich.console import Console

    def conclude(outcome, folder=None):
        return command.conclude(Console(width=200), FULL, outcome, {"Date": "today"}, folder)

    return conclude


def test_a_soak_without_a_violation_succeeds(conclude, capsys):
    assert conclude(outcome()) == 0
    assert "0 violations, 0 programs grow" in capsys.readouterr().out


def test_a_soak_with_a_violation_or_with_growth_fails(conclude, capsys):
    wrong = outcome()
    wrong.airflow = AirflowEvidence(forgotten=1)
    assert conclude(wrong) == 1
    growing = outcome()
    growing.samples += life("api-server", range(100, 160))
    assert conclude(growing) == 1
    told = capsys.readouterr().out
    assert "WRONG  Airflow: 1 triggers are left" in told
    assert "WRONG  api-server grows by 50.0 MB per 100 eras" in told


@pytest.mark.parametrize("arguments", [["--eras", "1"], ["--pace", "0"], ["--networks", "9"]])
def test_a_soak_that_cannot_be_run_is_refused(arguments, capsys):
    assert command.main(arguments) == 2
    assert "; write " in capsys.readouterr().out


def test_the_command_takes_numbers_only(capsys):
    with pytest.raises(SystemExit):
        command.main(["--eras", "many"])
    assert "'many'" in capsys.readouterr().err

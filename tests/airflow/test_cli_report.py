"""`airflow staking report`: which eras a report has, what it says, and a page that loads nothing."""

import re
from datetime import datetime, timedelta, timezone
from html.parser import HTMLParser

import pytest
from names import NETWORK, PARTY
from staking_commands import airflow, as_json

from staking_gateway.health.state import AirflowFacts, EraRun
from staking_gateway.ledger.records import Actor, EraFacts, PayoutState, Reconciliation
from staking_gateway.problem import Topic
from staking_gateway.types import AccountId, StakingStatus
from tests.support.ledgers import put

START = datetime(2026, 3, 1, tzinfo=timezone.utc)
CALENDAR = {"era_length": "6h", "anchors": [{"era": 100, "start": START.isoformat()}]}
RUN = Actor("run")
DEAD = {Topic.TRIGGERER_DEAD: None}
HOSTILE = '<script src="https://evil.example/x.js"></script>'


@pytest.fixture(autouse=True)
def set_up(gateway, ledger, network):
    """Eras 101 to 103 are paid; fees have decimals, the rewards of 101 and 103 are unknown."""
    network(calendar=CALENDAR)
    for era in (101, 102, 103):
        ended = START + (era - 99) * timedelta(hours=6)
        payout = ledger.plan(NETWORK, era, 0, **PARTY, actor=RUN)
        at = ended + timedelta(minutes=era - 100)
        put(ledger, payout, PayoutState.CONFIRMED, RUN, fee=era * 10**9, signed_at=ended, confirmed_at=at)
        reward = 5 * 10**12 if era == 102 else None
        ledger.facts.note(
            EraFacts(
                network=NETWORK, era=era, ended_at=ended, noted_at=ended, reward=reward, symbol="UNIT", decimals=12
            )
        )
    account = AccountId.parse("0x" + "22" * 32)
    ledger.record_statuses(NETWORK, 103, [(account, StakingStatus.IS_NOT_STAKING)], keep_from=0)
    differs = {"subject": "fee", "agrees": False, "finding": "fee_differs", "text": HOSTILE}
    ledger.facts.note(Reconciliation(network=NETWORK, era=103, **differs, checked_at=START, run="r"))


@pytest.fixture
def days(network):
    """A calendar of 6 hours an era, whose newest ended era is 1162; its day, and that of era 101."""
    since = datetime.now(timezone.utc).replace(microsecond=0) - timedelta(hours=1)
    network(calendar={"era_length": "6h", "anchors": [{"era": 1163, "start": since.isoformat()}]})
    return f"{since - 1061 * timedelta(hours=6):%Y-%m-%d}", f"{since:%Y-%m-%d}"


def report(*words):
    airflow("report", "--network", NETWORK, *words)


def test_people_get_sums_in_the_unit_of_the_token_and_what_is_unknown(capsys):
    report("--from", 101, "--to", 104, "-o", "plain")
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == f"{NETWORK}: eras 101 to 104"
    assert {
        "eras 4", "paid 3", "unpaid 1", "unknown 0", "fees 0.306 UNIT",
        "of them wasted 0 UNIT", "rewards at least 5 UNIT; unknown for 3 eras",
        "median lag 2m (3 eras)", "worst lag 3m (era 103)", "accounts staking 0 of 1 checked (era 103)",
        "differences 1 in 1 compared era", f"Difference in era 103, fee: {HOSTILE}",
    } <= set(lines)  # fmt: skip


@pytest.mark.parametrize(
    ("words", "first", "last"),
    [
        (["--to", "103"], 101, 103),
        (["--from", "102", "--to", "102"], 102, 102),
        # Era 99 ends with February, and 103 with the first of March: each era belongs to one day. The installation begins with 101.
        (["--from", "2026-01-01", "--to", "2026-03-01"], 101, 102),
        (["--from", "2026-03-02", "--to", "2026-03-02"], 103, 106),
    ],
)
def test_eras_are_named_by_number_or_by_the_days_on_which_they_ended(capsys, words, first, last):
    told = as_json(capsys, "report", "--network", NETWORK, *words)
    assert (told["first"], told["last"], len(told["eras"])) == (first, last, last - first + 1)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--from", "9", "--to", "8"], "from: no era ended from 9 to 8. The ledger has .* which ended from DAYS"),
        (["--from", "soon"], "from: 'soon' is neither an era nor a day"),
        (["--to", "2020-01-01"], "to: no era had ended on 2020-01-01. The ledger has .* from DAYS"),
        (["--html", "/nowhere/at/all.html"], "html: /nowhere/at/all.html cannot be written: No such file"),
    ],
)
def test_a_report_that_cannot_be_made_names_the_option_and_the_eras_there_are(days, words, told):
    with pytest.raises(SystemExit, match=f"airflow staking: {told.replace('DAYS', ' to '.join(days))}"):
        report(*words)


def test_eras_before_the_installation_are_unknown_and_a_note_says_so(capsys, tmp_path):
    report("--from", 1, "--to", 5, "--html", tmp_path / "report.html")
    told = f"Note: the ledger of {NETWORK} begins with era 101; earlier eras are unknown"
    assert told in capsys.readouterr().out.splitlines()
    assert told in Page((tmp_path / "report.html").read_text()).text
    report("--from", 101)
    assert "Note:" not in capsys.readouterr().out


@pytest.mark.parametrize(("runs", "sent"), [(True, False), (True, True), (False, False), (False, True)])
def test_an_era_is_in_flight_as_for_the_page_while_airflow_runs(network, ledger, capsys, monkeypatch, runs, sent):  # noqa: PLR0917
    airflow = AirflowFacts(runs={106: EraRun("d", "r", "running")} if sent else {}, dead={} if runs else DEAD)
    if sent:
        put(ledger, ledger.plan(NETWORK, 106, 0, **PARTY, actor=RUN), PayoutState.SUBMITTED, RUN)
    monkeypatch.setattr("staking_gateway_provider.commands.report.read_airflow", lambda *_: airflow)
    since = datetime.now(timezone.utc) - timedelta(seconds=5)
    network(calendar={"era_length": "6h", "anchors": [{"era": 107, "start": since.isoformat()}]})
    told = as_json(capsys, "report", "--network", NETWORK, "--from", 105)
    assert [(era["era"], era["state"]) for era in told["eras"]] == [
        (105, "UNPAID"),
        (106, "IN_FLIGHT" if runs else "UNPAID"),
    ]


class Page(HTMLParser):
    """The elements of a page, the text of it, and every attribute."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.text = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text.append(data.strip())


def test_the_page_says_the_same_loads_nothing_and_runs_nothing(tmp_path, capsys):
    report("--from", 101, "--to", 104, "--html", tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    page = Page(text)
    assert not {"script", "link", "img", "iframe", "object", "a"} & set(page.tags)
    assert not {"src", "href", "srcset", "onload"} & {name for name, _ in page.attributes}
    assert not re.search(r"url\(|@import", text)
    assert f"Era 103, fee: {HOSTILE}" in page.text
    assert "0.306 UNIT" in page.text
    titles = [value for name, value in page.attributes if name == "title"]
    assert {"era 104: unknown", "era 102: 5 UNIT", "era 103: 0.103 UNIT, wasted 0 UNIT"} <= set(titles)
    assert page.text.count("unknown: 3") == 2, "rewards, and statuses of accounts"
    hatched = [one for one in page.attributes if one == ("class", "unknown")]
    assert len(hatched) == 7 + 3, "seven values without a bar, and a key for each of three plots"
    assert list(tmp_path.glob(".report*")) == []

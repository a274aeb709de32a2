"""The generated parts of the documentation are current, Airflow takes its command lines, and its snippets run."""

import re
import shlex
from pathlib import Path

import pytest
from airflow.cli import cli_parser

from docs.tools import generate, shown
from tests.chain import storage
from tests.chain.fake_node import serving
from tests.chain.metadata14 import ACTIVE_ERA, item, pallet, small_runtime

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
SNIPPETS = ROOT / "tests" / "docs_snippets"
PAGES = [*sorted(DOCS.rglob("*.md")), ROOT / "README.md"]


def test_generated_parts_are_those_the_code_makes():
    stale = [path.name for path, text in generate.pages().items() if path.read_text() != text]
    assert stale == [], "Run: make docs"


def command_lines():
    for page in [*PAGES, SNIPPETS / "quick_start.sh"]:
        text = page.read_text().replace("\\\n", " ")
        for line in re.findall(r"^ *(airflow [a-z].*)$", text, re.MULTILINE):
            if "(" not in line:
                yield pytest.param(line, id=f"{page.name}: {line[:60]}")


@pytest.mark.parametrize("line", list(command_lines()))
def test_a_command_line_on_a_page_is_one_airflow_takes(line):
    words = shlex.split(line, comments=True)
    assert cli_parser.get_parser().parse_args(words[1:])


# --- the snippets that are not commands ----------------------------------------------------------------------------------


def run_snippet(name, **replacements):
    text = (SNIPPETS / name).read_text()
    for what, real in replacements.items():
        written = {"host": "https://gateway.example", "token": "issued-to-you", "node": "ws://127.0.0.1:9944"}[what]
        assert written in text
        text = text.replace(written, real)
    names = {}
    exec(compile(text, name, "exec"), names)
    return names


def test_every_snippet_is_on_a_page():
    on_pages = {Path(path).name for page in PAGES for path in shown.named(page.read_text())}
    assert {path.name for path in SNIPPETS.iterdir() if path.is_file()} - on_pages == set()


def test_the_core_without_airflow_asks_a_gateway(simulator, capsys):
    run_snippet("status_without_airflow.py", host=simulator.url, token=simulator.token)
    assert capsys.readouterr().out.splitlines() == ["1000 closed", "isStaking"]


def test_the_chain_is_read_from_a_node(capsys, monkeypatch):
    metadata = small_runtime(pallet("System"), pallet("Staking", item("ActiveEra", ACTIVE_ERA, "00", "Optional")))
    with serving({storage.ACTIVE_ERA: "0x7005000000"}, metadata=metadata) as node:
        run_snippet("chain_reader.py", node=node.url("ws"))
    assert "active_era=1392" in capsys.readouterr().out


def test_a_dag_runs_after_a_paid_era(tmp_path):
    from airflow.dag_processing.dagbag import DagBag
    from airflow.sdk import PartitionedAssetTimetable

    from staking_gateway_provider.dags import payouts_asset

    path = tmp_path / "after_paid_era.py"
    path.write_text((SNIPPETS / "after_paid_era.py").read_text())
    bag = DagBag(path, bundle_path=tmp_path)
    assert bag.import_errors == {}
    schedule = bag.dags["after_paid_era"].timetable
    # Events with an era start only runs of such a timetable.
    assert isinstance(schedule, PartitionedAssetTimetable)
    assert schedule.asset_condition.uri == payouts_asset("devnet").uri

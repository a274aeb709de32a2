"""The page about security is true: each test it names exists, and each trust it describes is the code's."""

from __future__ import annotations

import ast
import re
from importlib.resources import files
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text()
TESTS = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
NAMED = sorted(set(re.findall(r"`(test_\w+)`", PAGE)))


def test_a_test_named_on_the_page_exists():
    assert [name for name in NAMED if f"def {name}(" not in TESTS] == []
    assert NAMED


def test_every_kind_of_party_has_a_row_with_a_proof():
    (table,) = re.findall(r"## Who is trusted with what\n\n(.*?)\n\n", PAGE, re.DOTALL)
    rows = [line.split(" | ") for line in table.splitlines()[2:]]
    assert len(rows) >= 14
    for who, trusted, can, cannot, proof in rows:
        assert all((who, trusted, can, cannot)), who
        assert "`test_" in proof, who


def imported(source):
    """Names a module imports or uses as attributes."""
    tree = ast.parse(source)
    names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {node.module or "", *(alias.name for alias in node.names)}
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


def test_no_trigger_can_submit_or_sign():
    """What runs in the triggerer asks for states; it knows neither the engine nor a signer nor the call that submits."""
    package = files("staking_gateway_provider")
    seen = [module for module in (package / "triggers").iterdir() if module.name.endswith(".py")]
    assert len(seen) >= 5
    for module in seen:
        used = imported(module.read_text())
        forbidden = {
            "payout_stakers",
            "PayoutEngine",
            "StakingSignerHook",
            "LocalSigner",
            "RemoteSigner",
            "ProofMaker",
            "sign",
        }
        assert used & forbidden == set(), module.name
        assert not {
            name
            for name in used
            if name.startswith(
                ("staking_gateway.payout.engine", "staking_gateway.payout.decide", "staking_gateway.signing")
            )
        }


def test_nothing_switches_the_verification_of_certificates_off():
    for module in (ROOT / "include" / "staking_gateway").rglob("*.py"):
        text = module.read_text()
        for word in ("verify=False", "ssl=False", "CERT_NONE", "check_hostname = False", "_create_unverified_context"):
            assert word not in text, (module, word)

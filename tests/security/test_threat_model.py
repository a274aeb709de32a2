"""The page about security is true: each party has a test, and each trust it describes is the code's."""

from __future__ import annotations

import ast
import re
from importlib.resources import files
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE, PROOFS = ((ROOT / "docs" / name).read_text() for name in ("security.md", "proofs.md"))
TESTS = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))


def rows(page, heading):
    """Cells of the first table below a heading, without its head."""
    (table,) = re.findall(rf"^## {heading}\n[^|]*\n((?:\|.*\n)+)", page, re.MULTILINE)
    return [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]


def test_every_kind_of_party_has_a_row_and_a_test_that_exists():
    parties = rows(PAGE, "Who is trusted with what")
    assert len(parties) >= 14
    assert all(len(cells) == 4 and all(cells) for cells in parties)
    proofs = dict(rows(PROOFS, "Parties"))
    assert [cells[0] for cells in parties] == list(proofs)
    assert [proof for proof in proofs.values() if f"def {proof.strip('`')}(" not in TESTS] == []


def test_only_the_appendix_names_tests():
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    assert [page.name for page in pages if "`test_" in page.read_text()] == ["proofs.md"]


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

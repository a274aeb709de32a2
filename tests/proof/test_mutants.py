"""The changes of the rules: each is one change, each has tests that judge it, and the seed decides which are drawn."""

import ast
import re
from collections import Counter
from pathlib import Path

from staking_gateway.payout import decide
from tests.proof import mutants


def test_each_rules_module_has_changes_and_each_change_has_tests():
    counts = Counter(mutant.file for mutant in mutants.mutants())
    assert set(counts) == set(mutants.JUDGES)
    package = {f"payout/{path.name}" for path in (mutants._PACKAGE / "payout").glob("[a-z]*.py")}
    assert package <= set(mutants.JUDGES)
    assert all(Path(test).exists() for file in counts for test in mutants._tests(file))


def test_a_change_is_one_change_and_the_seed_decides_which(monkeypatch):
    monkeypatch.setattr(mutants, "known_seeds", lambda suite: [])
    drawn = mutants._chosen(5, 7, "payout/lanes")
    assert drawn == mutants._chosen(5, 7, "payout/lanes") != mutants._chosen(5, 8, "payout/lanes")
    for mutant in drawn:
        ast.parse(mutant.source)
        assert sum(line.startswith("+") for line in mutant.difference) == 1


def test_no_change_of_a_strict_module_may_survive_and_a_share_of_the_others_may():
    lenient = next(file for file in mutants.JUDGES if file not in mutants.STRICT)
    files = "payout/decide.py", "ledger/invariant.py", lenient
    rule, sound, other = (next(mutants.mutants((file,))) for file in files)
    tried = Counter({"payout/decide.py": 50, "ledger/invariant.py": 5, lenient: 10})
    assert mutants._report(tried, [other] * 5, 1) == 0
    assert mutants._report(tried, [other] * 6, 1) == 1
    assert [mutants._report(tried, [one], 1) for one in (rule, sound)] == [1, 1]


def test_an_accepted_change_is_one_of_the_present_modules_and_of_no_rule_that_serves_safety():
    assert sum(map(len, mutants.ACCEPTED.values())) <= mutants.MOST_ACCEPTED
    for file, changes in mutants.ACCEPTED.items():
        lines = {line.strip() for line in (mutants._PACKAGE / file).read_text().splitlines()}
        assert {old for old, _ in changes} <= lines
    marks = dict(re.findall(r"^(\d+)\. +([SLC]) ", decide.__doc__, re.MULTILINE))
    assert len(marks) > 20
    assert "S" not in {marks[reason.split()[0]] for reason in mutants.ACCEPTED.get(mutants._RULES, {}).values()}

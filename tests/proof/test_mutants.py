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


def test_no_change_may_survive_that_is_not_accepted():
    rule = next(mutants.mutants(("payout/decide.py",)))
    accepted = next(mutant for mutant in mutants.mutants(("payout/engine.py",)) if mutant.is_accepted)
    tried = Counter({"payout/decide.py": 50, "payout/engine.py": 5})
    assert [mutants._report(tried, survivors, 1) for survivors in ([], [accepted], [rule])] == [0, 0, 1]


def test_an_accepted_change_is_one_of_the_present_modules_and_of_no_rule_that_serves_safety():
    assert sum(map(len, mutants.ACCEPTED.values())) <= mutants.MOST_ACCEPTED
    for file, changes in mutants.ACCEPTED.items():
        lines = {line.strip() for line in (mutants._PACKAGE / file).read_text().splitlines()}
        assert {old for old, _ in changes} <= lines
    marks = dict(re.findall(r"^(\d+)\. +([SLC]) ", decide.__doc__, re.MULTILINE))
    assert len(marks) > 20
    assert "S" not in {marks[reason.split()[0]] for reason in mutants.ACCEPTED.get(mutants._RULES, {}).values()}

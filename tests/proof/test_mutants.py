"""The changes of the rules: each is one change, each has tests that judge it, and the seed decides which are drawn."""

import ast
from collections import Counter
from pathlib import Path

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


def test_too_many_survivors_fail_the_run_of_rules_sooner_than_of_others():
    changes = list(mutants.mutants(("payout/decide.py", "payout/lanes.py")))
    rule, other = changes[0], changes[-1]
    tried = Counter({"payout/decide.py": 50, "payout/lanes.py": 15})
    assert mutants._report(tried, [], 1) == 0
    assert mutants._report(tried, [rule] * 5, 1) == 0
    assert mutants._report(tried, [rule] * 6, 1) == 1
    assert mutants._report(tried, [other] * 9, 1) == 0
    assert mutants._report(tried, [other] * 10, 1) == 1


def test_each_accepted_change_is_still_a_change_of_the_rules():
    lines = {mutant.new_lines for mutant in mutants.mutants((mutants._RULES,)) if "Comparison" in mutant.operator}
    assert set(mutants.ACCEPTED) <= lines

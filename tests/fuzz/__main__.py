"""`python -m tests.fuzz --help`."""

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.runner import fuzz, keep, run_limited, warm_up


def _main():
    parser = argparse.ArgumentParser(prog="make fuzz", description="Hostile input for every decoder.")
    parser.add_argument("--cases", type=int, default=10_000, help="cases of all targets together")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--target", help="one target only")
    parser.add_argument("--replay", type=Path, help="run one case of .fuzz or tests/data/fuzz again")
    options = parser.parse_args()
    from tests.fuzz.targets import all_targets

    with tempfile.TemporaryDirectory() as folder, all_targets(Path(folder)) as targets:
        if options.replay:
            known = {target.name: target for target in targets}
            name = options.replay.name.rpartition("-")[0]
            target = known[name if name in known else options.replay.parent.name]
            warm_up(target)
            outcome, finding = run_limited(target, options.replay.read_bytes())
            _say(finding or outcome)
            return int(bool(finding))
        chosen = [target for target in targets if options.target in (None, target.name)]
        if not chosen:
            parser.error(f"the targets are {', '.join(target.name for target in targets)}")
        whole, findings = sum(target.weight for target in chosen), 0
        _say(f"seed {options.seed}")
        for target in chosen:
            cases = max(1, options.cases * target.weight // whole)
            begun = time.monotonic()
            result = fuzz(target, options.seed, cases)
            ends, seconds = len(result.outcomes), time.monotonic() - begun
            _say(f"{target.name:10} {result.outcomes.total():8} cases  {ends:4} outcomes  {seconds:6.1f} s")
            if result.finding is not None:
                findings += 1
                case, text = result.finding
                _say(f"  FINDING {text}\n  {case[:200]!r}\n  again: make fuzz REPLAY={keep(target, case)}")
        return int(findings > 0)


def _say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(_main())

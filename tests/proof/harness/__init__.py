"""The proof that nothing is paid twice, lost or silent: thousands of seeded schedules of faults, crashes and rivals.

`python -m tests.proof.harness` runs them against the payout engine, the ledger and the simulator's own truth.
"""

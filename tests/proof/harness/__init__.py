"""The proof that nothing is paid twice, lost or silent: seeded schedules of faults, crashes and rivals, against the simulator's own truth."""

"""The demo: a scheduler, the simulator, and eras being paid while you watch. Started by `make demo`."""

"""The exhaustive check of the payout engine: the real `decide` over a pure chain and gateway, in every reachable state."""

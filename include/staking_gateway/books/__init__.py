"""Whether ledger, gateway and chain agree about each ended era."""

"""Amounts for the ledger, and the comparison of ledger, gateway and chain. Nothing is signed or sent."""

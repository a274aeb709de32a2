"""Catch-up: the unpaid eras, the plan to pay them, and its approval."""

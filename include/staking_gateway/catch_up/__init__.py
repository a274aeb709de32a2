"""Catch up: which eras are unpaid, in which order they are paid, and paying them in turn."""

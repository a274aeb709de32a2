"""Alerts: which conditions there are, what is said of them, and how messages are delivered."""

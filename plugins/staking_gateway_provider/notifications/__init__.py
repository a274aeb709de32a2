"""Notifiers for alerts."""

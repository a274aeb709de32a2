"""Notifiers that hand alerts on."""

"""Schedules that follow the chain instead of the clock."""

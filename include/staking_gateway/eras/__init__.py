"""Eras: the calendar, and the expiry of unpaid eras."""

"""Eras: the calendar, the expiry of unpaid eras, and the forecast of the next change."""

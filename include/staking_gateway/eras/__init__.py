"""Eras and time: the calendar, when unpaid eras expire, and when to look at the chain again."""

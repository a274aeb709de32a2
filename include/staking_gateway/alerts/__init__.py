"""Alerts: conditions, texts and delivery."""

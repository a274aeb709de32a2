"""Health of networks and eras, for the page, reports, alerts and commands."""

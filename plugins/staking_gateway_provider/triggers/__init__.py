"""Triggers of the staking gateway provider."""

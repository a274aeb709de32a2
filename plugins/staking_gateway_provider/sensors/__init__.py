"""Sensors of the staking gateway provider."""

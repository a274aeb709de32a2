"""Hooks of the staking gateway provider."""

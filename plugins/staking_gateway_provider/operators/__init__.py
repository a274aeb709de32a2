"""Operators of the staking gateway provider."""

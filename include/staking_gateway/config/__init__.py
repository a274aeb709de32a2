"""`staking.yaml`: models, readers of values, and loader."""

"""`staking.yaml`: its models, the readers of its values, and the loader."""

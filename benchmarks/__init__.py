"""What the provider costs, beside what its user would run instead: `python -m benchmarks`."""

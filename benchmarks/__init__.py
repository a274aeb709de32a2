"""What it costs, beside what one would take instead: `make bench`."""

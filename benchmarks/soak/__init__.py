"""An hour's worth of eras at high speed, in a world where everything goes wrong now and then: `python -m benchmarks.soak`."""

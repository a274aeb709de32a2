"""Which machine a program pretends to run on; `[core] hostname_callable` of the stack."""

import os


def name():
    """As the program was told."""
    return os.environ["MACHINE"]

"""Configuration files for tests."""

from pathlib import Path

from staking_gateway.config.file import ConfigFile, read_config


def load_config(path: Path) -> ConfigFile:
    """A configuration file without any mistake; raises ConfigError with the mistakes of the first network that has one."""
    file = read_config(path)
    for name in file.names:
        file.network(name, watched=True)
    return file

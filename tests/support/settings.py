"""Configuration files for tests."""

from pathlib import Path

from staking_gateway.config.file import ConfigFile
from staking_gateway.config.find import read_config


def load_config(path: str | Path | None = None) -> ConfigFile:
    """A configuration file without any mistake; raises ConfigError with all mistakes."""
    file = read_config(path)
    if (error := file.mistakes()) is not None:
        raise error
    return file

"""Configuration files for tests."""

from pathlib import Path

from staking_gateway.config.file import ConfigFile, read_config


def load_config(path: str | Path | None = None) -> ConfigFile:
    """A configuration file without any mistake; raises ConfigError with all mistakes."""
    file = read_config(path)
    inside = [mistake for name in file.names for mistake in (*file._blocking(name), *file._watched(name)[1])]
    if found := [*inside, *file._around]:
        raise file._all_in_one(found)
    return file

"""Find and read `staking.yaml`; `models.py` defines its content.

The file is read once per process, and again after a change. Each network is validated on its own, once, when it is needed: a mistake
costs one network. DAG parsing uses the same objects: reading needs no network and no database.
"""

from __future__ import annotations

import os
from pathlib import Path

from staking_gateway.config.file import ConfigFile
from staking_gateway.errors import ConfigError

CONFIG_VARIABLE = "STAKING_GATEWAY_CONFIG"
"""Environment variable with the path of the file."""
CONFIG_NAME = "staking.yaml"
"""The file's name in an `include` folder."""
_FIRST = (
    "To try a simulated network: airflow staking init --demo. For your own: airflow staking init --network NAME. "
    f"If the file exists, set {CONFIG_VARIABLE} to its path"
)


def find_config_path(setting: tuple[str, str | None] | None = None, home: Path | None = None) -> Path:
    """The path of the file: from the environment variable, from a setting, or `staking.yaml` in the `include` folder.

    These are the `include` folder of the checkout that holds the package, that of `home`, and that of the working directory.

    :param setting: name and value of a setting of the program that embeds the core, e.g. of Airflow.
    :param home: a folder of that program; it is searched itself, too.
    :raises ConfigError: the file does not exist; the error names the searched paths.
    """
    for name, value in ((CONFIG_VARIABLE, os.environ.get(CONFIG_VARIABLE)), setting or ("", None)):
        if value:
            path = expanded(name, value)
            if not path.is_file():
                raise ConfigError(name, f"there is no file {path}", "Correct the path, or remove it")
            return path
    checkout = path_in_checkout()
    paths = [] if checkout is None else [checkout]
    paths += [home / "include" / CONFIG_NAME, home / CONFIG_NAME] if home else []
    paths.append(Path.cwd() / "include" / CONFIG_NAME)
    for path in paths:
        if path.is_file():
            return path
    searched = ", ".join(map(str, dict.fromkeys(paths)))
    raise ConfigError(CONFIG_NAME, f"not found at {searched}", _FIRST)


def expanded(name: str, path: str) -> Path:
    """The path of a variable or setting, whose `~` stands for a home directory."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        fault = f"{path} begins with a home directory that is unknown here"
        raise ConfigError(name, fault, "Write the whole path") from None


def path_in_checkout() -> Path | None:
    """The path of the file in the checkout that holds the package; None for an installed package."""
    package = Path(__file__).parents[2]
    return package / CONFIG_NAME if package.name == "include" else None


_files: dict[Path, ConfigFile] = {}


def read_config(path: str | Path | None = None) -> ConfigFile:
    """The configuration file, read once per process and again after it, or a file that it names, has changed.

    :param path: the file; None uses `find_config_path`.
    :raises ConfigError: there is no file, or it is not a YAML mapping.
    """
    path = find_config_path() if path is None else Path(path)
    known = _files.get(path)
    if known is None or known.has_changed():
        _files.clear()
        _files[path] = known = ConfigFile(path)
    return known

"""What the other tests stand on: exactly these packages, from wherever this machine gets its packages."""

import json

from tests.support.npm import FOLDER, MODULES


def test_the_client_that_answers_is_the_published_one_of_that_version(client):
    manifest = json.loads((MODULES / client.package / "package.json").read_text())
    assert (manifest["name"], manifest["version"]) == ("avn-api", client.version)


def test_every_package_is_locked_by_its_hash_and_none_by_an_address():
    lock = json.loads((FOLDER / "package-lock.json").read_text())
    packages = {name: package for name, package in lock["packages"].items() if name}
    assert all(package["integrity"].startswith("sha512-") for package in packages.values())
    assert not any("resolved" in package for package in packages.values())

"""The values for Airflow's official Helm chart: they use documented keys, fit Kubernetes' own schema, and hold no secret."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
import yaml
from composition import ROOT, SERVICES
from engine import run

FOLDER = ROOT / "deploy/kubernetes"
VALUES = yaml.safe_load((FOLDER / "values.yaml").read_text())
DOCUMENTED = {
    "airflowHome", "airflowVersion", "allowPodLaunching", "apiSecretKeySecretName", "config", "createUserJob.enabled", "data.metadataSecretName",
    "defaultAirflowRepository", "defaultAirflowTag", "env", "executor", "fernetKeySecretName", "gid", "jwtSecretName",
    "postgresql.enabled", "secret", "statsd.enabled", "securityContexts.containers", "securityContexts.pod", "uid", "volumeMounts", "volumes",
    "apiServer.args", *(f"{part}.{name}" for part in ("apiServer", "triggerer") for name in ("env", "extraVolumeMounts", "extraVolumes")),
    *(f"{part}.resources" for part in ("apiServer", "dagProcessor", "scheduler", "triggerer", "workers.celery")),
    *(f"{part}.logGroomerSidecar.args" for part in ("dagProcessor", "scheduler", "triggerer", "workers.celery")),
    "workers.celery.replicas",
}  # fmt: skip
"""Of the chart's parameter reference, version 1.22.0, what the values set."""
COMPONENTS = {name: VALUES[name] for name in ("apiServer", "triggerer", "scheduler", "dagProcessor")} | {
    "workers": VALUES["workers"]["celery"]
}


def leaves(value, path=""):
    """Paths of the parameters that are set; what is below a documented one is its value."""
    if path in DOCUMENTED or not isinstance(value, dict):
        return {path}
    return {leaf for key, below in value.items() for leaf in leaves(below, f"{path}.{key}" if path else key)}


def from_secret(envName, secretName, secretKey):  # noqa: N803 - the chart's names
    """What the chart makes of an entry of `secret`."""
    return {"name": envName, "valueFrom": {"secretKeyRef": {"name": secretName, "key": secretKey}}}


def pod(component):
    """The pod the chart makes of a component, as far as the values decide it."""
    security = VALUES["securityContexts"]
    container = {
        "name": "airflow",
        "image": f"{VALUES['defaultAirflowRepository']}:{VALUES['defaultAirflowTag']}",
        "args": component.get("args", []),
        "env": VALUES["env"] + component.get("env", []) + [from_secret(**entry) for entry in VALUES["secret"]],
        "volumeMounts": VALUES["volumeMounts"] + component.get("extraVolumeMounts", []),
        "resources": component["resources"],
        "securityContext": security["containers"],
    }
    volumes = VALUES["volumes"] + component.get("extraVolumes", [])
    spec = {"containers": [container], "volumes": volumes, "securityContext": security["pod"]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "airflow"}, "spec": spec}


def validate(path):
    run(Path(sys.executable).parent / "kubernetes-validate", "--strict", path)


def test_every_parameter_is_one_the_chart_documents():
    assert leaves(VALUES) == DOCUMENTED


@pytest.mark.parametrize("component", COMPONENTS.values(), ids=COMPONENTS)
def test_kubernetes_accepts_what_they_make_of_a_pod(component, tmp_path):
    made = pod(component)
    (tmp_path / "pod.yaml").write_text(yaml.safe_dump(made))
    validate(tmp_path / "pod.yaml")
    (container,) = made["spec"]["containers"]
    assert {mount["name"] for mount in container["volumeMounts"]} == {
        volume["name"] for volume in made["spec"]["volumes"]
    }
    assert all(mount["readOnly"] for mount in container["volumeMounts"])
    assert made["spec"]["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"] == {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
    assert "memory" in container["resources"]["limits"]


def test_kubernetes_accepts_the_policy_of_the_signer():
    validate(FOLDER / "signer-policy.yaml")


def test_only_the_api_server_and_the_triggerer_are_given_connections():
    holders = {
        name
        for name, component in COMPONENTS.items()
        if "staking-connections" in str(component.get("extraVolumes", ""))
    }
    assert holders == {"apiServer", "triggerer"}
    signing = {name for name, component in COMPONENTS.items() if "staking-signers" in str(component)}
    assert signing == {"apiServer"}, "a worker asks it for the signers; the triggerer signs nothing"
    assert "Secret" not in str(VALUES["volumes"])


def scalars(value, key=""):
    """Every value that is no container, with the key it has; an entry of `env` has its name for a key."""
    if isinstance(value, list):
        return [found for entry in value for found in scalars(entry, key)]
    if isinstance(value, dict):
        if value.keys() == {"name", "value"}:
            return [(value["name"], value["value"])]
        return [found for name, below in value.items() for found in scalars(below, name)]
    return [(key, str(value))]


def test_they_hold_no_secret_but_names_of_secrets():
    told = [(key, value) for key, value in scalars(VALUES) if re.search(r"(?i)password|secret|token|key", key)]
    assert len(told) > 5
    for key, value in told:
        assert value.startswith(
            ("staking-", "connection-async", "airflow.secrets.", '{"connections_file_path"', "python -I /opt/", "/")
        ), key


def test_the_versions_are_those_of_this_checkout():
    lock = (ROOT / "requirements.lock").read_text()
    assert VALUES["airflowVersion"] == re.search(r"(?m)^apache-airflow==(\S+)", lock)[1]
    assert VALUES["defaultAirflowTag"] == re.search(r'(?m)^version = "(.*)"', (ROOT / "pyproject.toml").read_text())[1]
    assert SERVICES["worker"]["image"].endswith(f":{VALUES['defaultAirflowTag']}")


def test_user_and_home_are_those_of_the_image():
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert f"USER {VALUES['uid']}:{VALUES['gid']}\n" in dockerfile
    assert f"AIRFLOW_HOME={VALUES['airflowHome']} " in dockerfile
    assert {VALUES["securityContexts"]["pod"][name] for name in ("runAsUser", "runAsGroup", "fsGroup")} == {50000}
    assert "COPY deploy/image/entrypoint /entrypoint\n" in dockerfile, "the chart's probes start through it"


def test_airflow_is_set_as_in_docker_compose_where_it_is_set_at_all():
    environment = SERVICES["api-server"]["environment"]
    for setting in VALUES["env"]:
        if setting["name"] in environment:
            assert environment[setting["name"]] == setting["value"]

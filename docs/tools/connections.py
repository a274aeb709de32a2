"""The extras of each connection, in the words of the connection form."""

from __future__ import annotations

from docs.tools.tables import table
from staking_gateway_provider.extras import Extras, GatewayExtras, NodeExtras, PostgresExtras, SignerExtras
from staking_gateway_provider.get_provider_info import get_provider_info

_MODELS: dict[str, type[Extras]] = {"gateway": GatewayExtras, "signer": SignerExtras, "substrate": NodeExtras}


def parts() -> dict[str, str]:
    """Name of a table to the extras of a connection. Those of the ledger are only names, because libpq defines them.

    :raises KeyError: the form lacks an extra that the hook reads.
    """
    forms = {
        form["hook-class-name"].split(".")[-2]: form["conn-fields"] for form in get_provider_info()["connection-types"]
    }
    made = {"extras_ledger": ", ".join(f"`{extra}`" for extra in PostgresExtras.model_fields)}
    for name, model in _MODELS.items():
        rows = []
        for extra in model.model_fields:
            form = forms[name][extra]
            rows.append((f"`{extra}`", form["description"]))
        made[f"extras_{name}"] = table(["Extra", "Meaning"], rows)
    return made

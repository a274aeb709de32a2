"""The extras of each connection, as they are read and, where the form is ours, the connection form shows them."""

from __future__ import annotations

from docs.tools.docstrings import cell
from staking_gateway_provider.connections import LEDGER_EXTRAS
from staking_gateway_provider.get_provider_info import get_provider_info
from staking_gateway_provider.hooks import gateway, signer, substrate

_HOOKS = {"gateway": gateway, "signer": signer, "substrate": substrate}


def parts() -> dict[str, str]:
    """Name of a hook's module, or `ledger`, to the table of its extras.

    :raises KeyError: the form does not offer an extra the hook reads.
    """
    forms = {
        form["hook-class-name"].split(".")[-2]: form["conn-fields"] for form in get_provider_info()["connection-types"]
    }
    of_ledger = [f"| `{extra}` | {cell(meaning)} |" for extra, meaning in LEDGER_EXTRAS.items()]
    made = {"ledger": "\n".join(["| Extra | Meaning |", "|---|---|", *of_ledger])}
    for name, module in _HOOKS.items():
        lines = ["| Extra | In the form | Meaning |", "|---|---|---|"]
        for extra, meaning in module.EXTRAS.items():
            lines.append(f"| `{extra}` | {forms[name][extra]['label']} | {cell(meaning)} |")
        made[name] = "\n".join(lines)
    return made

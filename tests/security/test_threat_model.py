"""What no part of the code may do: a trigger neither submits nor signs."""

import ast
from importlib.resources import files


def imported(source):
    """Names a module imports or uses as attributes."""
    tree = ast.parse(source)
    names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {node.module or "", *(alias.name for alias in node.names)}
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


def test_no_trigger_can_submit_or_sign():
    """What runs in the triggerer asks for states; it knows neither the engine nor a signer nor the call that submits."""
    package = files("staking_gateway_provider")
    seen = [module for module in (package / "triggers").iterdir() if module.name.endswith(".py")]
    assert seen
    for module in seen:
        used = imported(module.read_text())
        forbidden = {
            "payout_stakers",
            "PayoutEngine",
            "StakingSignerHook",
            "LocalSigner",
            "RemoteSigner",
            "ProofMaker",
            "sign",
        }
        assert used & forbidden == set(), module.name
        assert not {
            name
            for name in used
            if name.startswith(
                ("staking_gateway.payout.engine", "staking_gateway.payout.decide", "staking_gateway.signing")
            )
        }

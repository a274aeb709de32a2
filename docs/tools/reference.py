"""The pages of classes, from their signatures and docstrings. What is public, and has no entry, cannot be: the pages are made from the
modules Airflow is told of.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, Any

from docs.tools.docstrings import Docstring, cell, read, sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

PROVIDER = "staking_gateway_provider"
_EVERYWHERE = {
    "ledger_conn_id": "connection of the ledger, when the other tasks name one",
    "network": "name of a network in `staking.yaml`, which sets what is left out",
}
"""Arguments that mean the same wherever they stand, and are not described everywhere."""
_SPEAKS_FOR = {"AsyncGatewayClient": "GatewayClient"}
"""A class whose docstring says that another's arguments are its own."""
_ELSEWHERE = {"ChainInfo": {"name": "the chain's name", "version": "of its runtime, as the gateway tells it"}}
"""Fields whose class needs no words in the code."""


@dataclass(frozen=True)
class Page:
    """One page of the reference.

    :param name: of its file, without ending.
    :param about: what it is about, Markdown.
    :param modules: whose public classes it describes.
    :param members: which methods it describes: `all`, `raises` (what a task fails with) or none.
    """

    name: str
    title: str
    about: str
    modules: tuple[str, ...]
    members: str = ""


PAGES = (
    Page(
        "operators",
        "Operators",
        "A DAG built of them is `dags/staking_payout.py`:\n\n<!-- shows: dags/staking_payout.py -->\n```python\n```\n<!-- shown -->",
        tuple(f"{PROVIDER}.operators.{name}" for name in ("payout", "era", "status", "catch_up", "alerts", "base")),
        "raises",
    ),
    Page(
        "sensors",
        "Sensors",
        "One question decides whether an era may be paid: has the chain left it, and is the election window closed?",
        (f"{PROVIDER}.sensors.election",),
        "raises",
    ),
    Page(
        "triggers",
        "Triggers",
        "Deferred tasks wait in them, without a worker slot. They only read; they never sign or submit. A trigger is given the id of a "
        "connection, never a secret. Waits for the same thing on one connection share their questions.",
        tuple(f"{PROVIDER}.triggers.{name}" for name in ("election", "payout", "era", "polling")),
    ),
    Page(
        "timetables",
        "Timetable and deadlines",
        "What makes runs of eras, and what tells that one is late.",
        (f"{PROVIDER}.timetables.era", f"{PROVIDER}.timetables.mapper", f"{PROVIDER}.deadlines"),
    ),
    Page(
        "hooks",
        "Hooks",
        "They turn [connections](../connections.md) into clients and signers.",
        tuple(f"{PROVIDER}.hooks.{name}" for name in ("gateway", "signer", "substrate")),
        "all",
    ),
    Page(
        "notifiers",
        "Notifier, links, assets, retry policy",
        "The smaller parts.",
        (f"{PROVIDER}.notifications.webhook", f"{PROVIDER}.links", f"{PROVIDER}.lineage", f"{PROVIDER}.retry"),
        "raises",
    ),
    Page(
        "python",
        "Python without Airflow",
        "The core, `staking_gateway`, needs no Airflow. Accounts are SS58 addresses or `0x` public keys, amounts integers in the smallest "
        "unit.\n\n<!-- shows: tests/docs_snippets/status_without_airflow.py:page -->\n```python\n```\n<!-- shown -->",
        ("staking_gateway",),
        "all",
    ),
    Page(
        "errors",
        "Errors",
        "Every error of the core, in one tree. An error carries data, and its text says what to do next.",
        ("staking_gateway.errors",),
    ),
)


def public_classes(module: str) -> list[type]:
    """The public classes a module defines, in its order; of the core, those it names."""
    loaded = import_module(module)
    if module == "staking_gateway":
        return [getattr(loaded, name) for name in loaded.__all__]
    return [
        found
        for name, found in vars(loaded).items()
        if inspect.isclass(found) and not name.startswith("_") and found.__module__ == module
    ]


def page(wanted: Page) -> str:
    """A page of the reference."""
    lines = [f"# {wanted.title}", "", wanted.about, ""]
    if wanted.name == "errors":
        return "\n".join([*lines, *_error_tree()])
    for module in wanted.modules:
        for found in public_classes(module):
            lines += _entry(found, module, wanted.members)
        lines += _functions(module)
    return "\n".join(lines).rstrip() + "\n"


def _error_tree() -> list[str]:
    module = import_module("staking_gateway.errors")
    drawing = inspect.cleandoc(module.__doc__ or "").partition("::\n\n")[2].partition("\n\n")[0]
    after = inspect.cleandoc(module.__doc__ or "").rpartition("\n\n")[2]
    lines = ["```text", *[line.removeprefix("    ") for line in drawing.splitlines()], "```", "", after, ""]
    lines += ["| Error | Below | Meaning |", "|---|---|---|"]
    for found in public_classes("staking_gateway.errors"):
        below = ", ".join(f"`{base.__name__}`" for base in found.__bases__)
        lines.append(f"| `{found.__name__}` | {below} | {cell(sentence(read(found).summary))} |")
    return [*lines, ""]


def _entry(found: type, module: str, members: str) -> list[str]:
    told = read(found)
    lines = [
        f"## {found.__name__}",
        "",
        "```python",
        f"from {module} import {found.__name__}",
        "```",
        "",
        told.text,
        "",
    ]
    if issubclass(found, Enum):
        lines += [f"- `{member.name}` = `{member.value!r}`" for member in found]
        return [*lines, ""]
    if not issubclass(found, Exception):
        lines += _arguments(found, told)
    if members == "all":
        for name, method in _methods(found):
            lines += _method(name, method)
    elif members == "raises":
        lines += _failures(found)
    return lines


def _arguments(found: type, told: Docstring) -> list[str]:
    if "__init__" not in vars(found):
        return []
    rows, more = [], False
    for name, parameter in list(inspect.signature(vars(found)["__init__"]).parameters.items())[1:]:
        if parameter.kind is parameter.VAR_KEYWORD:
            more = True
            continue
        default = "required" if parameter.default is parameter.empty else _shown(parameter.default)
        kind = str(parameter.annotation).replace(" | ", " or ")
        rows.append(f"| `{name}` | `{kind}` | {default} | {cell(_meaning(found, name, told))} |")
    lines = ["| Argument | Type | Default | Meaning |", "|---|---|---|---|", *rows, ""] if rows else []
    if more:
        lines += [f"Further arguments are those of {_link(found.__bases__[0])}.", ""]
    return lines


def _link(base: type) -> str:
    if base.__module__.startswith(PROVIDER):
        return f"[`{base.__name__}`](#{base.__name__.lower()})"
    return f"Airflow's `{base.__name__}`"


def _shown(default: object) -> str:
    if isinstance(default, (str, int, float, bool, type(None))):
        return f"`{default!r}`"
    return "see below" if "RetryPolicy" in type(default).__name__ else f"`{default}`"


def _meaning(found: type, name: str, told: Docstring) -> str:
    """What an argument means: its own words, those of an argument that speaks for it too, or those of a base class.

    :raises LookupError: nobody says it.
    """
    if name in told.params:
        return told.params[name]
    mentioned = next((other for other, text in told.params.items() if f"`{name}`" in text), None)
    if mentioned is not None:
        return f"see `{mentioned}`"
    for base in found.__mro__[1:]:
        if base.__module__.startswith(PROVIDER) and name in (inherited := read(base).params):
            return inherited[name]
    if found.__name__ in _SPEAKS_FOR:
        other = getattr(import_module("staking_gateway"), _SPEAKS_FOR[found.__name__])
        return _meaning(other, name, read(other))
    if name in _ELSEWHERE.get(found.__name__, {}):
        return _ELSEWHERE[found.__name__][name]
    if name in _EVERYWHERE:
        return _EVERYWHERE[name]
    raise LookupError(f"{found.__module__}.{found.__name__} does not say what its argument {name} means")


def _methods(found: type) -> Iterator[tuple[str, Any]]:
    for name, member in vars(found).items():
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
            yield name, member


def _method(name: str, method: Any) -> list[str]:
    function: Any = method.fget if isinstance(method, property) else method
    told = read(function)
    signature = inspect.signature(function)
    parameters = [part for part in signature.parameters.values() if part.name != "self"]
    shown = str(signature.replace(parameters=parameters)).replace("'", "")
    beginning = "async " if inspect.iscoroutinefunction(function) else ""
    head = f"{name}: {signature.return_annotation!s}" if isinstance(method, property) else f"{beginning}{name}{shown}"
    lines = [f"`{head}`", "", f":   {sentence(' '.join(told.text.split()))}"]
    facts = [f"`{param}`: {text}" for param, text in told.params.items()]
    facts += [f"Returns {told.returns}"] if told.returns else []
    facts += [f"Raises `{error}`: {text}" for error, text in told.raises.items()]
    lines += [f"    {sentence(fact)}" for fact in facts]
    return [*lines, ""]


def _failures(found: type) -> list[str]:
    rows: dict[str, str] = {}
    for _, method in _methods(found):
        if inspect.isfunction(method):
            rows.update(read(method).raises)
    if not rows:
        return []
    return ["| Fails with | When |", "|---|---|", *[f"| `{name}` | {cell(text)} |" for name, text in rows.items()], ""]


def _functions(module: str) -> list[str]:
    """Functions and constants of modules that exist for them."""
    if module == f"{PROVIDER}.lineage":
        loaded = import_module(module)
        lines = ["## Assets", "", f"`{module}` makes the assets other DAGs can be scheduled on:", ""]
        lines += [
            "<!-- shows: tests/docs_snippets/after_paid_era.py:page -->",
            "```python",
            "```",
            "<!-- shown -->",
            "",
        ]
        return lines + [
            line for name in ("payouts_asset", "statuses_asset") for line in _method(name, getattr(loaded, name))
        ]
    if module == f"{PROVIDER}.retry":
        return _policies(import_module(module))
    return []


def _policies(loaded: Any) -> list[str]:
    lines = [
        "## Retry policies",
        "",
        f"`{loaded.__name__}`: which failures a task is tried again for. A retry never sends a payout twice: ",
    ]
    lines[-1] += (
        "the ledger decides what is sent. How often, and after which pause, `retries` and `retry_delay` of the task say."
    )
    lines.append("")
    for name in ("RETRY_POLICY", "STATUS_RETRY_POLICY"):
        lines += [f"`{name}`", "", "| Error | What happens | Because |", "|---|---|---|"]
        for rule in getattr(loaded, name).rules:
            errors = [rule.exception] if isinstance(rule.exception, str) else list(rule.exception)
            shown = ", ".join(f"`{error.rpartition('.')[2]}`" for error in errors)
            delay = f" after {rule.retry_delay.total_seconds():.0f} s" if rule.retry_delay else ""
            lines.append(f"| {shown} | {rule.action.value}{delay} | {cell(rule.reason)} |")
        lines.append("")
    return lines

"""Failures that are caused for real, and how a person ends each of them: one network each, side by side in one Airflow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from staking_gateway.topics import Topic

if TYPE_CHECKING:
    from brokenairflow import BrokenAirflow

FEE = 10**17
ACTIVE = 1000
ERA = ACTIVE - 1
"""The era that each network fails to pay."""
LOST = 915
"""The newest era that the chain has dropped."""
STASH = "5GNJqTPyNqANBkUVMN1LPPrxXnFouWXoe2wNSmmEoLctxiZY"
SIGNS_ONCE = {"payout": {"max_replans": 0}}
"""Settings of a network that ends after the first rejection."""
NEVER_LATE = {"alerts": {"webhook_conn_id": "receiver", "paid_within": "9h", "held_after": "9h"}}
"""Settings of a network without missed deadlines: their messages are in no task's log."""
Step = Callable[["BrokenAirflow", str], object]


def nothing(live: BrokenAirflow, name: str) -> None:
    """No step is needed."""


@dataclass(frozen=True)
class Failure:
    """A failure of a network.

    :param name: the network.
    :param caused: what was done, for the page.
    :param repaired: the same for its end.
    :param task: the task whose log names the cause; None: no task fails, and the task that sends the alert logs it.
    :param waits: the task does not fail, it waits.
    :param remedy: what to do; empty: as the topic says.
    :param objects: what the remedy names: connections, keys of the settings, accounts, DAGs. `{payer}` is the payer's account.
    :param settings: of the network in `staking.yaml`.
    :param chain: settings of its simulator; None: nothing answers there yet.
    :param gateway: fields of the gateway's connection; None: there is no connection.
    :param cause: a step while Airflow starts.
    :param repair: what the remedy says.
    :param pays: the words of the command that pays the era after that, without the network; empty: the page is green by itself.
    :param listed: it is shown in the list of networks; else on the network's page.
    :param blocks: it blocks `era`, so that `why` names it.
    :param alerts: it sends an alert, and has a log.
    :param shown_on: the network whose page shows a failure of the whole installation.
    """

    name: str
    topic: Topic
    caused: str
    repaired: str
    task: str | None = "wait_for_window"
    waits: bool = False
    remedy: str = ""
    objects: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    chain: Mapping[str, Any] | None = field(default_factory=dict)
    gateway: Mapping[str, Any] | None = field(default_factory=dict)
    cause: Step = nothing
    repair: Step = nothing
    pays: tuple[str, ...] = ("catch-up",)
    listed: bool = False
    blocks: bool = True
    alerts: bool = True
    shown_on: str = ""
    era: int = ERA

    @property
    def network(self) -> str:
        """The network in commands."""
        return self.shown_on or self.name

    @property
    def paying(self) -> list[str]:
        """The words of the command that pays."""
        return ["staking", *self.pays, "--network", self.name]


def close_window(live: BrokenAirflow, name: str) -> None:
    live.chains[name].control.window("closed")


def append_anchor(live: BrokenAirflow, name: str) -> None:
    calendar = live.settings["networks"][name]["calendar"]
    anchor = {"era": ACTIVE - 20, "start": (live.start + ACTIVE * live.era_length).isoformat()}
    live.edit_network(name, calendar={**calendar, "anchors": [*calendar["anchors"], anchor]})


def correct_parts(live: BrokenAirflow, name: str) -> None:
    live.edit_network(name, payout={"parts": 1})
    live.begin(name)


FAILURES = (
    Failure(
        "no_connection",
        Topic.CONNECTION_MISSING,
        "The connection `gateway_no_connection` does not exist.",
        "The connection is created.",
        objects=("gateway_no_connection", "networks.no_connection.gateway_conn_id"),
        gateway=None,
        repair=lambda live, name: live.add_connection(live.gateway(name)),
    ),
    Failure(
        "silent_gateway",
        Topic.GATEWAY_UNREACHABLE,
        "No gateway runs at the address of the connection.",
        "The gateway is started.",
        objects=("Host of connection gateway_silent_gateway",),
        chain=None,
        waits=True,
        repair=lambda live, name: live.start_chain(name),
    ),
    Failure(
        "bad_token",
        Topic.TOKEN_REFUSED,
        "The connection has a token that the gateway did not issue.",
        "A valid token is put into the password of the connection.",
        objects=("Password of connection gateway_bad_token",),
        gateway={"password": "expired-token", "extra": {}},
        repair=lambda live, name: live.edit_connection(f"gateway_{name}", password="simulator-token"),
    ),
    Failure(
        "website",
        Topic.GATEWAY_WRONG,
        "A web server without a gateway answers at the address.",
        "The host of the connection is corrected.",
        objects=("Host of connection gateway_website",),
        waits=True,
        gateway={"host": "website"},
        repair=lambda live, name: live.edit_connection(f"gateway_{name}", host=live.chains[name].url),
    ),
    Failure(
        "sick_gateway",
        Topic.GATEWAY_FAILS,
        "The gateway answers every call with HTTP 503.",
        "The gateway works again.",
        objects=("Host of connection gateway_sick_gateway",),
        waits=True,
        cause=lambda live, name: live.chains[name].control.set_faults("http-503-before"),
        repair=lambda live, name: live.chains[name].control.set_faults(),
    ),
    Failure(
        "wrong_key",
        Topic.WRONG_KEY,
        "The connection of the payer's key holds the user's key.",
        "The payer's key is put into a connection, and `payer_signer_conn_id` names it.",
        objects=("user_wrong_key", "networks.wrong_key.payer_signer_conn_id"),
        task="payout",
        settings={"payer_signer_conn_id": "user_wrong_key"},
        repair=lambda live, name: live.edit_network(name, payer_signer_conn_id=f"payer_{name}"),
    ),
    Failure(
        "no_signer",
        Topic.SIGNER,
        "No remote signer runs at the address of the payer's connection.",
        "`payer_signer_conn_id` names a connection that signs.",
        objects=("remote_signer", "networks.no_signer.payer_signer_conn_id"),
        task="payout",
        settings={"payer_signer_conn_id": "remote_signer"},
        repair=lambda live, name: live.edit_network(name, payer_signer_conn_id=f"payer_{name}"),
    ),
    Failure(
        "empty_payer",
        Topic.PAYER_EMPTY,
        "The payer owns half a fee.",
        "Funds are sent to the payer.",
        objects=("{payer}",),
        task="payout",
        settings=SIGNS_ONCE,
        chain={"balance": FEE // 2, "door_checks": False},
        cause=lambda live, name: live.chains[name].control.set_faults("request-payer-refused"),
        repair=lambda live, name: live.restart_chain(name, balance=50 * FEE),
    ),
    Failure(
        "little_money",
        Topic.RUNWAY,
        "The payer owns four fees.",
        "Funds are sent to the payer.",
        objects=("{payer}",),
        task=None,
        blocks=False,
        settings=NEVER_LATE,
        chain={"balance": 4 * FEE},
        repair=lambda live, name: live.restart_chain(name, balance=50 * FEE),
        pays=(),
    ),
    Failure(
        "high_fee",
        Topic.HELD_FEE,
        "The fee is above `max_fee_per_payout`.",
        "The limit is raised in `staking.yaml`.",
        objects=("networks.high_fee.payout.max_fee_per_payout in ",),
        task="payout",
        settings={"payout": {"max_fee_per_payout": FEE // 2, "max_fee_per_day": FEE}},
        repair=lambda live, name: live.edit_network(
            name, payout={"max_fee_per_payout": FEE, "max_fee_per_day": 2 * FEE}
        ),
    ),
    Failure(
        "no_limit",
        Topic.LIMIT_MISSING,
        "The gateway runs on another machine, and no fee limit is set.",
        "Both limits are set in `staking.yaml`.",
        objects=("networks.no_limit.payout.max_fee_per_payout and networks.no_limit.payout.max_fee_per_day in ",),
        task="payout",
        gateway={"host": "elsewhere", "password": "simulator-token", "extra": {"allow_http": True}},
        repair=lambda live, name: live.edit_network(
            name, payout={"max_fee_per_payout": FEE, "max_fee_per_day": 2 * FEE}
        ),
    ),
    Failure(
        "open_window",
        Topic.HELD_WINDOW,
        "The election window stays open after the era's end.",
        "The window closes. Nobody does anything.",
        waits=True,
        cause=lambda live, name: live.chains[name].control.window("open"),
        repair=close_window,
        pays=(),
    ),
    Failure(
        "rejected",
        Topic.REJECTED,
        "The gateway accepts the payout, and its transaction fails on the chain.",
        "The chain executes transactions again, and the era is paid by hand.",
        task="payout",
        settings=SIGNS_ONCE,
        cause=lambda live, name: live.chains[name].control.set_faults("request-rejected"),
        pays=("pay", "--era", str(ERA), "--again"),
        repair=lambda live, name: live.chains[name].control.set_faults(),
    ),
    Failure(
        "unsupported",
        Topic.UNSUPPORTED,
        "The gateway spells the payout method `proxyPayoutStakers`.",
        "`payout_method` is set in the extras of the connection.",
        objects=('"payout_method": "proxyPayoutStakers"', "gateway_unsupported"),
        task="payout",
        chain={"payout_method": "proxyPayoutStakers", "strict_transaction_type": True},
        repair=lambda live, name: live.edit_connection(
            f"gateway_{name}",
            extra={"bearer_signer_conn_id": "user_unsupported", "payout_method": "proxyPayoutStakers"},
        ),
    ),
    Failure(
        "slow_chain",
        Topic.DRIFT,
        "The chain stood still for 20 eras.",
        "An anchor is appended to the calendar.",
        objects=("networks.slow_chain.calendar.anchors",),
        waits=True,
        chain={"behind": 20},
        repair=append_anchor,
        pays=(),
    ),
    Failure(
        "idle_account",
        Topic.ACCOUNTS,
        "An account has stopped staking.",
        "`expect` of the account is corrected.",
        objects=("networks.idle_account.accounts",),
        task="report",
        blocks=False,
        settings={"accounts": [{"account": STASH, "label": "alice-stash", "expect": "staking"}]},
        cause=lambda live, name: live.chains[name].control.staking(STASH, staking=False),
        repair=lambda live, name: live.edit_network(
            name, accounts=[{"account": STASH, "label": "alice-stash", "expect": "any"}]
        ),
        pays=(),
    ),
    Failure(
        "paused",
        Topic.PAUSED,
        "The payout DAG is paused.",
        "*Unpause the payout DAG* is pressed on the page.",
        objects=("staking_payout_paused",),
        task=None,
        repair=lambda live, name: live.stack.api.unpause(f"staking_payout_{name}"),
        pays=(),
    ),
    Failure(
        "expired",
        Topic.EXPIRED,
        "Nobody paid an era for as long as the chain keeps rewards.",
        "Nothing can be paid any more.",
        task=None,
        settings=NEVER_LATE,
        era=LOST,
        pays=(),
    ),
    Failure(
        "bad_settings",
        Topic.CONFIGURATION,
        "`payout.parts` of one network is 0.",
        "`payout.parts` is corrected. The other networks were paid meanwhile.",
        objects=("networks.bad_settings.payout.parts",),
        task="watch",
        remedy="Write 1 to 1000, or until_empty",
        listed=True,
        blocks=False,
        settings={"payout": {"parts": 0}},
        repair=correct_parts,
        pays=(),
    ),
)
"""One network each, all at the same time."""
INSTALLATION = (
    Failure(
        "broken_file",
        Topic.CONFIGURATION,
        "`staking.yaml` is not YAML any more.",
        "The line is corrected.",
        task="watch",
        remedy="Correct the line, or the one before it",
        listed=True,
        blocks=False,
        shown_on="paused",
    ),
    Failure(
        "no_triggerer",
        Topic.TRIGGERER_DEAD,
        "The triggerer is killed.",
        "The triggerer is started.",
        task=None,
        shown_on="paused",
    ),
    Failure(
        "no_scheduler",
        Topic.SCHEDULER_DEAD,
        "The scheduler is killed. It starts every task, so there is no log, and [nothing inside Airflow](alerts.md) can send this alert.",
        "The scheduler is started.",
        task=None,
        alerts=False,
        shown_on="paused",
    ),
)
"""Failures of the whole installation, one after the other."""
BY_NAME = {failure.name: failure for failure in FAILURES}

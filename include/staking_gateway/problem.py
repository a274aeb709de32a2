"""What can be wrong and what to do: one table of topics, and one value that errors, page, alerts, doctor and logs share."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, IntEnum
from typing import Any, Literal, NamedTuple, Self


class Level(IntEnum):
    """How urgent a problem is: `DANGER` costs payouts now, `ATTENTION` may later."""

    OK = 0
    ATTENTION = 1
    DANGER = 2


class Row(NamedTuple):
    """A row of the table, and a section of the runbook: what is so, and what to do, without a full stop.

    :param section: its anchor; empty: the topic's name in lower case, with `-`.
    :param object: the sentence that names the object of the remedy; empty: there is none, or the facts decide it. `located` in
        `health/problems.py` fills in its fields; `{gateway}` is the connection that the problem names, or else the gateway's.
    :param level: of a problem that hurts no era yet.
    :param passes: an outcome with this topic may change without a person and without another fee.
    :param ends: what shows that the cause of a failed run is gone: a later `answer` of the gateway, a later word of `airflow`, or a later
        `signature`, until which it stops every run; empty: unknown.
    :param says_all: the remedy says itself how eras are paid, or no era waits for it.
    """

    heading: str
    remedy: str
    section: str = ""
    object: str = ""
    level: Level = Level.DANGER
    passes: bool = False
    ends: Literal["", "answer", "airflow", "signature"] = ""
    says_all: bool = False


class Topic(Row, Enum):
    """The table. A member is a tuple too: give none to `%`, JSON or `asdict`."""

    @property
    def anchor(self) -> str:
        return self.section or self.name.lower().replace("_", "-")

    @classmethod
    def of(cls, anchor: str) -> Self:
        """The topic with an anchor; `UNEXPECTED` for an unknown one, such as one of a later version."""
        return next((topic for topic in cls if topic.anchor == anchor), cls.UNEXPECTED)

    STOPPED = Row(
        "A person stopped the ledger",
        "When the reason is gone, run airflow staking ledger go: runs that wait then go on",
    )
    # --- settings, connections and keys ---
    CONFIGURATION = Row(
        "staking.yaml has a mistake",
        "Correct staking.yaml at the named path; Airflow reads it again within a minute",
        object="The file is {config.file}",
        ends="signature",
    )
    CONNECTION_MISSING = Row(
        "A connection is missing",
        "Create the connection in Admin > Connections, or correct its name",
        object="The {gateway} needs the type {fields}. Its name is networks.{name}.{setting} in {config.file}",
        ends="signature",
    )
    CONNECTION_INVALID = Row(
        "A connection has a mistake",
        "Correct the named field in Admin > Connections",
        object="The field is one of {gateway}",
        ends="signature",
    )
    WRONG_KEY = Row(
        "A signing key belongs to another account",
        "Put the key of the named account into the signer's connection, or correct the account in staking.yaml",
        ends="signature",
        object="The {signer} is that of the {role} {account}. Its name is networks.{name}.{setting} in {config.file}",
    )
    SIGNER = Row(
        "The signer gives no signature",
        "Check the key, or the address and token of the remote signer, in the signer's connection",
        ends="signature",
        object="The {signer} is that of the {role} {account}. Its name is networks.{name}.{setting} in {config.file}",
    )
    INPUT = Row("A value was refused", "Correct the named value; nothing was sent")
    # --- the gateway and the chain ---
    GATEWAY_UNREACHABLE = Row(
        "The gateway does not answer",
        "Start the gateway, or correct the host of the gateway connection",
        object="The gateway's address is Host of {gateway}",
        level=Level.ATTENTION,
        ends="answer",
    )
    GATEWAY_FAILS = Row(
        "The gateway answers with errors",
        "Ask the gateway's operator; payouts go on when the gateway works again",
        level=Level.ATTENTION,
        ends="answer",
    )
    GATEWAY_WRONG = Row(
        "The server at this address does not answer like a gateway",
        "Correct the host and the paths of the gateway connection",
        object="The gateway's address is Host of {gateway}",
        ends="answer",
    )
    TOKEN_REFUSED = Row(
        "The gateway refuses the access token",
        "Put a valid token into the password of the gateway connection, or set this machine's clock",
        object="The token is Password of {gateway}",
        ends="answer",
    )
    RATE_LIMITED = Row(
        "The gateway refuses calls because there are too many",
        "Lower statuses.rate and statuses.concurrency in staking.yaml",
        level=Level.ATTENTION,
        ends="answer",
    )
    NODE = Row(
        "The node of the chain gives no usable answer",
        "Correct the address and the chain of the node's connection, or start the node",
        object="The extra node_conn_id of connection `{config.gateway_conn_id}` names the node's connection",
        level=Level.ATTENTION,
        ends="answer",
    )
    NO_NODE = Row(
        "No node of the chain is connected",
        "Make a connection of type Substrate Node, and name it in the extra node_conn_id of the gateway connection",
    )
    CLOCK = Row(
        "A clock is wrong",
        "Set the clock, e.g. timedatectl set-ntp true; if this machine's is right, tell who runs the other one",
    )
    DRIFT = Row(
        "Calendar and chain disagree about the active era",
        "Check that the gateway connection leads to this network, then append an anchor to calendar.anchors in staking.yaml",
        ends="answer",
    )
    # --- money ---
    LIMIT_MISSING = Row(
        "A fee limit is not set, so nothing is signed",
        "Set payout.max_fee_per_payout and payout.max_fee_per_day in staking.yaml to the highest fees that you accept",
    )
    PAYER_EMPTY = Row(
        "The payer cannot pay the fee",
        "Send funds to the payer's account",
        object="The payer is {config.payer.spelling}",
    )
    RUNWAY = Row(
        "The payer's funds run short",
        "Send funds to the payer's account",
        object="The payer is {config.payer.spelling}",
    )
    # --- Airflow ---
    SCHEDULER_DEAD = Row(
        "Airflow's scheduler is not running",
        "Start Airflow as before: airflow standalone starts all its programs, airflow scheduler this one beside a running API server",
        ends="airflow",
    )
    TRIGGERER_DEAD = Row(
        "Airflow's triggerer is not running",
        "Start Airflow as before: airflow standalone starts all its programs, airflow triggerer this one beside a running API server",
        ends="airflow",
    )
    WORKERS = Row(
        "Airflow's workers start no tasks",
        "Start the workers, and let them reach the API server: start it, or correct AIRFLOW__CORE__EXECUTION_API_SERVER_URL",
        ends="airflow",
    )
    PAUSED = Row("The payout DAG is paused", "Unpause the payout DAG", level=Level.ATTENTION, ends="airflow")
    DAG_MISSING = Row(
        "Airflow does not know the payout DAG",
        "Put the DAG files into the DAGs folder, and start the DAG processor: airflow dag-processor",
        ends="airflow",
    )
    CATCH_UP_FAILED = Row("The last catch-up failed", "Remove the named reason, and start the catch-up again")
    # --- an era ---
    UNPAID = Row(
        "Eras are unpaid",
        "Start the catch-up: it pays them, soonest to expire first",
        object="The DAG is staking_catch_up_{name}",
        level=Level.ATTENTION,
        says_all=True,
    )
    EXPIRED = Row(
        "Eras expired unpaid",
        "Nothing can be paid any more; find out why their runs failed, so that the next era is paid",
        says_all=True,
    )
    HELD_WINDOW = Row(
        "The election window is open",
        "Wait until the window closes; the run pays then",
        section="held_window",
        level=Level.ATTENTION,
        passes=True,
        says_all=True,
    )
    HELD_FEE = Row(
        "The fee is above your limit",
        "Raise the limit in staking.yaml, or wait until the fee has fallen",
        section="held_fee",
        level=Level.ATTENTION,
        passes=True,
    )
    REJECTED = Row("The payout was rejected", "Check the transaction and the era on the chain, then pay the era again")
    UNKNOWN = Row(
        "A payout was sent, and its result is unknown",
        "Do not pay it by other means; the next run finds the result, or sends the same bytes again",
        passes=True,
        says_all=True,
    )
    PARTIAL = Row("Only some parts of an era are paid", "Raise payout.max_parts in staking.yaml", level=Level.ATTENTION)
    NOT_TRIED = Row(
        "The run failed before it paid",
        "Read the first failed task of the run, remove the cause, and start the catch-up",
        section="not_tried",
        passes=True,
    )
    UNSUPPORTED = Row(
        "The gateway does not know the payout method",
        "Set payout_method in the extras of the gateway connection",
        object='Write `"payout_method": "proxyPayoutstakers"` or `"proxyPayoutStakers"`, the one that the gateway knows, into Extra Fields JSON '
        "of {gateway}",
    )
    PAID = Row("The era is paid", "Nothing to do")
    ALREADY_PAID = Row("The era is paid, by another run or tool", "Nothing to do", section="already_paid")
    BOOKS = Row(
        "Ledger and chain disagree",
        "Check the named eras on the chain, and find out who else pays with these accounts; then run airflow staking reconcile again",
        says_all=True,
    )
    SHARED_USER = Row(
        "Another deployment uses the same user",
        "If that is another deployment, pause its DAGs. Then let both use one ledger, or give each a user and a payer of its own",
    )
    # --- the rest ---
    ACCOUNTS = Row(
        "Accounts are in the wrong state",
        "Change the nomination of these accounts, or correct their `expect` in staking.yaml",
        object="The accounts are in networks.{name}.accounts, or in the file that accounts_file names, and `expect` is staking, not_staking or any",
    )
    LEDGER = Row("The ledger cannot be used", "Check the connection of the ledger, and its database")
    EXPORT = Row("An export cannot be written", "Correct the target or the rights of its connection; then run it again")
    ALERTS_NOT_SENT = Row(
        "Alerts are not sent", "Correct the connection or the address of the receiver; the next run sends them"
    )
    PLAN_CHANGED = Row("The catch-up plan has changed", "Look at the new plan, and approve its hash")
    UNEXPECTED = Row("Something else failed", "Run airflow staking doctor; if it finds nothing, report the log")


@dataclass(frozen=True)
class Problem:
    """Something that is wrong: from the error to every screen. Printed, never searched. Its texts end without a full stop.

    :param facts: this case in one sentence; empty: the topic's heading says all.
    :param about: what to open: "connection `staking_gateway_default`", "networks.devnet.payer", "era 1391"; empty: nothing, or unknown.
    :param network: whose settings have it, as doctor tells; empty: unknown, or the whole installation.
    :param eras: the eras that wait for its end, oldest first.
    :param own_remedy: a remedy that knows more than the topic's; empty: the topic's.
    :param more: sentences after the remedy: its object, and whether the waiting eras are paid by themselves then.
    :param standing: it stands before every payout.
    :param action: one step that the page offers: `kind` is `unpause`, with `dag_id`, or `pay`.
    """

    topic: Topic
    facts: str = ""
    about: str = ""
    network: str = ""
    eras: tuple[int, ...] = ()
    since: datetime | None = None
    level: Level = Level.DANGER
    transaction: str | None = None
    own_remedy: str = ""
    more: str = ""
    standing: bool = False
    action: Mapping[str, Any] | None = None

    @property
    def title(self) -> str:
        heading = self.topic.heading
        return heading if self.facts.lower() in ("", heading.lower()) else f"{heading}: {self.facts}"

    @property
    def remedy(self) -> str:
        return ". ".join(filter(None, (self.own_remedy or self.topic.remedy, self.more)))

    @property
    def text(self) -> str:
        return f"{self.facts or self.topic.heading}. {self.remedy}"

    def as_dict(self) -> dict[str, Any]:
        return {
            "topic": self.topic.anchor,
            "heading": self.topic.heading,
            "detail": self.facts,
            "remedy": self.remedy,
            "level": self.level.name.lower(),
            "eras": list(self.eras),
            "since": None if self.since is None else self.since.isoformat(),
            "action": None if self.action is None else dict(self.action),
        }


def connection(conn_id: str) -> str:
    """A connection as `Problem.about` names it."""
    return f"connection `{conn_id}`"

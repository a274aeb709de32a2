"""The sections of the runbook: what can be wrong, and the remedy, in the words that page, alerts, commands and task logs share."""

from __future__ import annotations

from enum import Enum


class Topic(Enum):
    """A section of the runbook: its anchor, its heading (what is so), and the remedy (what to do)."""

    def __init__(self, anchor: str, heading: str, remedy: str) -> None:
        self.anchor = anchor
        self.heading = heading
        self.remedy = remedy

    @classmethod
    def of(cls, anchor: str) -> Topic:
        """The topic with an anchor; `UNEXPECTED` for an unknown one, such as one of a later version."""
        return next((topic for topic in cls if topic.anchor == anchor), cls.UNEXPECTED)

    @property
    def may_change(self) -> bool:
        """Whether an outcome with this topic may change by itself: without a person, and without another fee."""
        return self in _MAY_CHANGE

    STOPPED = (
        "stopped",
        "A person stopped the ledger",
        "When the reason is gone, run airflow staking ledger go: runs that wait then go on",
    )
    # --- settings, connections and keys ---
    CONFIGURATION = (
        "configuration",
        "staking.yaml has a mistake",
        "Correct staking.yaml at the named path; Airflow reads it again within a minute",
    )
    CONNECTION_MISSING = (
        "connection-missing",
        "A connection is missing",
        "Create the connection in Admin > Connections, or correct its name in staking.yaml",
    )
    CONNECTION_INVALID = (
        "connection-invalid",
        "A connection has a mistake",
        "Correct the named field in Admin > Connections",
    )
    WRONG_KEY = (
        "wrong-key",
        "A signing key belongs to another account",
        "Put the key of the named account into the signer's connection, or correct the account in staking.yaml",
    )
    SIGNER = (
        "signer",
        "The signer gives no signature",
        "Check the key, or the address and token of the remote signer, in the signer's connection",
    )
    INPUT = ("input", "A value was refused", "Correct the named value; nothing was sent")
    # --- the gateway and the chain ---
    GATEWAY_UNREACHABLE = (
        "gateway-unreachable",
        "The gateway does not answer",
        "Start the gateway, or correct the host of the gateway connection",
    )
    GATEWAY_FAILS = (
        "gateway-fails",
        "The gateway answers with errors",
        "Ask the gateway's operator; payouts go on when the gateway works again",
    )
    GATEWAY_WRONG = (
        "gateway-wrong",
        "The server at this address does not answer like a gateway",
        "Correct the host and the paths of the gateway connection",
    )
    TOKEN_REFUSED = (
        "token-refused",
        "The gateway refuses the access token",
        "Put a valid token into the password of the gateway connection, or set this machine's clock",
    )
    RATE_LIMITED = (
        "rate-limited",
        "The gateway refuses calls because there are too many",
        "Lower statuses.rate and statuses.concurrency in staking.yaml",
    )
    NODE = (
        "node",
        "The node of the chain gives no usable answer",
        "Correct the address and the chain of the node's connection, or start the node",
    )
    NO_NODE = (
        "no-node",
        "No node of the chain is connected",
        "Make a connection of type Substrate Node, and name it in the extra node_conn_id of the gateway connection",
    )
    DRIFT = (
        "drift",
        "Calendar and chain disagree about the active era",
        "Check that the gateway connection leads to this network, then append an anchor to calendar.anchors in staking.yaml",
    )
    # --- money ---
    LIMIT_MISSING = (
        "limit-missing",
        "A fee limit is not set, so nothing is signed",
        "Set max_fee_per_payout and max_fee_per_day in staking.yaml to the highest fees that you accept",
    )
    PAYER_EMPTY = (
        "payer-empty",
        "The payer cannot pay the fee",
        "Send funds to the payer's account",
    )
    RUNWAY = ("runway", "The payer's funds run short", "Send funds to the payer's account")
    # --- Airflow ---
    SCHEDULER_DEAD = ("scheduler-dead", "Airflow's scheduler is not running", "Start it: airflow scheduler")
    TRIGGERER_DEAD = ("triggerer-dead", "Airflow's triggerer is not running", "Start it: airflow triggerer")
    WORKERS = (
        "workers",
        "Airflow's workers start no tasks",
        "Start the workers, and let them reach the API server: correct AIRFLOW__CORE__EXECUTION_API_SERVER_URL",
    )
    PAUSED = ("paused", "The payout DAG is paused", "Unpause the payout DAG")
    DAG_MISSING = (
        "dag-missing",
        "Airflow does not know the payout DAG",
        "Put the DAG files into the DAGs folder, and start the DAG processor: airflow dag-processor",
    )
    CATCH_UP_FAILED = (
        "catch-up-failed",
        "The last catch-up failed",
        "Remove the named reason, and start the catch-up again",
    )
    # --- an era ---
    UNPAID = ("unpaid", "Eras are unpaid", "Start the catch-up: it pays them, soonest to expire first")
    RUN_FAILED = (
        "run-failed",
        "Runs failed before they paid",
        "Start the catch-up: the cause of the failure is gone",
    )
    EXPIRED = (
        "expired",
        "Eras expired unpaid",
        "Nothing can be paid any more; find out why their runs failed, so that the next era is paid",
    )
    HELD_WINDOW = (
        "held_window",
        "The election window is open",
        "Wait until the window closes; the run pays then",
    )
    HELD_FEE = (
        "held_fee",
        "The fee is above your limit",
        "Raise the limit in staking.yaml, or wait until the fee has fallen",
    )
    REJECTED = (
        "rejected",
        "The payout was rejected",
        "Check the transaction and the era on the chain, then pay the era again",
    )
    UNKNOWN = (
        "unknown",
        "A payout was sent, and its result is unknown",
        "Do not pay it by other means; the next run finds the result, or sends the same bytes again",
    )
    PARTIAL = ("partial", "Only some parts of the era are paid", "Raise payout.max_parts in staking.yaml")
    NOT_TRIED = (
        "not_tried",
        "The run failed before it paid",
        "Read the first failed task of the run, remove the cause, and start the catch-up",
    )
    UNSUPPORTED = (
        "unsupported",
        "The gateway does not know the payout method",
        "Set payout_method in the extras of the gateway connection",
    )
    PAID = ("paid", "The era is paid", "Nothing to do")
    ALREADY_PAID = ("already_paid", "The era is paid, by another run or tool", "Nothing to do")
    BOOKS = (
        "books",
        "Ledger and chain disagree",
        "Check the named eras on the chain, and find out who else pays with these accounts; then run airflow staking reconcile again",
    )
    # --- the rest ---
    ACCOUNTS = (
        "accounts",
        "Accounts are in the wrong state",
        "Change the nomination of these accounts, or correct their `expect` in staking.yaml",
    )
    LEDGER = (
        "ledger",
        "The ledger cannot be used",
        "Check the connection of the ledger, and its database",
    )
    EXPORT = (
        "export",
        "An export cannot be written",
        "Correct the target, or the rights of its connection; then run it again",
    )
    ALERTS_NOT_SENT = (
        "alerts-not-sent",
        "Alerts are not sent",
        "Correct the connection or the address of the receiver; the next run sends them",
    )
    PLAN_CHANGED = ("plan-changed", "The catch-up plan has changed", "Look at the new plan, and approve its hash")
    UNEXPECTED = (
        "unexpected",
        "Something else failed",
        "Run airflow staking doctor; if it finds nothing, report the log",
    )


_MAY_CHANGE = {Topic.HELD_WINDOW, Topic.HELD_FEE, Topic.UNKNOWN, Topic.NOT_TRIED}
"""The window closes, the fee falls or the day ends, the result is found, the era in the way is settled."""

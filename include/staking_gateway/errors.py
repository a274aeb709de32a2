"""Every error this package raises, in one tree; each carries a `Problem`."""

import copyreg
from collections.abc import Mapping
from enum import Enum
from typing import Any, ClassVar

from staking_gateway.problem import Problem, Topic


class StakingGatewayError(Exception):
    """Root of every error raised by `staking_gateway`. Errors can be copied and pickled with their attributes.

    :ivar may_change: the same task may end otherwise later, without a person and without another fee.
    :param facts: what is so, without a full stop.
    :param remedy: one that knows more than the topic's, without a full stop.
    :param about: what to open, as in `Problem`.
    """

    usual: ClassVar[Topic] = Topic.UNEXPECTED
    may_change = False

    def __init__(self, facts: str, *, topic: Topic | None = None, remedy: str = "", about: str = "") -> None:
        facts = facts if facts.endswith("..") else facts.removesuffix(".")
        topic = topic or self.usual
        self.problem = Problem(topic, facts, about, own_remedy="" if remedy == topic.remedy else remedy)
        super().__init__(f"{facts}. {remedy}" if remedy else facts)

    def __reduce__(self) -> tuple[object, ...]:
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


class InvalidInput(StakingGatewayError, ValueError):
    """A value was refused before anything was sent: the caller's name of it, its fault, which quotes no secret, and what to write."""

    usual = Topic.INPUT

    def __init__(self, field: str, fault: str, remedy: str, *, topic: Topic | None = None, about: str = "") -> None:
        self.field = field
        self.fault = fault
        super().__init__(f"{field}: {fault}", topic=topic, remedy=remedy, about=about)


class InvalidEra(InvalidInput):
    """The era is not an unsigned 32-bit number, or it cannot be paid."""


class EraNotEnded(InvalidEra):
    """The chain has not reached the end of the era yet. A later try may succeed."""

    usual = Topic.DRIFT
    may_change = True


class InvalidConnection(InvalidInput):
    """A connection field or a client setting cannot be used."""

    usual = Topic.CONNECTION_INVALID


class ConfigError(InvalidInput):
    """`staking.yaml` holds a mistake; `field` is its path in the file. Of several mistakes, each has a problem in `mistakes`."""

    usual = Topic.CONFIGURATION
    mistakes: tuple[Problem, ...] = ()


class SigningError(StakingGatewayError):
    """A proof could not be signed. The text never quotes a key."""

    usual = Topic.SIGNER


class SendAnswer(Enum):
    """What one send of a payout brought. The five refusals promise that this send was not accepted; LOST promises nothing.

    WINDOW: the election window is open. PAID: the era is paid already. NO_METHOD: the gateway has no payout method.
    DOOR: the gateway did not take the call, as with HTTP 429; the task is retried. REFUSED: every other refusal.
    """

    ACCEPTED = "accepted"
    LOST = "lost"
    WINDOW = "window"
    PAID = "paid"
    NO_METHOD = "no method"
    DOOR = "door"
    REFUSED = "refused"


class Failed(Enum):
    """How a call can fail, found by `http/meanings.py`: what it means for the send of a payout, whether the same read may succeed shortly after, and
    the facts of an error that has no others.
    """

    def __init__(self, sent: SendAnswer, passes: bool, topic: Topic, sentence: str, remedy: str = "") -> None:
        self.sent = sent
        self.passes = passes
        self.topic = topic
        self.sentence = sentence
        self.remedy = remedy

    @property
    def denies_method(self) -> bool:
        return self in (Failed.NO_METHOD, Failed.NO_PATH)

    @property
    def breaks_rules(self) -> bool:
        return self in (Failed.MALFORMED, Failed.TOO_LONG, Failed.OTHER_ID, Failed.WRONG_RESULT, Failed.NO_ERA)

    # --- no complete answer
    UNREACHABLE = (SendAnswer.DOOR, True, Topic.GATEWAY_UNREACHABLE, "the connection was never made")
    TIMEOUT = (SendAnswer.LOST, True, Topic.GATEWAY_UNREACHABLE, "no answer within the time limit")
    BROKEN = (SendAnswer.LOST, True, Topic.GATEWAY_UNREACHABLE, "the connection broke before the answer")
    # --- HTTP statuses
    NO_TOKEN = (SendAnswer.DOOR, False, Topic.TOKEN_REFUSED, "the access token is missing")
    BAD_TOKEN = (SendAnswer.DOOR, False, Topic.TOKEN_REFUSED, "the access token is wrong, too old or too new")
    TOO_MANY = (SendAnswer.DOOR, True, Topic.RATE_LIMITED, "too many calls")
    MOVED = (SendAnswer.DOOR, False, Topic.GATEWAY_WRONG, "the gateway has moved to another address")
    REDIRECTED = (SendAnswer.LOST, False, Topic.GATEWAY_WRONG, "the gateway redirects to another address")
    NO_PATH = (SendAnswer.DOOR, False, Topic.GATEWAY_WRONG, "the server has no such path or method")
    NOT_TAKEN = (SendAnswer.DOOR, False, Topic.GATEWAY_WRONG, "the server does not take such a call")
    TOO_EARLY = (SendAnswer.LOST, True, Topic.GATEWAY_WRONG, "the server did not wait for the call")
    FAILED = (SendAnswer.LOST, True, Topic.GATEWAY_FAILS, "the gateway failed, and may have processed the call")
    ODD_STATUS = (SendAnswer.LOST, False, Topic.GATEWAY_WRONG, "a gateway does not answer like this")
    # --- answers that the interface document does not allow
    MALFORMED = (SendAnswer.LOST, True, Topic.GATEWAY_WRONG, "the answer is not a JSON-RPC 2.0 response")
    TOO_LONG = (SendAnswer.LOST, True, Topic.GATEWAY_WRONG, "the answer is too long")
    OTHER_ID = (SendAnswer.LOST, True, Topic.GATEWAY_WRONG, "the answer belongs to another request")
    WRONG_RESULT = (SendAnswer.LOST, True, Topic.GATEWAY_WRONG, "the result has the wrong type or value")
    NO_ERA = (*(SendAnswer.LOST, True, Topic.GATEWAY_FAILS), "active era 0 also means that the gateway has no data yet")
    WITHDRAWN = (SendAnswer.LOST, True, Topic.GATEWAY_FAILS, "the gateway denies a method it has answered before")
    DOUBTFUL_ERA = (SendAnswer.DOOR, False, Topic.DRIFT, "the active era is too far from the calendar's")
    # --- JSON-RPC errors
    UNREADABLE = (SendAnswer.REFUSED, False, Topic.GATEWAY_FAILS, "the gateway could not read the request")
    INVALID_REQUEST = (SendAnswer.REFUSED, False, Topic.GATEWAY_FAILS, "the gateway refuses the request")
    WINDOW = (SendAnswer.WINDOW, False, Topic.HELD_WINDOW, "the election window is open; nothing was submitted")
    PAID = (SendAnswer.PAID, False, Topic.GATEWAY_FAILS, "the era has nothing unpaid")
    NO_METHOD = (SendAnswer.NO_METHOD, False, Topic.UNSUPPORTED, "this gateway has no such method")
    INVALID_PARAMETER = (SendAnswer.REFUSED, False, Topic.GATEWAY_FAILS, "a parameter was refused")
    OTHER_SPELLING = (
        *(SendAnswer.NO_METHOD, False, Topic.UNSUPPORTED, "the gateway spells the payout method differently"),
        "Set payout_method in the extras of the gateway connection to this gateway's spelling. "
        "Write proxyPayoutStakers instead of proxyPayoutstakers, or the other way round",
    )
    CURRENCY = (
        *(SendAnswer.REFUSED, False, Topic.GATEWAY_FAILS, "this gateway charges its fees in another currency"),
        "Ask the gateway's operator for fees in the chain's own token: fee proofs with a currency cannot be signed",
    )
    PAYER_TWICE = (
        *(SendAnswer.REFUSED, False, Topic.CONNECTION_INVALID, "token and fee proof both name a payer"),
        "Use an access token that names no payer: remove bearer_payer from the gateway connection",
    )
    REFUSED = (SendAnswer.REFUSED, False, Topic.GATEWAY_FAILS, "the gateway refuses the request for good")
    INTERNAL = (SendAnswer.LOST, True, Topic.GATEWAY_FAILS, "the gateway failed, and may have accepted the call")
    # --- nodes of the chain: such calls submit nothing, and each error tells its own facts
    NODE_UNREACHABLE = (SendAnswer.DOOR, True, Topic.NODE, "", "Check that the node runs, or raise timeout")
    NODE_REFUSED = (SendAnswer.DOOR, True, Topic.NODE, "", "Ask again, or use a node with more of the chain's state")
    NODE_ANSWER = (SendAnswer.DOOR, True, Topic.NODE, "", "Check that Host is a Substrate node of a staking chain")
    NODE_NO_ERA = (SendAnswer.DOOR, True, Topic.NODE, "", "Ask again after the start of the chain's first era")
    OTHER_CHAIN = (
        *(SendAnswer.DOOR, False, Topic.NODE, ""),
        "Set Host to the right chain's node, or correct genesis_hash",
    )
    NODE_UNSUPPORTED = (SendAnswer.DOOR, False, Topic.NODE, "", "Set Host to a node of the chain that stakes")


class GatewayError(StakingGatewayError):
    """A call failed.

    :param facts: empty: the sentence of `how`.
    :param status: HTTP status, of an answer that is not JSON-RPC; `code`: `error.code` of a JSON-RPC error.
    :param gateway_error: text of a JSON-RPC error: `error.data.gatewayError`, else `error.message`; cleaned.
    :param retry_after: seconds that the server asks to wait.
    """

    usual_how: ClassVar[Failed] = Failed.INTERNAL

    def __init__(
        self,
        facts: str = "",
        *,
        method: str = "",
        how: Failed | None = None,
        remedy: str = "",
        status: int | None = None,
        code: int | None = None,
        gateway_error: str = "",
        retry_after: float | None = None,
    ) -> None:
        self.method = method
        self.how = how or self.usual_how
        self.status = status
        self.code = code
        self.gateway_error = gateway_error
        self.retry_after = retry_after
        facts = ": ".join(filter(None, (method, facts or self.how.sentence)))
        super().__init__(facts, topic=self.how.topic, remedy=remedy or self.how.remedy)


class ElectionWindowOpen(GatewayError):
    """The era election window is open, and nothing was submitted. Send again after it has closed."""

    usual_how = Failed.WINDOW


class ConnectionLost(GatewayError):
    """The connection broke before the answer was complete; the call may have been accepted."""

    usual_how = Failed.BROKEN


def call_failed(how: Failed, facts: str = "", **data: object) -> GatewayError:
    """`GatewayError`, or its class for the row; the arguments are those of `GatewayError`."""
    kind = {Failed.WINDOW: ElectionWindowOpen, Failed.BROKEN: ConnectionLost}.get(how, GatewayError)
    return kind(facts, how=how, **data)  # type: ignore[arg-type]


def may_pass(error: BaseException) -> bool:
    """Whether the same read may succeed shortly after, as it may after HTTP 429, 5xx or no answer."""
    return isinstance(error, GatewayError) and error.how.passes


class ChainError(GatewayError):
    """A call to a node of the chain failed. Such calls submit nothing."""

    usual_how = Failed.NODE_UNREACHABLE


class LedgerError(StakingGatewayError):
    """The ledger cannot be opened, read or written."""

    usual = Topic.LEDGER


class LedgerConflict(LedgerError):
    """The record changed since it was read. Read it again."""


class EraNotPaid(StakingGatewayError):
    """An era was not paid. Its `outcome` is as `EraOutcome.as_dict` gives it."""

    def __init__(self, outcome: Mapping[str, Any], *, may_change: bool = False) -> None:
        self.may_change = may_change
        self.reason = str(outcome["reason"])
        facts = f"Era {outcome['era']} of {outcome['network']} ended {outcome['outcome']}: {self.reason}"
        super().__init__(facts, topic=Topic.of(outcome["topic"]), about=f"era {outcome['era']}")


def accounts_differ(accounts: Mapping[str, str], *, era: int | None, fault: str) -> StakingGatewayError:
    """The error about accounts that are in another staking status than the configured one, or could not be checked, by their status."""
    shown = ", ".join(f"{account}: {found}" for account, found in list(accounts.items())[:10])
    more = f" and {len(accounts) - 10} more" if len(accounts) > 10 else ""
    start = "" if era is None else f"Era {era}: "
    return StakingGatewayError(f"{start}{len(accounts)} accounts {fault}: {shown}{more}", topic=Topic.ACCOUNTS)

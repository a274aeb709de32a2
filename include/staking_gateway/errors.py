"""Every error this package raises, in one tree.

    StakingGatewayError
    ├── InvalidInput (ValueError)      refused before anything is sent: .field, .remedy
    │   ├── InvalidAccount             not an SS58 address or a 0x public key
    │   ├── InvalidEra                 not a number, or an era that cannot be paid
    │   │   └── EraNotEnded            the chain has not reached its end yet
    │   ├── InvalidConnection          base URL, token or an extra of a connection
    │   │   └── NodeMissing            the gateway's connection names no node
    │   ├── ConfigError                staking.yaml: .field is the path in the file
    │   │   └── NetworkUnknown         staking.yaml has no such network
    │   └── PlanChanged                the plan is not the approved one: .changes
    ├── SigningError                   no usable key, or the signer refused
    │   └── KeyMismatch                the key belongs to another account
    ├── ConnectionMissing              Airflow has no connection of that name: .problem
    ├── GatewayError                   a call was made: .method, .fate
    │   ├── TransportError             no complete answer
    │   │   ├── GatewayUnreachable     the connection was never made
    │   │   ├── GatewayTimeout         no answer in time
    │   │   └── ConnectionLost         the connection broke before the answer was complete
    │   ├── HttpError                  an answer that is not JSON-RPC: .status, .retry_after
    │   │   ├── Unauthorized           401: no token
    │   │   ├── Forbidden              403: a bad or aged token
    │   │   ├── RateLimited            429
    │   │   ├── RedirectRefused        3xx
    │   │   ├── GatewayUnavailable     5xx
    │   │   └── UnexpectedStatus       anything else
    │   ├── ProtocolError              an answer outside the interface document
    │   │   ├── MalformedResponse      not JSON, or not a JSON-RPC 2.0 response
    │   │   ├── ResponseTooLarge       longer than the limit
    │   │   ├── ResponseIdMismatch     the answer to another request
    │   │   └── UnexpectedResult       `result` has the wrong type or value
    │   │       └── EraUnknown         active era 0, which also means "no data"
    │   ├── ActiveEraDoubtful          the active era is too far from the calendar's
    │   ├── MethodWithdrawn            a method that worked before is denied
    │   ├── ChainError                 a call to a node of the chain failed: .node
    │   │   ├── NodeUnreachable        no complete answer in time
    │   │   ├── NodeRefused            the node answered with an error: .code
    │   │   ├── NodeAnswerInvalid      an answer of the wrong form, type or size
    │   │   ├── EraNotBegun            the chain has no active era yet
    │   │   ├── WrongChain             the node belongs to another chain
    │   │   └── ChainUnsupported       no Substrate node, or a runtime that cannot be read
    │   └── RpcError                   a JSON-RPC error: .code, .message, .gateway_error, .request
    │       ├── RpcParseError          -32700
    │       ├── RpcInvalidRequest      -32600
    │       │   └── ElectionWindowOpen the election window is open
    │       ├── RpcMethodNotFound      -32601
    │       ├── RpcInvalidParams       -32602
    │       │   └── TransactionTypeRefused the gateway has another name for the payout method: .remedy
    │       ├── RpcRefused             -32603 or an unlisted code, with the text of a permanent refusal
    │       └── RpcInternalError       -32603 and every other code
    ├── LedgerError                    the ledger cannot be opened, read or written
    │   ├── LedgerConflict             the record changed since it was read
    │   └── LedgerMismatch             it is not the ledger that pays: .identity, .recorded
    ├── EraNotPaid                     an era was not paid: .era, .outcome
    ├── ErasNotPaid                    a catch-up left eras unpaid: .outcomes
    ├── BooksDiffer                    ledger, gateway and chain disagree: .differences
    ├── ExportError                    a file of an export cannot be written: .path
    └── AccountsNotStaking             accounts are in the wrong staking status: .accounts

`GatewayError.fate` says what a failed call means for a payout. `Fate.NOT_ACCEPTED`: nothing was submitted.
`Fate.UNKNOWN`: the gateway may have accepted it. Then only the same payload may be sent again.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from staking_gateway.problem import Problem, Topic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Fate(Enum):
    """Whether the gateway may have accepted a payout whose call failed."""

    NOT_ACCEPTED = "not accepted"
    UNKNOWN = "unknown"


class StakingGatewayError(Exception):
    """Root of every error raised by `staking_gateway`. Errors can be copied and pickled with their attributes.

    :ivar topic: the section of the runbook with the remedy.
    :ivar remedy: what to do about this very error; empty: the remedy of the topic.
    :ivar about: what to open, see `Problem.about`.
    """

    topic: Topic = Topic.UNEXPECTED
    remedy: str = ""
    about: str = ""

    def as_problem(self) -> Problem:
        """What is wrong, and what to do."""
        own = "" if self.advice == self.topic.remedy else self.advice
        return Problem(self.topic, self.what, self.about, own_remedy=own)

    @property
    def what(self) -> str:
        """The text without the remedy."""
        return self._halves()[0].rstrip(". ")

    @property
    def advice(self) -> str:
        """What to do."""
        return self._halves()[1] or self.topic.remedy

    def _halves(self) -> tuple[str, str]:
        return str(self).removesuffix(self.remedy), self.remedy

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.args, self.__dict__)


def _sentences(error: StakingGatewayError) -> tuple[str, str]:
    """Text and remedy of an error in our own words: the remedy begins with the second sentence, unless the error has one."""
    if error.remedy:
        return str(error).removesuffix(error.remedy), error.remedy
    what, _, remedy = str(error).partition(". ")
    return what, remedy


def _rebuild(
    kind: type[StakingGatewayError], args: tuple[object, ...], state: dict[str, object]
) -> StakingGatewayError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class InvalidInput(StakingGatewayError, ValueError):
    """A value was refused before anything was sent.

    :param field: the caller's name of the value.
    :param problem: the fault of the value. Never quotes a secret.
    :param remedy: the value to write instead.
    """

    topic = Topic.INPUT

    def __init__(self, field: str, problem: str, remedy: str) -> None:
        self.field = field
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{field}: {problem}. {remedy}")


class InvalidAccount(InvalidInput):
    """The text is neither an SS58 address nor a public key."""


class InvalidEra(InvalidInput):
    """The era is not an unsigned 32-bit number, or it cannot be paid."""


class EraNotEnded(InvalidEra):
    """The chain has not reached the end of the era yet. A later try may succeed."""

    topic = Topic.DRIFT


class InvalidConnection(InvalidInput):
    """A connection field or a client setting cannot be used."""

    topic = Topic.CONNECTION_INVALID


class NodeMissing(InvalidConnection):
    """The gateway's connection names no node of the chain."""

    topic = Topic.NO_NODE


class ConfigError(InvalidInput):
    """`staking.yaml` holds a mistake; `field` is its path in the file."""

    topic = Topic.CONFIGURATION


class NetworkUnknown(ConfigError):
    """`staking.yaml` has no network of this name."""


class PlanChanged(InvalidInput):
    """The catch-up plan is not the approved one.

    :ivar changes: one line per change.
    """

    topic = Topic.PLAN_CHANGED

    def __init__(self, changes: Sequence[str], *, plan_hash: str) -> None:
        super().__init__(
            "approve", f"the plan has changed: {'; '.join(changes)}", f"Check the new plan, and approve {plan_hash}"
        )
        self.changes = tuple(changes)


class SigningError(StakingGatewayError):
    """A proof could not be signed. The text never quotes a key.

    :param about: the account or the connection of the signer; empty: unknown.
    """

    topic = Topic.SIGNER

    def __init__(self, text: str, *, about: str = "") -> None:
        self.about = about
        super().__init__(text)


class KeyMismatch(SigningError):
    """The signing key belongs to another account than the configured one.

    :param field: the role of the account, or the field of the key.
    :param own: the account of the key; `expected` is the configured one.
    """

    topic = Topic.WRONG_KEY
    remedy = topic.remedy

    def __init__(self, field: str, own: object, expected: object) -> None:
        super().__init__(
            f"{field}: the key belongs to {own}, not to {expected}. {self.topic.remedy}", about=str(expected)
        )


class GatewayError(StakingGatewayError):
    """A call to the gateway failed.

    :param method: JSON-RPC method of the call.
    :param fate: whether the gateway may have accepted the payout, if the call was one.
    """

    topic = Topic.GATEWAY_FAILS

    fate: Fate = Fate.UNKNOWN

    def __init__(self, message: str, *, method: str, fate: Fate | None = None) -> None:
        self.method = method
        if fate is not None:
            self.fate = fate
        super().__init__(f"{method}: {message}")


class TransportError(GatewayError):
    """No complete answer arrived."""

    topic = Topic.GATEWAY_UNREACHABLE


class GatewayUnreachable(TransportError):
    """The connection was never made, so nothing was sent."""

    fate = Fate.NOT_ACCEPTED


class GatewayTimeout(TransportError):
    """The gateway did not answer in time; it may still have accepted the call."""


class ConnectionLost(TransportError):
    """The connection broke before the answer was complete; the call may have been accepted."""


class HttpError(GatewayError):
    """The answer has an HTTP error status. In most subclasses, the text after the first colon is part of the message.

    :param status: HTTP status code.
    :param retry_after: seconds of the `Retry-After` header, or None.
    """

    def __init__(
        self, message: str, *, method: str, status: int, fate: Fate | None = None, retry_after: float | None = None
    ) -> None:
        self.status = status
        self.retry_after = retry_after
        super().__init__(f"HTTP {status}: {message}", method=method, fate=fate)


class Unauthorized(HttpError):
    """HTTP 401: the access token is missing. Set the connection's password to an issued token."""

    topic = Topic.TOKEN_REFUSED

    fate = Fate.NOT_ACCEPTED


class Forbidden(HttpError):
    """HTTP 403: the access token is wrong or too old, or this machine's clock is off."""

    topic = Topic.TOKEN_REFUSED

    fate = Fate.NOT_ACCEPTED


class RateLimited(HttpError):
    """HTTP 429: too many calls."""

    topic = Topic.RATE_LIMITED

    fate = Fate.NOT_ACCEPTED


class RedirectRefused(HttpError):
    """HTTP 3xx: the gateway redirects to another address. Payouts go to the configured address only."""

    topic = Topic.GATEWAY_WRONG


class GatewayUnavailable(HttpError):
    """HTTP 5xx: the gateway failed, and may have processed the call."""


class UnexpectedStatus(HttpError):
    """Any other HTTP status: a gateway does not answer like this; check the base URL and the paths."""

    topic = Topic.GATEWAY_WRONG


class ProtocolError(GatewayError):
    """The interface document does not allow the answer."""

    topic = Topic.GATEWAY_WRONG


class MalformedResponse(ProtocolError):
    """The body is not a JSON-RPC 2.0 response."""


class ResponseTooLarge(ProtocolError):
    """The body is longer than the client's limit."""


class ResponseIdMismatch(ProtocolError):
    """The answer carries the id of another request."""


class UnexpectedResult(ProtocolError):
    """`result` has the wrong type or value; an error text may have arrived in its place."""


class EraUnknown(UnexpectedResult):
    """The gateway answered active era 0, which also means "no data"."""

    topic = Topic.GATEWAY_FAILS


class ActiveEraDoubtful(GatewayError):
    """The gateway's active era is too far from the calendar's to be believed; nothing was sent."""

    topic = Topic.DRIFT

    fate = Fate.NOT_ACCEPTED


class ChainError(GatewayError):
    """A call to a node of the chain failed. Such calls submit nothing.

    :param node: the node's address, without path and query.
    :param method: JSON-RPC method of the call.
    """

    topic = Topic.NODE

    fate = Fate.NOT_ACCEPTED

    def __init__(self, message: str, *, node: str, method: str) -> None:
        self.node = node
        super().__init__(f"node {node}: {message}", method=method)


class NodeUnreachable(ChainError):
    """The node gave no complete answer in time."""


class NodeRefused(ChainError):
    """The node answered with a JSON-RPC error object.

    :param code: `error.code`.
    """

    def __init__(self, message: str, *, node: str, method: str, code: int) -> None:
        self.code = code
        super().__init__(message, node=node, method=method)


class NodeAnswerInvalid(ChainError):
    """The answer has the wrong form, type or size."""


class EraNotBegun(ChainError):
    """The chain has a staking pallet, but no active era yet."""


class WrongChain(ChainError):
    """The node belongs to another chain than the connection names."""


class ChainUnsupported(ChainError):
    """The server is not a Substrate node, or its runtime is unreadable or has no known staking pallet."""


class RpcError(GatewayError):
    """The gateway answered with a JSON-RPC error object.

    :param code: `error.code`.
    :param rpc_message: `error.message`.
    :param gateway_error: `error.data.gatewayError`, or None.
    :param request: `error.data.request`, the request as the gateway received it, or None.
    :param transaction_type: the payout method as the call spelled it, or None.

    The texts are those of the gateway, cleaned by `staking_gateway.http.foreign_text.ForeignTexts`.
    """

    fate = Fate.NOT_ACCEPTED

    def __init__(
        self,
        *,
        method: str,
        code: int,
        rpc_message: str,
        gateway_error: str | None = None,
        request: str | None = None,
        transaction_type: str | None = None,
    ) -> None:
        self.code = code
        self.message = rpc_message
        self.gateway_error = gateway_error
        self.request = request
        self.transaction_type = transaction_type
        detail = f" ({gateway_error[:300]})" if gateway_error else ""
        used = f"; the call said {transaction_type}" if transaction_type else ""
        remedy = f". {self.remedy}" if self.remedy else ""
        super().__init__(f"JSON-RPC error {code}: {rpc_message[:300]}{detail}{used}{remedy}", method=method)


class RpcParseError(RpcError):
    """-32700: the gateway could not read the request."""


class RpcInvalidRequest(RpcError):
    """-32600: the gateway refuses the request; `gateway_error` holds the reason."""


class ElectionWindowOpen(RpcInvalidRequest):
    """The era election window is open, and nothing was submitted. Send again after it has closed."""

    topic = Topic.HELD_WINDOW


class RpcMethodNotFound(RpcError):
    """-32601: this gateway has no such method."""

    topic = Topic.UNSUPPORTED


class MethodWithdrawn(GatewayError):
    """The gateway denies a method (-32601, 404, 405) that it answered shortly before."""

    topic = Topic.GATEWAY_FAILS


class RpcInvalidParams(RpcError):
    """-32602: a parameter was refused."""


class TransactionTypeRefused(RpcInvalidParams):
    """The gateway does not know the payout method under the configured name. Set the extra `payout_method`."""

    topic = Topic.UNSUPPORTED

    remedy = (
        "Set payout_method in the extras of the gateway connection to this gateway's spelling. "
        "Write proxyPayoutStakers instead of proxyPayoutstakers, or the other way round"
    )


class RpcRefused(RpcError):
    """-32603 or an unlisted code: the gateway refuses the request permanently. Nothing was submitted."""


class RpcInternalError(RpcError):
    """-32603 or an unlisted code: the gateway failed during the call, and may have accepted it."""

    fate = Fate.UNKNOWN


class ConnectionMissing(StakingGatewayError):
    """Airflow gives no connection of that name: there is none, or a secrets backend does not answer.

    :param field: the argument, setting or extra that names the connection.
    :param problem: what Airflow reports.
    """

    topic = Topic.CONNECTION_MISSING
    _halves = _sentences

    def __init__(self, field: str, problem: str) -> None:
        self.problem = problem
        super().__init__(f"{field}: {problem}. {self.topic.remedy}")


class LedgerError(StakingGatewayError):
    """The ledger cannot be opened, read or written."""

    topic = Topic.LEDGER
    _halves = _sentences


class LedgerConflict(LedgerError):
    """The record changed since it was read. Read it again."""


class LedgerMismatch(LedgerError):
    """It is not the ledger that pays: a service, shell or machine has another setting or another file, or the ledger was replaced.

    :param ledger: its URL without password.
    :param identity: its identity; None: it does not exist yet, or its schema has no identity.
    :param recorded: the name of Airflow's Variable to the identity that it records.
    """

    def __init__(self, ledger: str, identity: str | None, recorded: Mapping[str, str]) -> None:
        self.identity = identity
        self.recorded = dict(recorded)
        own = "has no identity yet" if identity is None else f"has the identity {identity[:8]}"
        others = " and ".join(f"{value[:8]} (Airflow's Variable {name})" for name, value in recorded.items())
        self.remedy = (
            "Let all services and shells use one ledger: name its connection as ledger_conn_id in staking.yaml. Machines share a ledger in "
            "PostgreSQL; containers of one machine may also share the folder of an SQLite file. If this ledger replaces the recorded one "
            f"on purpose: {'; '.join(f'airflow variables delete {name}' for name in recorded)}"
        )
        super().__init__(f"The ledger at {ledger} {own}, and the ledger that pays has {others}. {self.remedy}")


class ExportError(StakingGatewayError):
    """A file of an export cannot be written. Complete files stay, and nothing has left the ledger.

    :param path: the file.
    :param problem: the text of the folder or store.
    """

    topic = Topic.EXPORT

    def __init__(self, path: str, problem: str) -> None:
        self.path = path
        self.remedy = "Correct target, or the rights of its connection; then run it again"
        super().__init__(f"target: {path} cannot be written: {problem}. {self.remedy}")


class EraNotPaid(StakingGatewayError):
    """An era was not paid.

    :param era: the era.
    :param outcome: name of the outcome, e.g. `REJECTED`.
    :param reason: the gateway's text, or the reason of this package.
    :param topic: anchor of the section of the runbook; None: that of the outcome.
    :param may_change: the same task may find another outcome later, without a person and without another fee.
    """

    may_change = False

    def __init__(
        self, *, network: str, era: int, outcome: str, reason: str, topic: str | None = None, may_change: bool = False
    ) -> None:
        self.topic = Topic.of(topic or outcome.lower())
        self.may_change = may_change
        self.network = network
        self.era = era
        self.outcome = outcome
        self.reason = reason
        super().__init__(f"Era {era} of {network} ended {outcome}: {reason}")


class ErasNotPaid(StakingGatewayError):
    """A catch-up left eras unpaid.

    :ivar outcomes: era to its outcome and reason.
    """

    topic = Topic.UNPAID

    def __init__(self, *, network: str, outcomes: Mapping[int, str]) -> None:
        shown = "; ".join(f"era {era}: {outcome}" for era, outcome in list(outcomes.items())[:5])
        more = f"; and {len(outcomes) - 5} more" if len(outcomes) > 5 else ""
        super().__init__(
            f"{len(outcomes)} {'era' if len(outcomes) == 1 else 'eras'} of {network} not paid: {shown}{more}. "
            "Fix the cause; the next run pays all eras that are still payable"
        )
        self.network = network
        self.outcomes = dict(outcomes)


class BooksDiffer(StakingGatewayError):
    """Ledger, gateway and chain disagree about eras.

    :param differences: one sentence per difference, which names both sides; at most 100 are kept.
    """

    topic = Topic.BOOKS
    remedy = topic.remedy

    def __init__(self, *, network: str, differences: Sequence[str]) -> None:
        self.network = network
        self.differences = tuple(differences[:100])
        more = f"; and {len(differences) - 5} more" if len(differences) > 5 else ""
        found = f"{len(differences)} {'difference' if len(differences) == 1 else 'differences'}"
        super().__init__(f"{network} has {found}: {'; '.join(differences[:5])}{more}. {self.remedy}")


class AccountsNotStaking(StakingGatewayError):
    """Accounts are in another staking status than the configured one, or could not be checked.

    :param era: the era of the check, or None.
    :param accounts: account to its status; at most 100 are kept.
    :param problem: the predicate of the message.
    """

    topic = Topic.ACCOUNTS

    def __init__(
        self, *, era: int | None, accounts: Mapping[str, str], problem: str = "are in the wrong state"
    ) -> None:
        self.era = era
        self.accounts = dict(list(accounts.items())[:100])
        shown = ", ".join(f"{account}: {found}" for account, found in list(accounts.items())[:10])
        more = f" and {len(accounts) - 10} more" if len(accounts) > 10 else ""
        start = "" if era is None else f"Era {era}: "
        super().__init__(f"{start}{len(accounts)} accounts {problem}: {shown}{more}")

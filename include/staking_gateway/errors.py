"""Every error this package raises, in one tree.

    StakingGatewayError
    ├── InvalidInput (ValueError)      refused before anything is sent: .field, .remedy
    │   ├── InvalidAccount             not an SS58 address or a 0x public key
    │   ├── InvalidEra                 not a number, or an era that cannot be paid
    │   ├── InvalidConnection          base URL, token or an extra of a connection
    │   ├── ConfigError                staking.yaml: .field is the path in the file
    │   └── PlanChanged                an approved plan is not what would be done now: .changes
    ├── SigningError                   no usable key, or the signer refused
    │   └── KeyMismatch                the key belongs to another account
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
    │   ├── ProtocolError              an answer the interface document does not allow
    │   │   ├── MalformedResponse      not JSON, or not a JSON-RPC 2.0 response
    │   │   ├── ResponseTooLarge       longer than the limit
    │   │   ├── ResponseIdMismatch     the answer to another request
    │   │   └── UnexpectedResult       `result` has the wrong type or value
    │   │       └── EraUnknown         active era 0, which also means "no data"
    │   ├── MethodWithdrawn            a method is denied that was answered before
    │   ├── ChainError                 a node of the chain was asked instead: .node
    │   │   ├── NodeUnreachable        no complete answer in time
    │   │   ├── NodeRefused            the node answered with an error: .code
    │   │   ├── NodeAnswerInvalid      an answer of the wrong form, type or size
    │   │   ├── EraNotBegun            the chain has no active era yet
    │   │   ├── WrongChain             the node belongs to another chain
    │   │   └── ChainUnsupported       no Substrate node, or a runtime that cannot be read
    │   └── RpcError                   a JSON-RPC error: .code, .message, .gateway_error, .request
    │       ├── RpcParseError          -32700
    │       ├── RpcInvalidRequest      -32600
    │       │   └── ElectionWindowOpen the one refusal the interface document names
    │       ├── RpcMethodNotFound      -32601
    │       ├── RpcInvalidParams       -32602
    │       │   └── TransactionTypeRefused the gateway spells the payout method in another way: .remedy
    │       ├── RpcRefused             -32603 or an unlisted code, with the text of a permanent refusal
    │       └── RpcInternalError       -32603 and every other code
    ├── LedgerError                    the ledger cannot be opened, read or written
    │   └── LedgerConflict             somebody else changed the record first
    ├── EraNotPaid                     an era ended in an outcome that is not green: .era, .outcome
    ├── ErasNotPaid                    a catch-up left eras unpaid: .outcomes
    └── AccountsNotStaking             accounts are not in the staking status they must have: .accounts

`GatewayError.fate` says what a failed call means for a payout: `Fate.NOT_ACCEPTED` is a promise that nothing was
submitted; `Fate.UNKNOWN` means it may have been, and the same payload may be replayed but never signed anew.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Fate(Enum):
    """What may have become of a payout whose call failed."""

    NOT_ACCEPTED = "not accepted"
    UNKNOWN = "unknown"


class StakingGatewayError(Exception):
    """Root of every error raised by `staking_gateway`. All of them can be copied and pickled, with what they carry."""

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.args, self.__dict__)


def _rebuild(
    kind: type[StakingGatewayError], args: tuple[object, ...], state: dict[str, object]
) -> StakingGatewayError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class InvalidInput(StakingGatewayError, ValueError):
    """A value was refused before anything was sent.

    :param field: the name of the value, as the caller knows it.
    :param problem: what is wrong with it. Never quotes a secret.
    :param remedy: what to write instead.
    """

    def __init__(self, field: str, problem: str, remedy: str) -> None:
        self.field = field
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{field}: {problem}. {remedy}")


class InvalidAccount(InvalidInput):
    """The text is neither an SS58 address nor a public key."""


class InvalidEra(InvalidInput):
    """The era is not an unsigned 32-bit number, or it cannot be paid."""


class InvalidConnection(InvalidInput):
    """A connection field or a client setting cannot be used."""


class ConfigError(InvalidInput):
    """`staking.yaml` holds a mistake; `field` is its path in the file."""


class PlanChanged(InvalidInput):
    """An approved plan is not what would be done now.

    :ivar changes: what has changed since, one line each.
    """

    def __init__(self, changes: Sequence[str], *, plan_hash: str) -> None:
        told = "; ".join(changes)
        super().__init__("approve", f"the plan has changed: {told}", f"Look at the new one, and approve {plan_hash}")
        self.changes = tuple(changes)


class SigningError(StakingGatewayError):
    """A proof could not be signed. The text never quotes key material."""


class KeyMismatch(SigningError):
    """The signing key belongs to another account than the configured one."""


class GatewayError(StakingGatewayError):
    """A call to the gateway failed.

    :param method: JSON-RPC method of the call.
    :param fate: what the failure means if the call was a payout.
    """

    fate: Fate = Fate.UNKNOWN

    def __init__(self, message: str, *, method: str, fate: Fate | None = None) -> None:
        self.method = method
        if fate is not None:
            self.fate = fate
        super().__init__(f"{method}: {message}")


class TransportError(GatewayError):
    """No complete answer arrived."""


class GatewayUnreachable(TransportError):
    """The connection was never made, so nothing was sent."""

    fate = Fate.NOT_ACCEPTED


class GatewayTimeout(TransportError):
    """The gateway did not answer in time; it may still have accepted the call."""


class ConnectionLost(TransportError):
    """The connection broke before the answer was complete; the call may have been accepted."""


class HttpError(GatewayError):
    """The gateway's front door answered instead of the JSON-RPC service.

    :param status: HTTP status code.
    :param retry_after: seconds to wait as told by the `Retry-After` header, if any.
    """

    def __init__(
        self, message: str, *, method: str, status: int, fate: Fate | None = None, retry_after: float | None = None
    ) -> None:
        self.status = status
        self.retry_after = retry_after
        super().__init__(f"HTTP {status}: {message}", method=method, fate=fate)


class Unauthorized(HttpError):
    """HTTP 401: the access token is missing. Set the connection's password to an issued token."""

    fate = Fate.NOT_ACCEPTED


class Forbidden(HttpError):
    """HTTP 403: the access token is wrong or too old, or this machine's clock is off."""

    fate = Fate.NOT_ACCEPTED


class RateLimited(HttpError):
    """HTTP 429: too many calls."""

    fate = Fate.NOT_ACCEPTED


class RedirectRefused(HttpError):
    """HTTP 3xx: the gateway pointed elsewhere; a payout is never sent to an address nobody configured."""


class GatewayUnavailable(HttpError):
    """HTTP 5xx: the call may or may not have reached the service."""


class UnexpectedStatus(HttpError):
    """Any other HTTP status: this is not how a gateway answers; check the base URL and the paths."""


class ProtocolError(GatewayError):
    """The answer is not one the interface document allows."""


class MalformedResponse(ProtocolError):
    """The body is not a JSON-RPC 2.0 response."""


class ResponseTooLarge(ProtocolError):
    """The body is longer than the client's limit."""


class ResponseIdMismatch(ProtocolError):
    """The answer carries the id of another request."""


class UnexpectedResult(ProtocolError):
    """`result` has the wrong type or value; an error text may have arrived in its place."""


class EraUnknown(UnexpectedResult):
    """The gateway answered active era 0, which it also does when it has no data."""


class ChainError(GatewayError):
    """A node of the chain could not tell what the gateway would else be asked for. Asking submits nothing.

    :param node: the node's address, without path and query.
    :param method: JSON-RPC method of the call.
    """

    fate = Fate.NOT_ACCEPTED

    def __init__(self, message: str, *, node: str, method: str) -> None:
        from staking_gateway.text import one_line

        self.node = node
        super().__init__(f"node {node}: {one_line(message)}", method=method)


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
    """This is no Substrate node, or its runtime cannot be read or has no staking pallet that is known here."""


class RpcError(GatewayError):
    """The gateway answered with a JSON-RPC error object.

    :param code: `error.code`.
    :param rpc_message: `error.message`.
    :param gateway_error: `error.data.gatewayError`, or None.
    :param request: `error.data.request`, the submitted request as the gateway saw it, or None.

    Gateways repeat the request and its signatures in these texts. So every signature is removed from them.
    """

    fate = Fate.NOT_ACCEPTED
    remedy = ""

    def __init__(
        self, *, method: str, code: int, rpc_message: str, gateway_error: str | None = None, request: str | None = None
    ) -> None:
        from staking_gateway.text import one_line, without_signatures

        self.code = code
        self.message = without_signatures(rpc_message)
        self.gateway_error = None if gateway_error is None else without_signatures(gateway_error)
        self.request = None if request is None else without_signatures(request)
        # The text of this error goes to logs and terminals, so it is one line. The attributes keep the line breaks.
        detail = f" ({one_line(self.gateway_error[:300])})" if self.gateway_error else ""
        remedy = f". {self.remedy}" if self.remedy else ""
        super().__init__(f"JSON-RPC error {code}: {one_line(self.message[:300])}{detail}{remedy}", method=method)


class RpcParseError(RpcError):
    """-32700: the gateway could not read the request."""


class RpcInvalidRequest(RpcError):
    """-32600: the gateway refuses the request; `gateway_error` says why."""


class ElectionWindowOpen(RpcInvalidRequest):
    """The era election window is open: nothing was submitted, ask again when it has closed."""


class RpcMethodNotFound(RpcError):
    """-32601: this gateway has no such method."""


class MethodWithdrawn(GatewayError):
    """A read is denied as if the gateway did not have it (-32601, 404, 405), though it has answered it not long before."""


class RpcInvalidParams(RpcError):
    """-32602: a parameter was refused."""


class TransactionTypeRefused(RpcInvalidParams):
    """The gateway does not know the payout method under the configured name. Set the extra `payout_method`."""

    remedy = (
        "Set payout_method in the extras of the gateway connection to this gateway's spelling. "
        "Write proxyPayoutStakers instead of proxyPayoutstakers, or the other way round"
    )


class RpcRefused(RpcError):
    """-32603 or an unlisted code: the text says that the gateway refuses the request for good. Nothing was submitted."""


class RpcInternalError(RpcError):
    """-32603 or an unlisted code: the gateway failed while it worked on the call, which may have gone through."""

    fate = Fate.UNKNOWN


class LedgerError(StakingGatewayError):
    """The ledger cannot be opened, read or written."""


class LedgerConflict(LedgerError):
    """The record changed since it was read; read it again and decide anew."""


class EraNotPaid(StakingGatewayError):
    """An era ended in an outcome that is not green.

    :param era: the era.
    :param outcome: name of the outcome, e.g. `REJECTED`.
    :param reason: why, in the gateway's words where there are any.
    """

    def __init__(self, *, network: str, era: int, outcome: str, reason: str) -> None:
        self.network = network
        self.era = era
        self.outcome = outcome
        self.reason = reason
        super().__init__(f"Era {era} of {network} ended {outcome}: {reason}")


class ErasNotPaid(StakingGatewayError):
    """A catch-up left eras unpaid.

    :ivar outcomes: era to its outcome and reason.
    """

    def __init__(self, *, network: str, outcomes: Mapping[int, str]) -> None:
        told = "; ".join(f"era {era}: {outcome}" for era, outcome in list(outcomes.items())[:5])
        more = f"; and {len(outcomes) - 5} more" if len(outcomes) > 5 else ""
        super().__init__(
            f"{len(outcomes)} {'era' if len(outcomes) == 1 else 'eras'} of {network} not paid: {told}{more}. "
            "Mend the cause; the next run goes on with all that can still be paid"
        )
        self.network = network
        self.outcomes = dict(outcomes)


class AccountsNotStaking(StakingGatewayError):
    """Accounts do not have the staking status the configuration expects of them, or could not be checked.

    :param era: the era they were checked in; None: for no era.
    :param accounts: account to what was found, for at most a hundred of them.
    :param problem: what is said of them.
    """

    def __init__(self, *, era: int | None, accounts: Mapping[str, str], problem: str = "are not as expected") -> None:
        self.era = era
        self.accounts = dict(list(accounts.items())[:100])
        shown = ", ".join(f"{account}: {found}" for account, found in list(accounts.items())[:10])
        more = f" and {len(accounts) - 10} more" if len(accounts) > 10 else ""
        start = "" if era is None else f"Era {era}: "
        super().__init__(f"{start}{len(accounts)} accounts {problem}: {shown}{more}")

"""JSON-RPC over one connection: questions that do not wait for each other's answers travel together, as one batch.

Of several answers nobody promises an order (JSON-RPC 2.0, section 6), so that they are told apart by their ids, strictly. A node
may refuse batches: polkadot-sdk has `--rpc-disable-batch-requests` and `--rpc-max-batch-request-len`, and what stands before a node
may know single requests only. Then it is asked one question at a time.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from staking_gateway.chain.wire import AnswerTooLong, AnswerUnusable, WireError, WireTimeout

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from staking_gateway.chain.wire import Wire

_REFUSALS = (400, 405, 413, 415, 422, 500, 501)
"""What answers a batch with one of these may still answer a single request. Others say something of the node or of the load."""
_NO_RPC = "the answer is not JSON-RPC. Check that Host is a Substrate node"


@dataclass(frozen=True)
class Question:
    """One call.

    :param expect: types its result may have.
    """

    method: str
    params: tuple[Any, ...]
    expect: tuple[type, ...]


class Exchange:
    """Asks over one connection, from one thread at a time.

    :param ids: numbers for the calls, none of them used before over this connection.
    :param notified: the other end may send news unasked, which are passed over.
    :param together: begin with batches.
    """

    def __init__(self, wire: Wire, ids: Iterator[int], *, notified: bool, together: bool) -> None:
        self._wire = wire
        self._ids = ids
        self._notified = notified
        self._together = together
        self.proven = False
        """A batch was answered."""
        self.doubted = False
        """A batch went wrong in a way that need not be its fault but may be; the next connection had better do without."""
        self.passed_over = False
        """The first batch met silence, as of a node that knows none."""

    def ask(self, questions: Sequence[Question], *, together: bool = True) -> list[dict[str, Any]]:
        """The answers, in the order of the questions; each has an `error` or a `result`.

        :param together: allow a batch.
        :raises WireError: not all of them were answered. The connection is of no use then.
        """
        if together and self._together and len(questions) > 1:
            answers = self._ask_together(questions)
            if answers is not None:
                return answers
            self._together = False
        return [self._ask_alone(question) for question in questions]

    def close(self) -> None:
        """Hang up."""
        self._wire.close()

    def _ask_alone(self, question: Question) -> dict[str, Any]:
        number, request = self._request(question)
        (answer,) = _in_order([self._round(request)], [number])
        return answer

    def _ask_together(self, questions: Sequence[Question]) -> list[dict[str, Any]] | None:
        """The answers, or None when the batch is refused as a whole."""
        requests = dict(self._request(question) for question in questions)
        try:
            found = self._round(list(requests.values()))
            if isinstance(found, dict) and "error" in found:
                return None
            answers = _in_order(found, list(requests))
        except WireError as error:
            if error.status in _REFUSALS:
                return None
            unclear = error.status is None and not self.proven
            self.doubted = unclear or isinstance(error, (AnswerTooLong, AnswerUnusable))
            self.passed_over = unclear and isinstance(error, WireTimeout)
            raise
        self.proven = True
        return answers

    def _request(self, question: Question) -> tuple[int, dict[str, Any]]:
        number = next(self._ids)
        return number, {"jsonrpc": "2.0", "id": number, "method": question.method, "params": question.params}

    def _round(self, request: Any) -> Any:
        """What comes back for a message, as JSON."""
        self._wire.send(json.dumps(request))
        while True:
            try:
                answer = json.loads(self._wire.receive())
            except (ValueError, RecursionError):
                raise AnswerUnusable(_NO_RPC) from None
            if not (self._notified and isinstance(answer, dict) and "method" in answer):
                return answer


def _in_order(found: Any, numbers: list[int]) -> list[dict[str, Any]]:
    """Exactly one answer to each number.

    :raises AnswerUnusable: there is not.
    """
    if not isinstance(found, list) or not found:
        raise AnswerUnusable(_NO_RPC)
    answers: dict[int, dict[str, Any]] = {}
    for answer in found:
        if not isinstance(answer, dict) or not ("result" in answer or "error" in answer):
            raise AnswerUnusable(_NO_RPC)
        number = answer.get("id")
        if type(number) is not int or number not in numbers:
            raise AnswerUnusable("the answer belongs to another question. Ask again")
        if number in answers:
            raise AnswerUnusable("it answers one question twice. Ask again")
        answers[number] = answer
    if len(answers) < len(numbers):
        raise AnswerUnusable(f"it answers {len(answers)} of {len(numbers)} questions. Ask again")
    return [answers[number] for number in numbers]

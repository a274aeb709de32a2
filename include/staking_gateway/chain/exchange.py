"""JSON-RPC over one connection. Independent calls are sent as one batch.

Answers of a batch have no order (JSON-RPC 2.0, section 6); their ids tell them apart. A node may refuse batches (polkadot-sdk:
`--rpc-disable-batch-requests`, `--rpc-max-batch-request-len`), and so may a proxy. Then calls are sent one by one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from staking_gateway.chain.wire import AnswerUnusable, WireError, WireTimeout
from staking_gateway.http.foreign_json import read_json
from staking_gateway.http.meanings import BATCH_REFUSALS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from staking_gateway.chain.wire import Wire

_NO_RPC = "the answer is not JSON-RPC. Check that Host is a Substrate node"


@dataclass(frozen=True)
class Question:
    """One call; `expect` names the types its result may have."""

    method: str
    params: tuple[Any, ...]
    expect: tuple[type, ...]


class Exchange:
    """Calls over one connection, from one thread at a time.

    :param ids: unused ids for the calls.
    :param notified: whether the node may send notifications, which are ignored.
    :param together: whether to begin with batches.
    :ivar batch_worked: whether the node has answered a batch.
    :ivar batch_suspect: whether a batch failed for an unclear reason. Then the next connection begins without batches.
    :ivar batch_ignored: whether the node did not answer the first batch in time.
    """

    def __init__(self, wire: Wire, ids: Iterator[int], *, notified: bool, together: bool) -> None:
        self._wire = wire
        self._ids = ids
        self._notified = notified
        self._together = together
        self.batch_worked = False
        self.batch_suspect = False
        self.batch_ignored = False

    def ask(self, questions: Sequence[Question], *, together: bool = True) -> list[dict[str, Any]]:
        """The answers, in the order of the questions; each has an `error` or a `result`.

        :param together: allow a batch.
        :raises WireError: not all questions were answered. The connection must not be used again.
        """
        if together and self._together and len(questions) > 1:
            answers = self._ask_batch(questions)
            if answers is not None:
                return answers
            self._together = False
        return [self._ask_alone(question) for question in questions]

    def close(self) -> None:
        self._wire.close()

    def _ask_alone(self, question: Question) -> dict[str, Any]:
        number, request = self._request(question)
        (answer,) = _in_order([self._round_trip(request)], [number])
        return answer

    def _ask_batch(self, questions: Sequence[Question]) -> list[dict[str, Any]] | None:
        """The answers, or None when the server refuses the batch."""
        requests = dict(self._request(question) for question in questions)
        try:
            found = self._round_trip(list(requests.values()))
            if isinstance(found, dict) and "error" in found:
                return None
            answers = _in_order(found, list(requests))
        except WireError as error:
            if error.status in BATCH_REFUSALS:
                return None
            unclear = error.status is None and not self.batch_worked
            self.batch_suspect = unclear or isinstance(error, AnswerUnusable)
            self.batch_ignored = unclear and isinstance(error, WireTimeout)
            raise
        self.batch_worked = True
        return answers

    def _request(self, question: Question) -> tuple[int, dict[str, Any]]:
        number = next(self._ids)
        return number, {"jsonrpc": "2.0", "id": number, "method": question.method, "params": question.params}

    def _round_trip(self, request: Any) -> Any:
        self._wire.send(json.dumps(request))
        while True:
            try:
                answer = read_json(self._wire.receive())
            except ValueError:
                raise AnswerUnusable(_NO_RPC) from None
            if not (self._notified and isinstance(answer, dict) and "method" in answer):
                return answer


def _in_order(found: Any, numbers: list[int]) -> list[dict[str, Any]]:
    """Exactly one answer for each number; raises AnswerUnusable for anything else."""
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
            raise AnswerUnusable("the node answers one question twice. Ask again")
        answers[number] = answer
    if len(answers) < len(numbers):
        raise AnswerUnusable(f"the node answers {len(answers)} of {len(numbers)} questions. Ask again")
    return [answers[number] for number in numbers]

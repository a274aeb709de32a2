"""When a gateway that denies a method is believed."""

import pytest

from staking_gateway.errors import Failed, GatewayError
from staking_gateway.gateway.methods import BELIEVED_AFTER, AnsweredMethods, check_denial
from tests.support.failed import fails

METHOD = "getActiveEra"
DENIED = GatewayError("HTTP 404", method=METHOD, status=404, how=Failed.NO_PATH)


@pytest.fixture
def time():
    """What the clock shows."""
    return [1000.0]


@pytest.fixture
def answered(time):
    return AnsweredMethods(clock=lambda: time[0])


def test_a_method_that_never_answered_may_be_missing_and_what_is_no_denial_is_told(answered):
    check_denial(DENIED, answered)
    with fails(Failed.BAD_TOKEN):
        check_denial(GatewayError("HTTP 403", method=METHOD, status=403, how=Failed.BAD_TOKEN), answered)


def test_one_that_has_answered_has_gone_after_a_while_of_denials_and_an_answer_makes_them_begin_anew(answered, time):
    for _ in range(2):
        time[0] += 5 * BELIEVED_AFTER
        answered.add(METHOD)
        with fails(Failed.WITHDRAWN, match="After 15 minutes of denials the method counts as removed"):
            check_denial(DENIED, answered)
        time[0] += BELIEVED_AFTER - 1
        with fails(Failed.WITHDRAWN):
            check_denial(DENIED, answered)
    time[0] += 1
    for _ in range(2):
        check_denial(DENIED, answered)

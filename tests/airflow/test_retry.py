"""Which failures a task is tried again for."""

import json
from datetime import timedelta

import pytest
from airflow.sdk import DAG, ExceptionRetryPolicy, RetryAction
from airflow.serialization.serialized_objects import DagSerialization
from names import ACTIVE, ALICE_STASH, ERA, NETWORK, network_settings
from tasks import Task

from staking_gateway import errors
from staking_gateway.errors import Failed
from staking_gateway.problem import Topic
from staking_gateway.signing import key_mismatch
from staking_gateway_provider.connections import ConnectionMissing
from staking_gateway_provider.ledger_identity import LedgerMismatch
from staking_gateway_provider.operators.era import EraReportOperator, PreviousEraOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.operators.status import StakingStatusOperator
from staking_gateway_provider.reporting import RETRY_POLICY
from staking_gateway_provider.sensors.election import ElectionWindowClosedSensor

RETRY, FAIL, DEFAULT = RetryAction.RETRY, RetryAction.FAIL, RetryAction.DEFAULT


def gateway(how):
    return errors.call_failed(how, method="m")


def plain(topic):
    return errors.StakingGatewayError("it failed", topic=topic)


def unpaid(**named):
    outcome = {"network": NETWORK, "era": ERA, "outcome": "REJECTED", "reason": "no", "topic": "rejected"}
    return errors.EraNotPaid(outcome, **named)


WRONG = ("field", "is wrong", "Correct it")
DECISIONS = [
    (DEFAULT, [plain(Topic.UNEXPECTED), ValueError("no"), OSError("no")]),
    (
        FAIL,
        [
            *(kind(*WRONG) for kind in (errors.InvalidInput, errors.InvalidEra, errors.InvalidConnection)),
            errors.ConfigError(*WRONG),
            LedgerMismatch("it is another ledger"),
            key_mismatch("user", "a", "b"),
            *map(gateway, (Failed.DOUBTFUL_ERA, Failed.OTHER_CHAIN, Failed.NODE_UNSUPPORTED)),
            unpaid(),
            *map(plain, (Topic.UNPAID, Topic.BOOKS, Topic.ACCOUNTS)),
        ],
    ),
    (
        RETRY,
        [
            errors.EraNotEnded(*WRONG),
            unpaid(may_change=True),
            *(
                gateway(how)
                for how in Failed
                if how not in (Failed.DOUBTFUL_ERA, Failed.OTHER_CHAIN, Failed.NODE_UNSUPPORTED)
            ),
            *(kind("it failed") for kind in (errors.LedgerError, errors.LedgerConflict, errors.SigningError)),
            ConnectionMissing("gateway_conn_id", "there is none"),
            plain(Topic.EXPORT),
        ],
    ),
]


@pytest.mark.parametrize(("action", "found"), DECISIONS, ids=["default", "fail", "retry"])
def test_each_error_gets_the_intended_decision(action, found):
    for error in found:
        assert RETRY_POLICY.evaluate(error, 1, 5).action is action, error


@pytest.mark.parametrize("how", [Failed.NO_TOKEN, Failed.BAD_TOKEN])
def test_a_refused_token_is_given_a_minute(how):
    assert RETRY_POLICY.evaluate(gateway(how), 1, 5).retry_delay == timedelta(minutes=1)


OPERATORS = {
    ElectionWindowClosedSensor: {},
    PreviousEraOperator: {},
    PayoutStakersOperator: {},
    StakingStatusOperator: {},
    EraReportOperator: {"network": NETWORK},
}


@pytest.mark.parametrize("kind", OPERATORS)
class TestOperators:
    def test_have_the_policy_by_default_mapped_or_not_and_stored(self, kind):
        with DAG("d", schedule=None) as dag:
            plain = kind(task_id="plain", **OPERATORS[kind])
            kind.partial(task_id="mapped").expand(network=["one"])
        assert plain.retry_policy is RETRY_POLICY
        assert dag.get_task("mapped").unmap({"network": "one"}).retry_policy is RETRY_POLICY
        stored = DagSerialization.deserialize_dag(json.loads(json.dumps(DagSerialization.serialize_dag(dag))))
        assert stored.get_task("plain").has_retry_policy

    def test_have_it_when_airflow_passes_none_as_it_does_to_mapped_tasks_before_3_3_2(self, kind):
        assert kind(task_id="a", retry_policy=None, **OPERATORS[kind]).retry_policy is RETRY_POLICY

    @pytest.mark.parametrize("how", ["argument", "default_args"])
    def test_take_another_one(self, kind, how):
        mine = ExceptionRetryPolicy(rules=[])
        arguments = {"retry_policy": mine} if how == "argument" else {}
        with DAG("d", schedule=None, default_args={"retry_policy": mine} if how == "default_args" else {}):
            assert kind(task_id="a", **OPERATORS[kind], **arguments).retry_policy is mine


@pytest.mark.parametrize("kind", [PreviousEraOperator, StakingStatusOperator], ids=lambda kind: kind.__name__)
def test_each_task_that_asks_for_the_era_of_its_run_is_tried_again_while_the_chain_is_behind(kind, gateway, network):
    """The sensor lets a run pass by the calendar when the gateway denies the method once."""
    network({NETWORK: network_settings(accounts=[ALICE_STASH])})
    operator = kind(task_id="task", network=NETWORK)
    with pytest.raises(errors.EraNotEnded, match=f"era {ACTIVE} has not ended") as raised:
        Task(operator, era=ACTIVE).run()
    assert operator.retry_policy.evaluate(raised.value, 1, 5).action is RETRY

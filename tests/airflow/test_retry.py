"""Which failures a task is tried again for."""

import json
from datetime import timedelta

import pytest
from airflow.sdk import DAG, ExceptionRetryPolicy, RetryAction
from airflow.serialization.serialized_objects import DagSerialization
from names import ACTIVE, ALICE_STASH, NETWORK, network_settings
from tasks import Task

from staking_gateway import errors
from staking_gateway.ledger import InvariantBroken, LedgerStopped
from staking_gateway_provider.operators.era import EraReportOperator, PreviousEraOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.operators.status import StakingStatusOperator
from staking_gateway_provider.retry import RETRY_POLICY, STATUS_RETRY_POLICY
from staking_gateway_provider.sensors.election import ElectionWindowClosedSensor

RETRY, FAIL, DEFAULT = RetryAction.RETRY, RetryAction.FAIL, RetryAction.DEFAULT
CORRECT_IT = "the input has to be corrected first"
OUTCOME = "the engine has reached an outcome; the next run continues from the ledger"
RENEWED = "the access token may be renewed by then"
ENDS_LATER = "the chain may reach the end of the era by then"
NOTHING_LOST = "the ledger stores what was sent, so a retry is safe"

NODE_FIRST = "the connection to the node has to be corrected first"
DECISIONS = {
    (DEFAULT, None): {errors.StakingGatewayError, ValueError, OSError},
    (FAIL, CORRECT_IT): {
        errors.InvalidInput,
        errors.InvalidAccount,
        errors.InvalidEra,
        errors.InvalidConnection,
        errors.NodeMissing,
        errors.ConfigError,
        errors.NetworkUnknown,
        errors.KeyMismatch,
        errors.LedgerMismatch,
        errors.ActiveEraDoubtful,
        errors.PlanChanged,
    },
    (FAIL, NODE_FIRST): {errors.WrongChain, errors.ChainUnsupported},
    (FAIL, OUTCOME): {errors.EraNotPaid, errors.ErasNotPaid, errors.AccountsNotStaking, errors.BooksDiffer},
    (RETRY, ENDS_LATER): {errors.EraNotEnded},
    (RETRY, RENEWED): {errors.Unauthorized, errors.Forbidden},
}
"""All other errors of the tree are tried again: nothing is lost."""
TREE = {kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)}
KINDS = sorted(
    {InvariantBroken, LedgerStopped, *TREE, *(kind for kinds in DECISIONS.values() for kind in kinds)},
    key=lambda kind: kind.__name__,
)


def decide(policy, kind):
    decision = policy.evaluate(exception=kind.__new__(kind), try_number=1, max_tries=5)
    return decision.action, decision.reason


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_each_error_gets_the_intended_decision_also_after_airflow_has_stored_the_policy(kind):
    intended = next((decision for decision, kinds in DECISIONS.items() if kind in kinds), (RETRY, NOTHING_LOST))
    assert decide(RETRY_POLICY, kind) == intended
    if kind is errors.AccountsNotStaking:  # statuses without an answer are asked for again
        assert decide(STATUS_RETRY_POLICY, kind)[0] is RETRY
    else:
        assert decide(STATUS_RETRY_POLICY, kind) == intended
    for policy in (RETRY_POLICY, STATUS_RETRY_POLICY):
        stored = ExceptionRetryPolicy.deserialize(json.loads(json.dumps(policy.serialize())))
        assert decide(stored, kind) == decide(policy, kind)


@pytest.mark.parametrize("kind", [errors.Unauthorized, errors.Forbidden])
def test_a_refused_token_is_given_a_minute(kind):
    decision = RETRY_POLICY.evaluate(exception=kind.__new__(kind), try_number=1, max_tries=5)
    assert decision.retry_delay == timedelta(minutes=1)


OPERATORS = {
    ElectionWindowClosedSensor: {},
    PreviousEraOperator: {},
    PayoutStakersOperator: {},
    StakingStatusOperator: {},
    EraReportOperator: {"network": NETWORK},
}
POLICIES = dict.fromkeys(OPERATORS, RETRY_POLICY) | {StakingStatusOperator: STATUS_RETRY_POLICY}


@pytest.mark.parametrize("kind", OPERATORS)
class TestOperators:
    def test_have_the_policy_by_default_mapped_or_not_and_stored(self, kind):
        with DAG("d", schedule=None) as dag:
            plain = kind(task_id="plain", **OPERATORS[kind])
            kind.partial(task_id="mapped").expand(network=["one"])
        assert plain.retry_policy is POLICIES[kind]
        assert dag.get_task("mapped").unmap({"network": "one"}).retry_policy is POLICIES[kind]
        stored = DagSerialization.deserialize_dag(json.loads(json.dumps(DagSerialization.serialize_dag(dag))))
        assert stored.get_task("plain").has_retry_policy

    def test_have_it_when_airflow_passes_none_as_it_does_to_mapped_tasks_before_3_3_2(self, kind):
        assert kind(task_id="a", retry_policy=None, **OPERATORS[kind]).retry_policy is POLICIES[kind]

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

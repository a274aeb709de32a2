"""Which failures a task is tried again for."""

import json
from datetime import timedelta

import pytest
from airflow.sdk import DAG, ExceptionRetryPolicy, RetryAction
from airflow.serialization.serialized_objects import DagSerialization
from names import ACTIVE, ALICE_STASH, NETWORK, network_settings
from tasks import Task

from staking_gateway import errors
from staking_gateway.ledger import LaneBusy
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

HTTP = {"method": "getActiveEra", "status": 500}
NODE = {"node": "ws://n", "method": "m"}
NODE_FIRST = "the connection to the node has to be corrected first"
RPC = {"method": "getActiveEra", "code": -32000, "rpc_message": "no"}

DECISIONS = [
    (errors.StakingGatewayError("x"), DEFAULT, None),
    (errors.InvalidInput("f", "p", "r"), FAIL, CORRECT_IT),
    (errors.InvalidAccount("f", "p", "r"), FAIL, CORRECT_IT),
    (errors.InvalidEra("f", "p", "r"), FAIL, CORRECT_IT),
    (errors.EraNotEnded("f", "p", "r"), RETRY, ENDS_LATER),
    (errors.InvalidConnection("f", "p", "r"), FAIL, CORRECT_IT),
    (errors.ConfigError("f", "p", "r"), FAIL, CORRECT_IT),
    (errors.SigningError("x"), RETRY, NOTHING_LOST),
    (errors.KeyMismatch("user", "one", "another"), FAIL, CORRECT_IT),
    (errors.GatewayError("x", method="m"), RETRY, NOTHING_LOST),
    (errors.TransportError("x", method="m"), RETRY, NOTHING_LOST),
    (errors.GatewayUnreachable("x", method="m"), RETRY, NOTHING_LOST),
    (errors.GatewayTimeout("x", method="m"), RETRY, NOTHING_LOST),
    (errors.ConnectionLost("x", method="m"), RETRY, NOTHING_LOST),
    (errors.HttpError("x", **HTTP), RETRY, NOTHING_LOST),
    (errors.Unauthorized("x", **HTTP), RETRY, RENEWED),
    (errors.Forbidden("x", **HTTP), RETRY, RENEWED),
    (errors.RateLimited("x", **HTTP), RETRY, NOTHING_LOST),
    (errors.RedirectRefused("x", **HTTP), RETRY, NOTHING_LOST),
    (errors.GatewayUnavailable("x", **HTTP), RETRY, NOTHING_LOST),
    (errors.UnexpectedStatus("x", **HTTP), RETRY, NOTHING_LOST),
    (errors.ProtocolError("x", method="m"), RETRY, NOTHING_LOST),
    (errors.MalformedResponse("x", method="m"), RETRY, NOTHING_LOST),
    (errors.ResponseTooLarge("x", method="m"), RETRY, NOTHING_LOST),
    (errors.ResponseIdMismatch("x", method="m"), RETRY, NOTHING_LOST),
    (errors.UnexpectedResult("x", method="m"), RETRY, NOTHING_LOST),
    (errors.EraUnknown("x", method="m"), RETRY, NOTHING_LOST),
    (errors.RpcError(**RPC), RETRY, NOTHING_LOST),
    (errors.RpcParseError(**RPC), RETRY, NOTHING_LOST),
    (errors.RpcInvalidRequest(**RPC), RETRY, NOTHING_LOST),
    (errors.ElectionWindowOpen(**RPC), RETRY, NOTHING_LOST),
    (errors.RpcMethodNotFound(**RPC), RETRY, NOTHING_LOST),
    (errors.RpcInvalidParams(**RPC), RETRY, NOTHING_LOST),
    (errors.TransactionTypeRefused(**RPC), RETRY, NOTHING_LOST),
    (errors.RpcRefused(**RPC), RETRY, NOTHING_LOST),
    (errors.RpcInternalError(**RPC), RETRY, NOTHING_LOST),
    (errors.MethodWithdrawn("x", method="getActiveEra"), RETRY, NOTHING_LOST),
    (errors.ActiveEraDoubtful("x", method="m"), FAIL, CORRECT_IT),
    (errors.ChainError("x", **NODE), RETRY, NOTHING_LOST),
    (errors.NodeUnreachable("x", **NODE), RETRY, NOTHING_LOST),
    (errors.NodeRefused("x", code=1, **NODE), RETRY, NOTHING_LOST),
    (errors.NodeAnswerInvalid("x", **NODE), RETRY, NOTHING_LOST),
    (errors.EraNotBegun("x", **NODE), RETRY, NOTHING_LOST),
    (errors.WrongChain("x", **NODE), FAIL, NODE_FIRST),
    (errors.ChainUnsupported("x", **NODE), FAIL, NODE_FIRST),
    (errors.LedgerError("x"), RETRY, NOTHING_LOST),
    (errors.LedgerConflict("x"), RETRY, NOTHING_LOST),
    (LaneBusy("x"), RETRY, NOTHING_LOST),
    (errors.EraNotPaid(network="n", era=1, outcome="REJECTED", reason="r"), FAIL, OUTCOME),
    (errors.ErasNotPaid(network="n", outcomes={1: "REJECTED"}), FAIL, OUTCOME),
    (errors.PlanChanged(["fee"], plan_hash="abcd"), FAIL, CORRECT_IT),
    (errors.AccountsNotStaking(era=1, accounts={}), FAIL, OUTCOME),
    (ValueError("an event of no known status"), DEFAULT, None),
    (OSError("disk full"), DEFAULT, None),
]


def decide(policy, error):
    decision = policy.evaluate(exception=error, try_number=1, max_tries=5)
    return decision.action, decision.reason


@pytest.mark.parametrize(
    ("error", "action", "reason"), DECISIONS, ids=[type(error).__name__ for error, *_ in DECISIONS]
)
def test_each_error_gets_the_intended_decision_also_after_airflow_has_stored_the_policy(error, action, reason):
    assert decide(RETRY_POLICY, error) == (action, reason)
    if isinstance(error, errors.AccountsNotStaking):  # statuses nobody told are asked for again
        assert decide(STATUS_RETRY_POLICY, error)[0] is RETRY
    else:
        assert decide(STATUS_RETRY_POLICY, error) == (action, reason)
    for policy in (RETRY_POLICY, STATUS_RETRY_POLICY):
        stored = ExceptionRetryPolicy.deserialize(json.loads(json.dumps(policy.serialize())))
        assert decide(stored, error) == decide(policy, error)


def test_every_class_of_the_tree_is_decided():
    tree = {kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)}
    assert tree <= {type(error) for error, _, _ in DECISIONS}


@pytest.mark.parametrize("kind", [errors.Unauthorized, errors.Forbidden])
def test_a_refused_token_is_given_a_minute(kind):
    decision = RETRY_POLICY.evaluate(exception=kind("x", **HTTP), try_number=1, max_tries=5)
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
        assert stored.get_task("mapped").has_retry_policy

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
    operator = kind(task_id="task", network=NETWORK, **({"chunk": 0} if kind is StakingStatusOperator else {}))
    with pytest.raises(errors.EraNotEnded, match=f"era {ACTIVE} has not ended") as raised:
        Task(operator, era=ACTIVE).run()
    assert operator.retry_policy.evaluate(raised.value, 1, 5).action is RETRY

"""The accounts, the network and the eras of these tests."""

from datetime import datetime, timedelta, timezone

from staking_gateway.types import MAX_ERA, AccountId

ALICE = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY"
BOB = "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty"
CHARLIE = "5FLSigC9HGRKVhB9FiEo4Y3koPsNmBmLJbpXg2mp1hXcS59Y"
ALICE_STASH = "5GNJqTPyNqANBkUVMN1LPPrxXnFouWXoe2wNSmmEoLctxiZY"
BOB_STASH = "5HpG9w8EBLe5XCrbczpwq5TSXvedjrBGCwqxK1iQ7qUsSWFc"
DAVE = "5DAAnrj7VHTznn2AWBemMuyBwZWs6FNFjdyVXUeYum3PTXFy"
NETWORK = "testnet"
ACTIVE = 1000
"""The simulator's active era at its start."""
ERA = ACTIVE - 1
ACCOUNTS = {"relayer": BOB, "user": ALICE, "payer": CHARLIE}
PARTY = {role: AccountId.parse(account) for role, account in ACCOUNTS.items()}
"""The accounts as the ledger takes them."""
SIGNERS = {"user_signer_conn_id": "staking_signer_user", "payer_signer_conn_id": "staking_signer_payer"}


QUICK = {"poll_interval": 0.1, "lag": 0.1, "finalized_within": 0.1}
"""Times of a network that a test waits for."""


def network_settings(**settings):
    """A network of the configuration file; arguments replace what is set."""
    return {
        "relayer": BOB,
        "user": ALICE,
        "payer": CHARLIE,
        # The simulators' clocks stand still at another time than the calendar's.
        "calendar": {
            "era_length": "20s",
            "max_drift": MAX_ERA,
            "anchors": [{"era": 0, "start": "2026-01-01T00:00:00Z"}],
        },
        "timing": QUICK,
        "accounts": [{"account": ALICE_STASH, "label": "alice-stash", "expect": "staking"}, BOB_STASH],
        **settings,
    }


def hourly(*, minutes=5, active=ACTIVE):
    """A calendar with eras of an hour; the active era began some minutes ago."""
    begun = datetime.now(timezone.utc).replace(microsecond=0) - timedelta(minutes=minutes)
    return {"era_length": "1h", "anchors": [{"era": active, "start": begun.isoformat()}]}

"""Keys of storage items that many tests write."""

from tests.chain.fake_node import storage_key as key

ACTIVE_ERA = key("Staking", "ActiveEra")
ERA_ELECTION_STATUS = key("Staking", "EraElectionStatus")
MULTI_PHASE = key("ElectionProviderMultiPhase", "CurrentPhase")
MULTI_BLOCK = key("MultiBlockElection", "CurrentPhase")
EVENTS = key("System", "Events")

"""Runtimes as they were published, read from a node that holds their metadata.

All are byte for byte: relay chains in metadata 9 to 14, Asset Hubs in 15.
"""

import pytest
from packages import published_metadata, published_pallets

from staking_gateway.chain import ChainReader, ChainState
from staking_gateway.chain.metadata import Item, Metadata
from staking_gateway.types import ElectionWindow
from tests.chain import storage

ERA_7 = "0x07000000010068e5cf8b010000"


@pytest.fixture(params=["ws", "http"])
def asking(node, request):
    node.storage[storage.ACTIVE_ERA] = ERA_7
    return ChainReader(node.url(request.param), timeout=30)


@pytest.mark.parametrize(
    ("version", "chain", "election"),
    [
        *(("v14", chain, storage.MULTI_PHASE) for chain in ("polkadot", "kusama", "substrate")),
        *(("v15", chain, storage.MULTI_BLOCK) for chain in ("asset-hub-polkadot", "asset-hub-kusama")),
    ],
)
def test_the_era_of_a_published_runtime_is_read_and_its_election_holds_no_payout(
    node, asking, version, chain, election
):
    node.metadata, node.storage[election] = published_metadata(version, chain), "0x0103000000"
    assert asking.state() == ChainState(7, ElectionWindow.CLOSED, pays_by_itself=False, block=100)
    assert node.calls["state_getMetadata"] == 1


PUBLISHED = [
    *((f"v{version}", "substrate") for version in range(9, 16)),
    *((version, chain) for version in ("v13", "v14", "v15") for chain in ("polkadot", "kusama")),
    *(("v15", chain) for chain in ("asset-hub-polkadot", "asset-hub-kusama")),
]


@pytest.mark.parametrize(("version", "chain"), PUBLISHED)
def test_every_item_and_constant_of_a_published_runtime_is_found_where_it_is(packages, version, chain):
    found = Metadata(bytes.fromhex(published_metadata(version, chain)[2:]))
    published = published_pallets(version, chain)
    assert found.pallets == [pallet["name"] for pallet in published]
    assert found.items == {
        (pallet["name"], item["name"]): Item(
            pallet["storage"]["prefix"],
            bytes.fromhex(item["fallback"][2:]) if item["modifier"] == "Default" else None,
            hashers(item["type"]),
        )
        for pallet in published
        if pallet["storage"]
        for item in pallet["storage"]["items"]
    }
    assert found.constants == {
        (pallet["name"], constant["name"]): bytes.fromhex(constant["value"][2:])
        for pallet in published
        for constant in pallet["constants"]
    }


def hashers(kind):
    """Of a storage item as it is published."""
    ((form, content),) = kind.items()
    if form == "plain":
        return ()
    return tuple(content.get("hashers") or [content[name] for name in ("hasher", "key2Hasher") if name in content])

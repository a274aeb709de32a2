"""Runtimes as they were published, read from a node that holds their metadata.

All are byte for byte: relay chains in metadata 9 to 14, Asset Hubs in 15.
"""

from dataclasses import replace
from functools import cache

import pytest
from packages import published_metadata, published_pallets
from scalecodec.base import RuntimeConfigurationObject, ScaleBytes
from scalecodec.type_registry import load_type_registry_preset

from staking_gateway.chain import ChainReader, ChainState, NodeEndpoint
from staking_gateway.chain.metadata import Item, Metadata
from staking_gateway.types import ElectionWindow
from tests.chain import storage

ERA_7 = "0x07000000010068e5cf8b010000"


@pytest.fixture(params=["ws", "http"])
def asking(node, request):
    node.storage[storage.ACTIVE_ERA] = ERA_7
    return ChainReader(NodeEndpoint(node.url(request.param), timeout=30))


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


DESCRIBED = [
    *(("v14", chain) for chain in ("polkadot", "kusama", "substrate")),
    *(("v15", chain) for chain in ("asset-hub-polkadot", "asset-hub-kusama", "polkadot", "kusama", "substrate")),
]


@pytest.mark.parametrize(("version", "chain"), DESCRIBED)
def test_every_item_and_constant_of_a_published_runtime_is_found_where_it_is(packages, version, chain):
    found = Metadata(bytes.fromhex(published_metadata(version, chain)[2:])).pallets
    described = {pallet["name"]: pallet for pallet in published_pallets(version, chain)}
    assert list(found) == list(described)
    for name, pallet in described.items():
        storage_ = pallet["storage"] or {"prefix": "", "items": []}
        assert found[name].prefix == storage_["prefix"]
        assert found[name].items == {
            item["name"]: Item(
                int(item["type"]["plain"] if "plain" in item["type"] else item["type"]["map"]["value"]),
                bytes.fromhex(item["fallback"][2:]) if item["modifier"] == "Default" else None,
                tuple(item["type"]["map"]["hashers"]) if "map" in item["type"] else (),
            )
            for item in storage_["items"]
        }
        assert found[name].constants == {
            constant["name"]: (int(constant["type"]), bytes.fromhex(constant["value"][2:]))
            for constant in pallet["constants"]
        }


OLDER = [
    *((version, "substrate") for version in ("v9", "v10", "v11", "v12", "v13")),
    *(("v13", "polkadot"), ("v13", "kusama")),
]


@pytest.mark.parametrize(("version", "chain"), OLDER)
def test_every_item_and_constant_of_an_older_runtime_is_what_the_library_reads(packages, version, chain):
    raw = bytes.fromhex(published_metadata(version, chain)[2:])
    config = RuntimeConfigurationObject()
    for preset in ("core", "legacy"):
        config.update_type_registry(load_type_registry_preset(preset))
    decoded = config.create_scale_object("MetadataVersioned", data=ScaleBytes(raw))
    decoded.decode()
    found = Metadata(raw).pallets
    assert list(found) == [pallet.value["name"] for pallet in decoded.pallets]
    for pallet in decoded.pallets:
        stored = pallet.value["storage"] or {"prefix": "", "entries": []}
        told = found[pallet.value["name"]]
        assert told.prefix == stored["prefix"]
        wanted = {
            item["name"]: Item(
                kind_and_hashers(item["type"])[0],
                None if item["modifier"] == "Optional" else bytes_of(item["default"]),
                kind_and_hashers(item["type"])[1],
            )
            for item in stored["entries"]
        }
        if version == "v9":  # the library gives it the hashers of version 10
            wanted = {name: replace(item, hashers=told.items[name].hashers) for name, item in wanted.items()}
        assert told.items == wanted
        assert told.constants == {
            constant["name"]: (constant["type"], bytes_of(constant["value"])) for constant in pallet.value["constants"]
        }


def kind_and_hashers(entry):
    """Of a storage item as the library tells it."""
    ((form, content),) = entry.items()
    if form == "Plain":
        return content, ()
    names = {"Map": ("hasher",), "DoubleMap": ("hasher", "key2_hasher")}.get(form)
    return content["value"], tuple(content["hashers"]) if names is None else tuple(content[name] for name in names)


def bytes_of(value):
    """The library shows bytes as a text when they are UTF-8."""
    return bytes.fromhex(value[2:]) if value.startswith("0x") else value.encode()


@pytest.fixture(scope="module")
def library(packages):
    """The library with a published runtime, read once."""

    @cache
    def read(chain):
        config = RuntimeConfigurationObject()
        config.update_type_registry(load_type_registry_preset("core"))
        raw = ScaleBytes(published_metadata("v14", chain))
        decoded = config.create_scale_object("MetadataVersioned", data=raw)
        decoded.decode()
        config.add_portable_registry(decoded)
        events = decoded.get_metadata_pallet("System").get_storage_function("Events").get_value_type_string()
        return config, events, decoded

    return read


@pytest.mark.parametrize("chain", ["polkadot", "kusama", "substrate"])
def test_the_rewards_of_a_payout_are_what_the_library_writes_into_events(node, asking, library, chain):
    node.metadata = published_metadata("v14", chain)
    config, kind, _ = library(chain)
    payees = {"0x" + "aa" * 32: 17_149_935_740_000, "0x" + "bb" * 32: 2**128 - 1}

    def record(event):
        return {"phase": {"ApplyExtrinsic": 2}, "event": event, "topics": []}

    started = {"PayoutStarted": {"era_index": 6, "validator_stash": "0x" + "cc" * 32, "page": 0, "next": None}}
    events = [record({"System": {"CodeUpdated": None}}), record({"Staking": started})]
    for stash, amount in payees.items():
        rewarded = {"stash": stash, "dest": {"Account": "0x" + "dd" * 32}, "amount": amount}
        events += [
            record({"Balances": {"Deposit": {"who": stash, "amount": amount}}}),
            record({"Staking": {"Rewarded": rewarded}}),
        ]
    node.storage[storage.EVENTS] = config.create_scale_object(kind).encode(events).to_hex()
    found = asking.paid_rewards(100)
    assert found.amounts(6) == payees, found.reason
    assert found.amounts(7) == {}
    assert {one.transaction for one in found.rewards} == {2}


@pytest.mark.parametrize("chain", ["polkadot", "kusama", "substrate"])
def test_every_event_of_a_published_runtime_ends_where_the_library_says(library, chain):
    config, kind, decoded = library(chain)
    described = Metadata(bytes.fromhex(published_metadata("v14", chain)[2:]))
    events = described.item("System", "Events").kind
    tried, invalid = 0, []
    for pallet in decoded.pallets:
        for event in pallet.events or []:
            # Zeros are the first variant of each enumeration, no options, and empty lists.
            begin = b"\x04\x00" + bytes(4) + bytes([pallet.value["index"], event.value["index"]])
            one = config.create_scale_object(kind, data=ScaleBytes(begin + bytes(5000)))
            (told,) = one.decode(check_remaining=False)
            raw = begin + bytes(one.data.offset - len(begin))
            try:
                assert len(described.decode(events, raw)) == 1, (pallet.name, told)
                tried += 1
            except ValueError as error:
                invalid.append(f"{pallet.name}: {error}")
    assert tried > 200
    assert len(invalid) <= 20
    assert all("0 is none of V" in one for one in invalid), "versions of messages begin above 0"

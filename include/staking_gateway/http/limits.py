"""How much of a foreign answer is read: bytes, values and depth. Decoding is linear, so these limits also bound its time.

A decoder checks the limit before it builds anything. No limit can be set: an answer beyond one is not an answer of a gateway or a node.
Each number is several times what real chains and gateways need, and keeps one answer below a second and 64 MB.
"""

from __future__ import annotations

GATEWAY_ANSWER_BYTES = 1024 * 1024
"""Answer of a gateway. The longest, an error that repeats the request, has about 2 kB."""
NODE_ANSWER_BYTES = 4 * 1024 * 1024
"""Answer of a node. The longest, metadata in hex digits, has 0.1 to 1.2 MB in published runtimes."""
HANDSHAKE_BYTES = 16 * 1024
"""Status and headers of a websocket's handshake. Nodes and proxies send less than 1 kB."""

JSON_MARKS = 64 * 1024
"""Brackets, braces, commas, colons, quotes and backslashes of a JSON text. A batch of 200 calls to a node has about 4,000. A mark can
cost 64 bytes of memory, a value needs at least one."""
JSON_DEPTH = 64
"""Nested arrays and objects of a JSON text. Answers of gateways and nodes have up to 6."""

METADATA_ENTRIES = 100_000
"""Entries of all lists in a runtime's metadata, lines of documentation included. Published runtimes have up to 20,000."""
TYPE_DEPTH = 16
"""Types inside types of one decoded value. An election's phase has 3."""
VALUE_PARTS = 1000
"""Parts of one decoded value: a few hundred bytes of metadata can describe an endless one. An election's phase has 4."""
STORED_BYTES = 256 * 1024
"""A value in the chain's storage. The longest, the reward points of an era, has 36 bytes for each validator: 72 kB for 2,000."""
EVENTS_BYTES = 1024 * 1024
"""The events of one block. A payout of an era to 2,000 stakers has 0.4 MB."""
EVENT_PARTS = 150_000
"""Parts of all events of a block. A staker's reward has about 20 in published runtimes."""
EVENT_DEPTH = 48
"""Types inside types of one event. Messages between chains hold other messages."""

QUOTED_CHARACTERS = 200
"""Foreign text that a message quotes."""

"""How much of a foreign answer is read: bytes, values and depth. Decoding is linear, so these limits also bound its time.

A decoder checks the limit before it builds anything. No limit can be set: an answer beyond one is not an answer of a gateway or a node.
Each number is several times what real chains and gateways need, and keeps one answer below a second and 64 MB.
"""

from __future__ import annotations

GATEWAY_ANSWER_BYTES = 1024 * 1024
"""Answer of a gateway. The longest, an error that repeats the request, has about 2 kB."""
NODE_ANSWER_BYTES = 4 * 1024 * 1024
"""Answer of a node. The longest, metadata in hex digits, has 0.1 to 1.2 MB in published runtimes."""

JSON_MARKS = 64 * 1024
"""Brackets, braces, commas, colons, quotes and backslashes of a JSON text. A batch of 200 calls to a node has about 4,000. A mark can
cost 64 bytes of memory, a value needs at least one."""
JSON_DEPTH = 64
"""Nested arrays and objects of a JSON text. Answers of gateways and nodes have up to 6."""

QUOTED_CHARACTERS = 200
"""Foreign text that a message quotes."""

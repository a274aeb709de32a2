"""What a process keeps of nodes, between two tests."""

from staking_gateway.chain import block, reader


def close_nodes():
    """Close all connections, and forget all runtimes. The next read connects again."""
    closing = list(reader._nodes.values())
    reader._nodes.clear()
    block._runtimes.clear()
    for node in closing:
        node.close()

"""The JSON-RPC gateway: protocol, decoding, method probes, self-made tokens, and both clients."""

"""The JSON-RPC gateway: the protocol and its decoding, what a gateway offers, tokens, and the two clients."""

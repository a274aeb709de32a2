"""A gateway and chain of one's own, for demos and tests: `python -m staking_gateway_simulator --help`.

It answers as the interface document says, verifies every signature for real, forgets nothing when it is killed, and tells
through its control interface what was truly executed. Its keys are public: never let it stand in for a real network.
"""

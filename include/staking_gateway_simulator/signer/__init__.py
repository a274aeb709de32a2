"""A small signing service of one's own, to run or to learn from: `python -m staking_gateway_simulator.signer --help`.

It keeps the contract that `staking_gateway.signing.remote` describes, and signs what its policy allows and nothing else: a
message must be exactly one of the three known ones, for accounts whose keys it holds, within limits set when it was started.
"""

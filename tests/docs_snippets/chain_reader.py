# ruff: noqa: T201
# --8<-- [start:page]
from staking_gateway.chain import ChainReader

reader = ChainReader("ws://127.0.0.1:9944")
print(reader.state())  # ChainState(active_era=..., window=..., pays_by_itself=..., ...)
# --8<-- [end:page]

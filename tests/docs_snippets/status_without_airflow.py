# ruff: noqa: T201
# --8<-- [start:page]
from staking_gateway import GatewayClient

with GatewayClient("https://gateway.example", token="issued-to-you") as gateway:
    print(gateway.active_era(), gateway.election_window())
    print(gateway.staking_status("5GNJqTPyNqANBkUVMN1LPPrxXnFouWXoe2wNSmmEoLctxiZY"))
# --8<-- [end:page]

# ruff: noqa: I001
# --8<-- [start:page]
from airflow.sdk import Asset, AssetWatcher
from staking_gateway_provider.triggers.era import NewEraTrigger

trigger = NewEraTrigger(gateway_conn_id="staking_gateway_default", poll_interval=60, network="mainnet")
new_era = Asset("mainnet_new_era", watchers=[AssetWatcher(name="mainnet_eras", trigger=trigger)])
# --8<-- [end:page]

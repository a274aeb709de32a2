"""Apache Airflow provider for JSON-RPC staking gateways: adapters only, every rule lives in `staking_gateway`."""

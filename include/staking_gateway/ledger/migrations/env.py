"""Alembic's environment: migrations run on the connection, and in the transaction, they are handed."""

from alembic import context

from staking_gateway.ledger.schema import migration_options
from staking_gateway.ledger.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, **migration_options())
context.run_migrations()

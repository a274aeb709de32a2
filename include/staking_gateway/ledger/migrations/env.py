"""Alembic's environment: migrations use the given connection and its transaction."""

from alembic import context

from staking_gateway.ledger.schema import migration_options
from staking_gateway.ledger.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, **migration_options())
context.run_migrations()

"""Alembic's environment: migrations use the given connection and its transaction."""

from alembic import context

from staking_gateway.ledger.schema import VERSION_TABLE
from staking_gateway.ledger.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    transaction_per_migration=False,
    # Alembic assumes that SQLite cannot create tables in a transaction. In an explicit transaction it can.
    transactional_ddl=True,
)
context.run_migrations()

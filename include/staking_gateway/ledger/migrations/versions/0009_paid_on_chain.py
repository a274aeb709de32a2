"""The view `staking_eras` counts an era as paid that a comparison saw paid on the chain. An upgrade creates the views again."""

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change no table."""

"""Default values of `staking.yaml` and of the payout terms."""

from __future__ import annotations

from datetime import timedelta

HISTORY_DEPTH = 84
"""Eras after which unpaid rewards are gone."""
POLL_INTERVAL = timedelta(seconds=2)
WINDOW_TIMEOUT = timedelta(hours=12)
CONFIRMATION_TIMEOUT = timedelta(minutes=30)
"""How long a run waits for a payload that is not confirmed, or whose answer was lost; then the era is UNKNOWN. Every wait that is not for
the election window ends after this time."""
LEASE = timedelta(minutes=2)
"""How long other processes leave a part to the process that sends it."""
NOT_FOUND_GRACE = timedelta(seconds=60)
"""How long a gateway may not know a request that it has accepted. No setting of `staking.yaml`, like `SETTLE_WITHIN`."""
LAG = timedelta(seconds=30)
"""The longest that a read may be older than the chain."""
FINALIZED_WITHIN = timedelta(seconds=60)
"""The longest time in which the chain may take back a block."""
SETTLE_WITHIN = timedelta(minutes=15)
"""An accepted payload that came to no end in this time is sent again."""
KEEP_STATUSES = 250
"""Eras whose staking statuses are kept: three history windows, and about 3 GB for 20 networks with 2,000 accounts each."""
RUN_GRACE = timedelta(minutes=2)
"""How late a run may begin, unless eras are shorter or `calendar.delay` is longer."""
STATUS_CONCURRENCY = 32
"""Calls at a time of the status checks."""
MAX_PARTS = 20
MAX_REPLANS = 3
MAX_FEES_FOR_NOTHING = 2

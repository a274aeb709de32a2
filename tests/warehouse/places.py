"""Where the exports of these tests are, and what they hold."""

BUCKET = "warehouse"
NETWORK = "testnet"
ERAS = range(7, 10)

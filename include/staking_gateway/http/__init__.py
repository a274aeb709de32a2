"""HTTP: addresses, TLS, proxies, deadlines, access tokens and rate limits of all clients."""

"""HTTP with limits that hold: one set of TLS, proxy, deadline and rate rules for every client."""

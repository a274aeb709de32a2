"""What `airflow staking doctor` looks at: small checks, in an order in which the first that fails explains the rest.

A check reads; it signs, sends and changes nothing.
"""

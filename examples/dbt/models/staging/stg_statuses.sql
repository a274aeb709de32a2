{{ staking_view('staking_statuses', {
    'network': 'text', 'era': 'bigint', 'account_key': 'text', 'address': 'text', 'status': 'text',
    'checked_at': 'timestamp with time zone',
}) }}

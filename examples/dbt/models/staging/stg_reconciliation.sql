{{ staking_view('staking_reconciliation', {
    'network': 'text', 'era': 'bigint', 'subject': 'text', 'agrees': 'boolean', 'finding': 'text', 'text': 'text',
    'checked_at': 'timestamp with time zone',
}) }}

{{ staking_view('staking_payouts', {
    'network': 'text', 'era': 'bigint', 'part': 'bigint', 'state': 'text', 'user_key': 'text', 'staking_nonce': 'amount', 'fee': 'amount',
    'tx_hash': 'text', 'confirmed_at': 'timestamp with time zone',
}) }}

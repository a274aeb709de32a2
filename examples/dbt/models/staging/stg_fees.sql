{{ staking_view('staking_fees', {
    'network': 'text', 'era': 'bigint', 'part': 'bigint', 'payment_nonce': 'amount', 'fee': 'amount', 'purpose': 'text',
    'signed_at': 'timestamp with time zone',
}) }}

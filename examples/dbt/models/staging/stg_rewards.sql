{{ staking_view('staking_rewards', {
    'network': 'text', 'era': 'bigint', 'account_key': 'text', 'address': 'text', 'amount': 'amount', 'source': 'text',
}) }}

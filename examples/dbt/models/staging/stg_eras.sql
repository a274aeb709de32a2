{{ staking_view('staking_eras', {
    'network': 'text', 'era': 'bigint', 'chain': 'text', 'ended_at': 'timestamp with time zone', 'state': 'text', 'parts': 'bigint',
    'confirmed_parts': 'bigint', 'fee': 'amount', 'fee_scaled': 'double precision', 'reward': 'amount', 'reward_scaled': 'double precision',
    'symbol': 'text', 'decimals': 'bigint',
    'confirmed_at': 'timestamp with time zone', 'lag_seconds': 'double precision',
}) }}

-- A row is an era of a network. NULL is unknown.
with wasted as (
    select network, era, count(*) as wasted_fees from {{ ref('stg_fees') }} where purpose = 'wasted' group by network, era
),

accounts as (
    select
        network,
        era,
        count(*) as accounts,
        sum(case when status = 'isStaking' then 1 else 0 end) as accounts_staking
    from {{ ref('stg_statuses') }}
    group by network, era
),

compared as (
    select
        network,
        era,
        sum(case when agrees then 0 else 1 end) as differences
    from {{ ref('stg_reconciliation') }}
    where agrees is not null
    group by network, era
)

select
    eras.*,
    coalesce(wasted.wasted_fees, 0) as wasted_fees,
    accounts.accounts,
    accounts.accounts_staking,
    compared.differences
from {{ ref('stg_eras') }} as eras
left join wasted on wasted.network = eras.network and wasted.era = eras.era
left join accounts on accounts.network = eras.network and accounts.era = eras.era
left join compared on compared.network = eras.network and compared.era = eras.era

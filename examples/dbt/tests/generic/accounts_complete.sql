{#-
    Each paid era has a status of each account in the variable `staking_accounts`.

    The ledger keeps the statuses of the newest eras. So an era without statuses counts if it comes after a paid era with statuses.
-#}
{% test accounts_complete(model) %}
select network, era, accounts, configured
from (
    select
        network,
        era,
        state,
        accounts,
        min(case when accounts is not null and state = 'PAID' then era end)
            over (partition by network) as first_era,
        {{ staking_by_network('staking_accounts', 'bigint') }} as configured
    from {{ model }}
) as eras
where state in ('PAID', 'ALREADY_PAID') and coalesce(accounts, case when era > first_era then 0 end) <> configured
{% endtest %}

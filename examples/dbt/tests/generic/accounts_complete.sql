{#- From the first era with statuses on, each paid era has a status of each account in the variable `staking_accounts`. -#}
{% test accounts_complete(model) %}
select network, era, accounts, configured
from (
    select
        network,
        era,
        state,
        accounts,
        min(case when accounts is not null then era end) over (partition by network) as first_era,
        {{ staking_by_network('staking_accounts', 'bigint') }} as configured
    from {{ model }}
) as eras
where configured is not null and era >= first_era and state in ('PAID', 'ALREADY_PAID') and coalesce(accounts, 0) <> configured
{% endtest %}

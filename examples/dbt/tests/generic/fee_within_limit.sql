{#- No era costs more than the variable `staking_max_fee` allows. An unknown fee passes. -#}
{% test fee_within_limit(model) %}
select network, era, fee, fee_limit
from (select network, era, fee, {{ staking_by_network('staking_max_fee', 'amount') }} as fee_limit from {{ model }}) as eras
where fee > fee_limit
{% endtest %}

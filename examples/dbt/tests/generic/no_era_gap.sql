{#- Between the first and the last era of a network, each era has one row. -#}
{% test no_era_gap(model) %}
select network, era, previous
from (select network, era, lag(era) over (partition by network order by era) as previous from {{ model }}) as eras
where previous is not null and era <> previous + 1
{% endtest %}

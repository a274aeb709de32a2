{% test one_confirmed_payout_per_part(model) %}
select network, era, part, count(*) as payouts
from {{ model }}
where state = 'CONFIRMED'
group by network, era, part
having count(*) > 1
{% endtest %}

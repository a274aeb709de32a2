{% test no_difference(model, column_name) %}
select network, era from {{ model }} where {{ column_name }} > 0
{% endtest %}

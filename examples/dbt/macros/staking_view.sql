{#- The columns of a view of the ledger, with the same types on DuckDB and PostgreSQL.

    Exported files have amounts as text, because Parquet has no number of 39 digits. An era without rows in a view has no file.
    `columns`: column to type; the type `amount` is a whole number of up to 39 digits.
-#}
{% macro staking_view(name, columns) -%}
{%- set source = source('staking', name) -%}
{%- set empty = target.type == 'duckdb' and execute and not staking_files(name) -%}
{%- if empty and name == 'staking_eras' -%}
{{ exceptions.raise_compiler_error(
    "no Parquet file of staking_eras is in staking_export, " ~ var('staking_export')
    ~ ". Fill it: airflow staking export --format parquet --target /its/absolute/path") }}
{%- endif -%}
select
{%- for column, type in columns.items() %}
    cast({{ 'null' if empty else column }} as {{ staking_type(type) }}) as {{ column }}{{ ',' if not loop.last }}
{%- endfor %}
{%- if empty %}
where false
{%- else %}
from {{ source }}
{%- endif %}
{%- endmacro %}

{% macro staking_files(name) -%}
{%- set found = run_query("select count(*) from glob('" ~ var('staking_export') ~ "/*/" ~ name ~ "/*.parquet')") -%}
{{- return(found.columns[0].values()[0] > 0) -}}
{%- endmacro %}

{% macro staking_type(type) -%}
{%- if type != 'amount' -%}{{ type }}{%- else -%}{{ 'uhugeint' if target.type == 'duckdb' else 'numeric(39,0)' }}{%- endif -%}
{%- endmacro %}

{#- A value by network, from a variable such as {mainnet: 120}; NULL for other networks. -#}
{% macro staking_by_network(variable, type) -%}
case network
{%- for network, value in var(variable).items() %} when '{{ network }}' then cast('{{ value }}' as {{ staking_type(type) }}){% endfor %}
{%- if not var(variable) %} when '' then cast(null as {{ staking_type(type) }}){% endif %} end
{%- endmacro %}

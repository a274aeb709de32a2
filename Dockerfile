# Airflow with the staking gateway provider, from the locked and hashed requirements.
ARG BASE=python:3.11-slim-bookworm

FROM ${BASE} AS build
WORKDIR /src
RUN python3 -m venv /opt/airflow
COPY requirements.lock ./
RUN /opt/airflow/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY include/staking_gateway include/staking_gateway
COPY plugins/staking_gateway_provider plugins/staking_gateway_provider
RUN /opt/airflow/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps --no-build-isolation .

FROM ${BASE}
RUN useradd --uid 50000 --create-home --home-dir /home/airflow airflow \
    && install -d -o airflow -g airflow /var/lib/airflow
COPY --from=build /opt/airflow /opt/airflow
COPY dags /opt/staking/dags
COPY include/staking.yaml /opt/staking/include/staking.yaml
ENV PATH=/opt/airflow/bin:$PATH \
    AIRFLOW_HOME=/var/lib/airflow \
    AIRFLOW__CORE__DAGS_FOLDER=/opt/staking/dags \
    AIRFLOW__CORE__LOAD_EXAMPLES=False \
    STAKING_GATEWAY_CONFIG=/opt/staking/include/staking.yaml
USER airflow
WORKDIR /var/lib/airflow
CMD ["airflow", "version"]

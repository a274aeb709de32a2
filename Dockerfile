# Airflow with the staking gateway provider: this checkout's wheel, and of requirements.lock what it needs to run, by hash.
ARG BASE=python:3.11.14-slim-bookworm

FROM ${BASE} AS build
WORKDIR /src
COPY requirements.lock ./
# Both secrets may be left out: a pip.conf that names a package index of your own, and its certificates. They are in no layer.
RUN --mount=type=secret,id=pip.conf,target=/etc/pip.conf --mount=type=secret,id=ca.crt \
    python3 -m venv /opt/uv \
    && sed -n '/^uv==/,/# via/p' requirements.lock >/opt/uv/uv.lock \
    && /opt/uv/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps --require-hashes -r /opt/uv/uv.lock \
    && python3 -m venv --without-pip /opt/airflow
COPY deploy/image/uv deploy/image/only_locked.py /opt/build/
COPY pyproject.toml hatch_build.py ./
# asyncpg is how Airflow itself reads a metadata database in PostgreSQL.
RUN --mount=type=secret,id=pip.conf,target=/etc/pip.conf --mount=type=secret,id=ca.crt \
    /opt/build/uv pip install --python /opt/airflow/bin/python --compile-bytecode \
    --constraint requirements.lock --extra postgres --extra celery -r pyproject.toml asyncpg
COPY README.md LICENSE ./
COPY include/staking_gateway include/staking_gateway
COPY include/staking_gateway_simulator include/staking_gateway_simulator
COPY plugins/staking_gateway_provider plugins/staking_gateway_provider
COPY include/staking.yaml include/staking.yaml
COPY dags dags
RUN --mount=type=secret,id=pip.conf,target=/etc/pip.conf --mount=type=secret,id=ca.crt \
    /opt/build/uv build --wheel --build-constraints requirements.lock --require-hashes --out-dir /opt/wheel \
    && /opt/build/uv pip install --python /opt/airflow/bin/python --compile-bytecode --no-deps /opt/wheel/*.whl \
    && /opt/airflow/bin/python /opt/build/only_locked.py requirements.lock airflow-provider-staking-gateway

FROM ${BASE}
LABEL org.opencontainers.image.title="Airflow with the staking gateway provider" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN groupadd --gid 50000 airflow \
    && useradd --no-log-init --uid 50000 --gid 50000 --create-home airflow \
    && install -d -o airflow -g airflow /var/lib/airflow /var/lib/simulator /var/log/airflow
COPY --from=build /opt/airflow /opt/airflow
COPY deploy/image/secret deploy/image/connections.py deploy/image/health.py deploy/image/check_secrets.py /opt/staking/bin/
COPY include/staking.yaml /opt/staking/include/staking.yaml
COPY dags /opt/staking/dags
ENV PATH=/opt/airflow/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    AIRFLOW_HOME=/var/lib/airflow \
    AIRFLOW__CORE__DAGS_FOLDER=/opt/staking/dags \
    AIRFLOW__CORE__LOAD_EXAMPLES=False \
    AIRFLOW__LOGGING__BASE_LOG_FOLDER=/var/log/airflow \
    STAKING_GATEWAY_CONFIG=/opt/staking/include/staking.yaml
USER 50000:50000
WORKDIR /var/lib/airflow
CMD ["airflow", "version"]

# Stands in for apache/airflow: the user, folders, variables and start that Airflow's documentation of its image describes.
# It has the locked Airflow and Debian's Python, and none of the many providers of the official image.
ARG BASE
FROM ${BASE} AS build
WORKDIR /src
COPY requirements.lock ./
RUN --mount=type=secret,id=pip.conf,target=/etc/pip.conf --mount=type=secret,id=ca.crt \
    python3 -m venv /opt/uv \
    && sed -n '/^uv==/,/# via/p' requirements.lock >/opt/uv/uv.lock \
    && /opt/uv/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps --require-hashes -r /opt/uv/uv.lock
COPY uv /opt/build/
ARG AIRFLOW_VERSION
RUN --mount=type=secret,id=pip.conf,target=/etc/pip.conf --mount=type=secret,id=ca.crt \
    umask 0002 \
    && python3 -m venv /home/airflow/.local \
    && /opt/build/uv pip install --python /home/airflow/.local/bin/python --compile-bytecode \
    --constraint requirements.lock "apache-airflow==${AIRFLOW_VERSION}"

FROM ${BASE}
ARG AIRFLOW_VERSION
RUN useradd --no-log-init --uid 50000 --gid 0 --create-home airflow \
    && install -d -o airflow -g 0 -m 775 /home/airflow /opt/airflow /opt/airflow/dags /opt/airflow/logs \
    && chmod g=u /etc/passwd
COPY --from=build --chown=50000:0 /home/airflow/.local /home/airflow/.local
COPY airflow-entrypoint /entrypoint
ENV PATH=/home/airflow/.local/bin:$PATH \
    AIRFLOW_HOME=/opt/airflow \
    AIRFLOW_VERSION=${AIRFLOW_VERSION}
USER 50000:0
WORKDIR /opt/airflow
ENTRYPOINT ["/entrypoint"]
CMD []

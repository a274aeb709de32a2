#!/usr/bin/env bash
# Builds .venv from requirements.lock. Needs Python 3.11 to 3.14 and a package index; the index is the one pip is set up with.
set -euo pipefail
cd "$(dirname "$0")"

python="${PYTHON:-python3}"
command -v "$python" >/dev/null || { echo "setup: no $python found; install Python 3.11 to 3.14, or set PYTHON" >&2; exit 2; }
"$python" - <<'CHECK' || exit 2
import sys
if not (3, 11) <= sys.version_info < (3, 15):
    sys.exit(f"setup: this is Python {sys.version.split()[0]}; set PYTHON to one of 3.11 to 3.14")
CHECK

started=$SECONDS
# An installation takes a minute or more: this tells that it goes on, and ends with this script however that ends.
(while sleep 4 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do echo "setup: $((SECONDS - started)) s"; done) &
trap 'kill %1 2>/dev/null || true' EXIT
# Where there is a .venv without pip, making it was interrupted. Whatever pip is set up with does not count here.
if ! PIP_CONFIG_FILE=/dev/null .venv/bin/python -m pip --isolated --version >/dev/null 2>&1; then
    "$python" -m venv --clear .venv || { echo "setup: cannot make .venv; on Debian: apt-get install python3-venv" >&2; exit 2; }
fi

uv_version=$(sed -n 's/^uv==\([^ ]*\).*/\1/p' requirements.lock)
if ! .venv/bin/uv --version 2>/dev/null | grep -q "^uv $uv_version"; then
    grep -A 30 "^uv==" requirements.lock | sed -n '1p; /--hash/p; 2,${/^[a-z]/q}' >.venv/uv.lock
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r .venv/uv.lock
fi

# uv does not read pip's settings: hand it the index pip uses, unless it has been given one.
index=$(.venv/bin/python -m pip config get global.index-url 2>/dev/null || true)
index="${PIP_INDEX_URL:-$index}"
[ -z "$index" ] || export UV_DEFAULT_INDEX="${UV_DEFAULT_INDEX:-$index}"
[ -z "${PIP_CERT:-}" ] || export SSL_CERT_FILE="${SSL_CERT_FILE:-$PIP_CERT}"

echo "setup: installing requirements.lock into .venv"
# Compiled once: hundreds of processes of the suites, one for each Airflow task, import these packages.
if ! .venv/bin/uv pip install --compile-bytecode --quiet --python .venv/bin/python --require-hashes -r requirements.lock; then
    echo "setup: uv could not install it, pip tries" >&2
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
fi
.venv/bin/uv pip install --quiet --python .venv/bin/python --no-deps --no-build-isolation --editable .
touch .venv/ready
echo "setup: ready in $((SECONDS - started)) s"

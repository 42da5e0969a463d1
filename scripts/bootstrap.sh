#!/usr/bin/env bash
# Makes the environment: a virtual environment with Muninn installed editable, and what its checks and builds need.
#
# Usage: scripts/bootstrap.sh VENV        PYTHON names another interpreter than the first one that is new enough.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
venv=${1:-.venv}

new_enough() {
  command -v "$1" >/dev/null && "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

find_python() {
  local name
  for name in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python}; do
    if new_enough "$name"; then
      echo "$name"
      return
    fi
  done
  echo "Muninn needs Python 3.11 or later; ${PYTHON:-python3} is older or absent. PYTHON=… names another one." >&2
  exit 1
}

python=$(find_python)
if [ ! -x "$venv/bin/python" ]; then
  echo "Making $venv with $("$python" --version) …"
  "$python" -m venv "$venv" || {
    rm -rf "$venv"
    echo "Python has no venv here; on Debian and Ubuntu: apt-get install python3-venv" >&2
    exit 1
  }
fi
echo "Installing Muninn and its tools into $venv …"
install="$venv/bin/python -m pip install -qq --disable-pip-version-check"
locked=$("$venv/bin/python" scripts/lock.py --path)
if [ "${CI:-}" = true ] && [ -f "$locked" ]; then
  # Exactly the files of the lock. The build backend is among them, so that nothing else is fetched.
  $install --require-hashes --no-deps --requirement "$locked"
  $install --no-deps --no-build-isolation --editable .
  "$venv/bin/python" -m pip check
else
  # Dependency groups came with pip 25.1.
  $install --upgrade 'pip>=25.1'
  # The build backend is installed, too, so that building a wheel in a test needs no network.
  build=$("$venv/bin/python" -c '
import tomllib
print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"])')
  # shellcheck disable=SC2086 # the requirements are words
  $install --group dev --editable . $build
fi
# The text encoder is built from a package's weights. Without it, memories are compared by the table of tokens.
"$venv/bin/python" scripts/encoder/build.py || [ "${CI:-}" != true ]
touch "$venv/.ready"

#!/usr/bin/env bash
# Installs llama.cpp's server for the tests, pinned, from the wheel of xllamacpp. A second call costs nothing.
#
# Usage: scripts/install-inference.sh        It goes to .tools/inference in this checkout.
# Ends with 0 when it is ready, and its folder as the only line; with 1 and the reason as the last line otherwise.
set -euo pipefail

version=2026.10.11549
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
dir=$root/.tools/inference

mkdir -p "$dir"
# Two runs at once would install into each other.
exec 9>"$dir/.lock"
flock 9

if [ ! -e "$dir/.installed-$version" ]; then
  "$root/.venv/bin/python" -m pip install -qq --disable-pip-version-check --no-deps --only-binary :all: \
    --upgrade --target "$dir" "xllamacpp==$version" >&2
  touch "$dir/.installed-$version"
fi
echo "$dir"

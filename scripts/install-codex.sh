#!/usr/bin/env bash
# Installs a real Codex CLI for the tests: the one native program, pinned, from its platform's npm package. The package
# around it is not needed, nor is Node to run it. A second call costs nothing.
#
# Usage: scripts/install-codex.sh [DIR]        DIR defaults to .tools/codex in this checkout; the program is DIR/bin/codex.
# Ends with 0 when it is ready, 1 with the reason as the last line when it can't be installed here.
set -euo pipefail

version=0.169.0

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
dir=${1:-$root/.tools/codex}
export npm_config_cache=${npm_config_cache:-$root/.tools/npm}
export npm_config_update_notifier=false

refuse() {
  echo "Codex can't be installed: $*" >&2
  exit 1
}

platform() {
  [ "$(uname -s)" = Linux ] || refuse "only Linux is supported, this is $(uname -s)"
  case $(uname -m) in
    x86_64) echo linux-x64 ;;
    aarch64 | arm64) echo linux-arm64 ;;
    *) refuse "no build for $(uname -m)" ;;
  esac
}

mkdir -p "$dir"
cd "$dir"
# Two runs at once would unpack into each other.
exec 9>.lock
flock 9
stamp=".installed-$version"
[ -e "$stamp" ] && exit 0

command -v npm >/dev/null || refuse "there is no npm"
target=$(platform)
rm -f .installed-* ./*.tgz
archive=$(npm pack --silent "@openai/codex@$version-$target") || refuse "npm has no build for us (offline?)"
tar -xzf "$archive" --strip-components=3 --wildcards --no-wildcards-match-slash 'package/vendor/*/bin/codex' || refuse "the package has another layout"
rm -f "$archive"
chmod 755 bin/codex
touch "$stamp"

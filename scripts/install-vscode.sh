#!/usr/bin/env bash
# Installs a real VS Code for the extension's tests: its server part, which runs extensions, and the Node it needs.
# Both come from npm, because the desktop build can't be had there; a Chromium on the machine shows the window.
# A second call with the same versions costs nothing.
#
# Usage: scripts/install-vscode.sh [DIR]        DIR defaults to .tools/vscode in this checkout.
# Ends with 0 when VS Code is ready, 1 with the reason as the last line when it can't be installed here.
set -euo pipefail

code_server=4.139.1 # carries VS Code 1.139.1
node=24.21.0        # the server needs registerHooks of node:module (22.15 and later)

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
dir=${1:-$root/.tools/vscode}
export npm_config_cache=${npm_config_cache:-$root/.tools/npm}
export npm_config_update_notifier=false

refuse() {
  echo "VS Code can't be installed: $*" >&2
  exit 1
}

platform() {
  [ "$(uname -s)" = Linux ] || refuse "only Linux is supported, this is $(uname -s)"
  case $(uname -m) in
    x86_64) echo linux-x64 ;;
    aarch64 | arm64) echo linux-arm64 ;;
    *) refuse "no Node build for $(uname -m)" ;;
  esac
}

# Download SPEC and put the contents of FOLDER inside the package into the directory INTO.
unpack() {
  local spec=$1 folder=$2 into=$3 archive depth
  archive=$(npm pack --silent "$spec") || refuse "npm has no $spec for us (offline?)"
  depth=$(tr '/' '\n' <<<"$folder" | wc -l)
  mkdir -p "$into"
  tar -xzf "$archive" -C "$into" --strip-components="$depth" "$folder"
  rm -f "$archive"
}

find_chromium() {
  local name
  for name in ${CHROMIUM:-chromium chromium-browser google-chrome google-chrome-stable}; do
    command -v "$name" && return
  done
  return 1
}

# Leave a link to the browser beside VS Code, so that the tests need not look for it.
install_chromium() {
  local browser
  if ! browser=$(find_chromium); then
    command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] || refuse "there is no chromium, and only root may add it with apt-get"
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null \
      || refuse "apt-get has no chromium for us"
    browser=$(find_chromium) || refuse "there is no chromium, though it was installed"
  fi
  ln -sfn "$browser" chromium
}

install_vscode() {
  local target
  target=$(platform)
  rm -rf node vscode
  unpack "node-$target@$node" package node
  unpack "code-server@$code_server" package/lib/vscode vscode
  # The headers are in Node's package: node-gyp downloads none, and follows no setting that means another Node.
  export PATH="$PWD/node/bin:$PATH" npm_config_nodedir="$PWD/node"
  # Ten native modules would be compiled by their install scripts. Only two of them lack a prebuilt file and are
  # needed: spdlog writes the output channels, the watchdog ends the extension host with its parent.
  (
    cd vscode
    npm install --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error
    npm rebuild --loglevel=error @vscode/spdlog @vscode/native-watchdog
    rm -rf extensions/copilot
  ) || refuse "its packages could not be installed or compiled (a C++ compiler and make are needed)"
}

command -v npm >/dev/null || refuse "there is no npm; Node 20.19 or later is needed"
mkdir -p "$dir"
cd "$dir"
# Two runs at once would unpack into each other.
exec 9>.lock
flock 9
install_chromium
stamp=".installed-$code_server-$node"
[ -e "$stamp" ] && exit 0
install_vscode
touch "$stamp"

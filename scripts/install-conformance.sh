#!/usr/bin/env bash
# Installs MCP's conformance suite for the tests; see install-node-client.sh. The version that npm calls the latest does
# not know the protocol of 2026-07-28.
#
# Usage: scripts/install-conformance.sh [DIR]        DIR defaults to .tools/conformance in this checkout.
exec "$(dirname "${BASH_SOURCE[0]}")/install-node-client.sh" conformance @modelcontextprotocol/conformance 0.2.0-alpha.12 "$@"

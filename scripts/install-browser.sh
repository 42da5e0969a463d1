#!/usr/bin/env bash
# Installs what the tests of the page drive a Chromium with; see install-node-client.sh. The Chromium itself comes with
# install-vscode.sh.
#
# Usage: scripts/install-browser.sh [DIR]        DIR defaults to .tools/browser in this checkout.
set -euo pipefail
install="$(dirname "${BASH_SOURCE[0]}")/install-node-client.sh"
"$install" browser playwright-core 1.65.1 "$@"
"$install" browser axe-core 4.14.1 "$@"

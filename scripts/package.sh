#!/usr/bin/env bash
# Builds what is released into dist/: the sdist, the wheel made from it, and the VS Code extension where there is npm.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
.venv/bin/python scripts/encoder/build.py
.venv/bin/python -m build --no-isolation --outdir dist
if ! command -v npm >/dev/null; then
  echo "There is no npm: the VS Code extension was not packaged."
  exit 0
fi
cd vscode-extension
npm ci --no-audit --no-fund --loglevel=error
npm run --silent package
mv -- *.vsix ../dist/

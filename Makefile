# Targets run in .venv, which the first call creates. Requirements: Python 3.11+ and git.
# Real clients for tests go to .tools. Both folders can be deleted at any time.

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help demo test unit lint generate bench torture lock encoder package clean

help: ## Show the targets.
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(READY) ## Run Muninn on a clone of this project, with three clients of one daemon.
	@$(BIN)/python scripts/demo.py

test: $(READY) ## Run all checks and tests, with real clients where they can be installed.
	@$(BIN)/python scripts/check.py

unit: $(READY) ## Run the quick tests, without daemons and real clients.
	@$(BIN)/python scripts/check.py unit

lint: $(READY) ## Check format, lint, generated files, import layers and types.
	@$(BIN)/python scripts/check.py lint

generate: $(READY) ## Write the files generated from the catalogue.
	@$(BIN)/python scripts/generate.py

bench: $(READY) ## Measure performance on this machine.
	@$(BIN)/python bench/run.py

torture: $(READY) ## Run the torture tests. PARTS, SECONDS, COUNT and SEED choose what and how long.
	@PYTHONPATH=tests $(BIN)/python -m torture $(PARTS) $(if $(SECONDS),--seconds $(SECONDS)) \
		$(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED)) $(if $(RUNS),--runs $(RUNS)) \
		$(if $(REPORT),--report $(REPORT))

lock: $(READY) ## Renew the locked requirements of CI and the list of licences.
	@$(BIN)/python scripts/lock.py
	@$(BIN)/python scripts/licences.py

encoder: $(READY) ## Build the text encoder of the package, when it could not be built before.
	@$(BIN)/python scripts/encoder/build.py

package: $(READY) ## Build the sdist, the wheel and, with npm, the VS Code extension.
	@scripts/package.sh

clean: ## Remove everything built or installed here.
	@if [ -x $(BIN)/muninn ]; then $(BIN)/muninn daemon stop >/dev/null 2>&1 || true; fi
	@rm -rf $(VENV) .tools dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	@rm -rf vscode-extension/node_modules vscode-extension/dist vscode-extension/*.vsix bench/out
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml scripts/bootstrap.sh scripts/encoder/build.py scripts/encoder/graph.py scripts/encoder/adapter.npz
	@scripts/bootstrap.sh $(VENV)

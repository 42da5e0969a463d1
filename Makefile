# Everything is done in .venv, which the first target that is called makes: Python 3.11+ and git are enough.
# Real clients for tests go to .tools; both folders can be deleted at any moment.

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help demo test unit lint generate bench package clean

help: ## Show the targets.
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(READY) ## Index this project, remember, recall and hand out context, from two clients of one daemon.
	@$(BIN)/python scripts/demo.py

test: $(READY) ## Run every check and every test, with the real clients that this machine may have.
	@$(BIN)/python scripts/check.py

unit: $(READY) ## Run the quick tests: no daemon, no real client.
	@$(BIN)/python scripts/check.py unit

lint: $(READY) ## Run the checks that run no code.
	@$(BIN)/python scripts/check.py lint

generate: $(READY) ## Write the files that are made from the catalogue.
	@$(BIN)/python scripts/generate.py

bench: $(READY) ## Measure the figures of bench/ on this machine.
	@$(BIN)/python bench/run.py

package: $(READY) ## Build the sdist, the wheel from it, and the VS Code extension where there is npm.
	@scripts/package.sh

clean: ## Remove everything that was built or installed here.
	@if [ -x $(BIN)/muninn ]; then $(BIN)/muninn daemon stop >/dev/null 2>&1 || true; fi
	@rm -rf $(VENV) .tools dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	@rm -rf vscode-extension/node_modules vscode-extension/dist vscode-extension/*.vsix bench/out
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml scripts/bootstrap.sh
	@scripts/bootstrap.sh $(VENV)

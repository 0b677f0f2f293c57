# `make up` runs Footnote, `make test` tests it; each makes what it needs first.

PYTHON ?= $(shell for p in python3.11 python3.12 python3; do $$p --version >/dev/null 2>&1 && { command -v $$p; break; }; done)
BIN := .venv/bin
STAMP := .venv/installed

.PHONY: help install up test test-fast test-integration test-system coverage frameworks chaos soak rolling docker-verify fuzz mutate check lint types contracts bench reference site screenshots vendor samples constraints audit-libraries sbom openapi-requests clean

help: ## Say what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

install: $(STAMP) ## Make the virtual environment .venv with everything in it (TORCH=cpu or TORCH=cuda)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 12))' || { echo "Footnote needs Python 3.11 or 3.12; name one with PYTHON=..."; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo 'Installing into .venv takes some minutes.'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt $$($(PYTHON) deploy/torch_build.py $(TORCH)) $(PIP_ARGS) --editable '.[dev]'
	@touch $(STAMP)

up: install ## Start Footnote on this machine (FOOTNOTE_PORT, FOOTNOTE_DATA)
	@$(BIN)/footnote up --no-browser

test: install ## Every test; each part runs even if one before it failed, the sum comes last (COVERAGE=unit measures)
	$(BIN)/python -m tests.run_parts $(if $(COVERAGE),--coverage $(COVERAGE))

test-fast: install ## Unit, property, contract and architecture tests only
	$(BIN)/python -m tests.run_parts unit rules

test-integration: install ## Parts of services over real stores and processes only
	$(BIN)/python -m tests.run_parts integration

test-system: install ## Whole systems only
	$(BIN)/python -m tests.run_parts system

coverage: install ## Every test, and how much of each package it executes; takes longer
	$(BIN)/python -m tests.run_parts --coverage unit rules integration system

frameworks: install ## The pages on LangChain, LlamaIndex and Haystack against the real ones, in environments of their own
	$(BIN)/python -m tests.framework_pages

chaos: install ## Kill, freeze and empty parts under load, then audit (SEED=1 FAULTS=25 USERS=4 STORE=folder|objects); takes minutes
	$(BIN)/python -m tests.chaos.run --seed $(or $(SEED),1) --faults $(or $(FAULTS),25) --users $(or $(USERS),4) --store $(or $(STORE),folder)

soak: install ## Work for half an hour without a fault, and look whether a process grows (MINUTES=30 SEED=1 USERS=2)
	$(BIN)/python -m tests.chaos.soak --minutes $(or $(MINUTES),30) --seed $(or $(SEED),1) --users $(or $(USERS),2)

rolling: install ## Replace every role under load without a failed request (FROM=commit: from its release, and back; USERS=3 READERS=4 READING_S=0); takes minutes
	$(BIN)/python -m tests.rolling.run $(if $(FROM),--from $(FROM)) --users $(or $(USERS),3) --readers $(or $(READERS),4) --reading-s $(or $(READING_S),0)

docker-verify: install ## Build every image, start the compose file and use it; made-up base images where no registry answers (WHEELS=URL, BUILT=1)
	$(BIN)/python -m tests.containers.verify $(if $(WHEELS),--wheels $(WHEELS)) $(if $(BUILT),--built)

fuzz: install ## Property tests on new random cases until one fails
	while $(BIN)/python -m pytest -q -n 2 --hypothesis-profile=search tests/properties; do :; done

mutate: install ## Change the code a little and tell what no test notices (ONLY=judge.py, NUMBERS=1); takes long
	$(BIN)/python -m tests.mutation $(if $(ONLY),--only $(ONLY)) $(if $(NUMBERS),--numbers)

check: lint types contracts ## Lint, types and import contracts

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: install
	$(BIN)/mypy shared services/ingest services/retriever services/agent services/resolver shell deploy tests

contracts: install
	$(BIN)/lint-imports

bench: install ## The figures of docs/benchmarks.md, on this machine
	$(BIN)/footnote bench

site: install ## The documentation as a site, in build/site; every link is checked
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --config-file deploy/site/mkdocs.yml

screenshots: install ## The pictures of the console in the documentation, taken anew
	$(BIN)/python -m tests.screenshots

vendor: ## Fetch the libraries of the console again, in the versions that deploy/vendor_console.py names (needs npm)
	@$(PYTHON) deploy/vendor_console.py

samples: install ## Write the sample documents of `footnote demo` that are no plain text
	@$(BIN)/python deploy/make_samples.py

reference: install ## Write the tables of the docs from the code
	$(BIN)/python -m footnote_cli.reference .

constraints: ## Write constraints.txt anew from a fresh installation
	rm -rf .venv-fresh && $(PYTHON) -m venv .venv-fresh
	.venv-fresh/bin/python -m pip install --quiet $(PIP_ARGS) 'torch==2.13.0' --editable '.[dev]'
	.venv-fresh/bin/python -m pip freeze --exclude-editable | sed 's/ @ file.*torch-\([0-9.]*\).*/==\1/; s/+cpu$$//' > constraints.txt
	rm -rf .venv-fresh

AUDIT := .venv-audit

$(AUDIT)/installed:
	@$(PYTHON) -m venv $(AUDIT)
	@$(AUDIT)/bin/python -m pip install --quiet --disable-pip-version-check pip-audit cyclonedx-bom schemathesis
	@touch $@

audit-libraries: $(AUDIT)/installed ## Known weaknesses of the libraries that we pin (asks pypi.org)
	@$(AUDIT)/bin/pip-audit --strict --disable-pip --no-deps --requirement constraints.txt || { echo 'It found something, or pypi.org did not answer: in that case nothing was audited.'; exit 1; }

sbom: $(AUDIT)/installed ## Write sbom.json, the list of all libraries that we pin, as CycloneDX
	@$(AUDIT)/bin/cyclonedx-py requirements constraints.txt --output-format JSON --output-file sbom.json

# What may end the key that asks comes last: behind it every answer is a 401, and nothing is tried any more.
ENDING := '/v1/(keys|avatars|workspaces)/'
SCHEMATHESIS = $(AUDIT)/bin/schemathesis run --url $(URL) --checks not_a_server_error --phases examples,coverage,fuzzing --max-examples $(or $(EXAMPLES),8) --seed $(or $(SEED),1) --suppress-health-check all $(URL)

openapi-requests: $(AUDIT)/installed ## Requests made from the OpenAPI documents (URL= and KEYS="one another" of a system for tests)
	@test -n "$(URL)" && test -n "$(KEYS)" || { echo 'Give URL=http://127.0.0.1:8000 and KEYS="fn_one fn_another". The system fills with what is sent.'; exit 1; }
	@for key in $(KEYS); do for service in ingest retriever agent resolver; do $(SCHEMATHESIS)/$$service/openapi.json --header "Authorization: Bearer $$key" --exclude-path-regex $(ENDING) || exit 1; done; for service in ingest agent; do $(SCHEMATHESIS)/$$service/openapi.json --header "Authorization: Bearer $$key" --include-path-regex $(ENDING) || exit 1; done; done

clean: ## Remove the environment and caches, not the data
	rm -rf .venv $(AUDIT) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

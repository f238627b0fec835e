# Social Code. `make run` is all a newcomer needs; `make help` lists the rest.

# The Python to make the environment of; without a choice it is the newest that is supported.
PYTHON ?=
# Another Python to run programs on, such as a newer one.
SANDBOX_PYTHON ?=
VENV := .venv/bin
PORT ?= 8000
HOST ?= 127.0.0.1
JOBS ?= 3

# Many processes start here, and none should compile what another has compiled.
unexport PYTHONDONTWRITEBYTECODE

.NOTPARALLEL:
.DEFAULT_GOAL := help
.PHONY: docs help run test test-slow test-pythons check audit messages screenshots fuzz sequences chaos chaos-hosts client format lock clean environment development sandbox frontend

help: ## Lists what can be made
	@sed -n 's/^\([a-z%-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

# The launcher ties the site to this very make: killed, it takes the site along.
run: environment frontend docs $(if $(SANDBOX_PYTHON),sandbox) ## Starts the site on port 8000 (PORT=... for another)
	@PORT=$(PORT) HOST=$(HOST) $(SANDBOX_SETTING) SOCIALCODE_DEVELOPMENT=$${SOCIALCODE_DEVELOPMENT:-1} \
	  exec $(VENV)/python -I -S socialcode/embedded/launcher.py $$PPID 15 as-is \
	  $(VENV)/python manage.py dev $(ARGS)

test: development frontend docs ## Runs the tests that take minutes (ARGS=... for pytest)
	@$(PYTEST) -m "not slow" $(ARGS)

test-slow: development frontend docs ## Runs the long tail: corpora, browsers, kills, whole machines
	@$(PYTEST) -m slow $(ARGS)
PYTEST = $(VENV)/pytest -n $(JOBS) --dist loadgroup --no-loadscope-reorder --max-worker-restart 0

test-pythons: development frontend docs ## Tests the sandbox, samples and `make run` on all Pythons there are
	@$(VENV)/python -m tests.every_python $(ARGS)

check: development ## Lints, checks types, import rules, migrations, settings and templates
	@$(VENV)/ruff check --quiet .
	@$(VENV)/ruff format --quiet --check .
	@$(VENV)/mypy
	@said=$$($(VENV)/lint-imports --no-cache --no-logo) || { echo "$$said"; exit 1; }
	@$(WITHOUT_DATABASE) $(VENV)/python -W ignore::RuntimeWarning manage.py makemigrations \
	  --check --dry-run
	@$(WITHOUT_DATABASE) $(VENV)/python manage.py check --deploy --fail-level WARNING
	@$(VENV)/djlint --quiet --lint templates
	@long=$$(git log --format=%s $(SUBJECTS_SINCE)..HEAD 2> /dev/null | grep -E '.{73}') || exit 0; \
	  echo "Subjects of commits over 72 characters:"; echo "$$long"; exit 1
	@echo "All checks passed."
# The last commit whose subject may be longer.
SUBJECTS_SINCE := 2a65875
# Settings as in production; what is checked needs no database.
WITHOUT_DATABASE := SOCIALCODE_DEVELOPMENT=0 SOCIALCODE_DATABASE_POOL=0 \
  SOCIALCODE_LOG_LEVEL=ERROR SOCIALCODE_VAR=$(CURDIR)/var/checks

docs: | environment ## Builds the documentation that the site serves below /docs/
	@$(VENV)/python -m socialcode.documentation.build

audit: development ## Looks up known vulnerabilities of all libraries (asks PyPI and npm)
	@$(VENV)/python -m tests.audit

messages: development ## Brings the catalogues of translations up to date
	@$(VENV)/python -m tests.messages

screenshots: development frontend ## Renders every type of page into docs/images
	@$(VENV)/python -m tests.screenshots

fuzz: development ## Fuzzes the compiler, frames, the border and what texts cost (FUZZ_SECONDS=120)
	@FRAGMENTS=$(FRAGMENTS) $(VENV)/pytest -n 0 -q -o longest_test_seconds=0 \
	  tests/functions/test_costs.py -k fragment
	@for target in compiler javascript frames border subject; do \
	  $(VENV)/python -m fuzz $$target $(FUZZ_SECONDS) || exit 1; \
	done
FUZZ_SECONDS ?= 120
FRAGMENTS ?= 1000

sequences: development ## Compares the site with a model of its rules (SEQUENCES=1000)
	@SEQUENCES=$(SEQUENCES) $(VENV)/pytest -n 0 -rP -o longest_test_seconds=0 \
	  tests/functions/elections/test_rulebook.py
SEQUENCES ?= 1000

chaos: development ## Torments real processes under load (CHAOS_SECONDS=600, SEED=...)
	@$(VENV)/python -m chaos --seconds $(CHAOS_SECONDS) $(if $(SEED),--seed $(SEED))
CHAOS_SECONDS ?= 600

chaos-hosts: development ## Kills, cuts off and replaces hosts under load (HOSTS_SECONDS=420, SEED=...)
	@$(VENV)/python -m chaos.hosts --seconds $(HOSTS_SECONDS) $(if $(SEED),--seed $(SEED))
HOSTS_SECONDS ?= 420

client: development ## Builds the wheel of the client, for other machines, into var/client
	@$(VENV)/uv build --quiet --offline --wheel client --out-dir var/client
	@ls var/client/*.whl

format: development ## Puts code and templates into their one form
	@$(VENV)/ruff check --quiet --fix-only .
	@$(VENV)/ruff format --quiet .

bench-%: development frontend ## Runs one benchmark: bench-publish, bench-sandbox, bench-batches, ...
	@$(VENV)/python -m benchmarks.$(subst -,_,$*)

lock: development ## Pins the requirements anew, with their hashes
	@$(VENV)/uv pip compile --quiet $(UV) requirements.in --output-file requirements.txt
	@$(VENV)/uv pip compile --quiet $(UV) --constraint requirements.txt requirements-sandbox.in \
	  --output-file requirements-sandbox.txt
	@$(VENV)/uv pip compile --quiet $(UV) --constraint requirements.txt requirements-dev.in \
	  --output-file requirements-dev.txt
UV := --generate-hashes --universal --python-version 3.11 --no-header --no-emit-index-url

clean: ## Removes what can be made again; keeps the database
	@rm -rf .venv .venvs .venv-sandbox frontend/node_modules static/js static/css staticfiles documentation
	@rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

sandbox:
	@$(BOOTSTRAP) sandbox --python $(SANDBOX_PYTHON)
SANDBOX_SETTING = $(if $(SANDBOX_PYTHON),SOCIALCODE_SANDBOX_PYTHON=$(CURDIR)/.venv-sandbox/bin/python)

environment:
	@$(BOOTSTRAP) run $(CHOICE)

development:
	@$(BOOTSTRAP) development $(CHOICE)

# Any Python does to find the one that is wanted.
BOOTSTRAP = $(or $(PYTHON),$(firstword $(foreach minor,3 3.14 3.13 3.12 3.11,\
  $(shell command -v python$(minor)))),python3) bootstrap.py
CHOICE = $(if $(PYTHON),--python $(PYTHON))

frontend: | environment
	@$(VENV)/python -m socialcode.frontend

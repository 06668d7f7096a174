# `make help` lists the targets. Each target is one or two lines that you can also type yourself.
.DEFAULT_GOAL := help
.PHONY: help run test check check-infra build smoke bench hostile clients proxies browser cli acceptance nightly dry-run deploy

TOOLS := target/venv/bin
LAMBDA := PATH="$(CURDIR)/$(TOOLS):$$PATH" cargo lambda build --profile lambda --skip-target-check --locked $(if $(filter arm64,$(ARCHITECTURE)),--arm64)
FUNCTIONS := --features lambda --bins --workspace --exclude registry --exclude 'registry-*' --exclude cli --exclude local --exclude tests --exclude repository --exclude minimal-lambda
PROFILE ?= dev
BINARY := $${CARGO_TARGET_DIR:-target}/$(if $(filter dev,$(PROFILE)),debug,$(PROFILE))/registry
# Of the Lambda functions: x86_64 or arm64 (needs `rustup target add aarch64-unknown-linux-gnu`).
ARCHITECTURE ?= x86_64

# The suites of `make clients` and `make proxies`. Each can run alone: tests/clients/interop/run --newest
CLIENTS ?= archive/run interop/run oracle/run strangers/run funnel_walk/run conformance/mcp conformance/a2a conformance/tck openapi/run cli/run log_client/run package_registries/run products/run registry_clients/run signatures/run
PROXIES ?= caching_proxy/run search_backend/run second_engine/run

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  \1\t/' | expand -t 16

run: ## run the registry on this machine; PORT=8080 DATA=./data/registry.db or :memory: PUBLIC=1 PROFILE=release
	cargo build --profile $(PROFILE) --workspace --bin registry
	exec $(BINARY)

# Builds upon `make run`: both select the same features.
test: ## run all tests that need only cargo
	cargo test --workspace

check: ## check formatting and lints
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --all-features -- -D warnings
	cargo metadata --locked --format-version 1 --manifest-path tests/hostile/fuzz/Cargo.toml > /dev/null

check-infra: $(TOOLS)/.installed ## check the SAM template and the GitHub workflows; needs no AWS account and no network
	$(TOOLS)/actionlint
	infra/check
	cargo test --workspace --test end_to_end template::

build: $(TOOLS)/.installed ## build the Lambda functions: target/lambda/<function>/bootstrap.zip; ARCHITECTURE=x86_64 or arm64
	$(LAMBDA) $(FUNCTIONS)
	$(LAMBDA) $(FUNCTIONS) --output-format zip

smoke: build ## run the built functions in a simulated Lambda runtime
	cargo test -p registry-lambda --features aws --lib
	LAMBDA_BINARIES="$(CURDIR)/target/lambda" cargo test --workspace --test end_to_end lambda_binaries -- --ignored

bench: build ## measure the registry on this machine; BENCH="search load" measures these parts
	$(LAMBDA) -p minimal-lambda
	$(LAMBDA) -p minimal-lambda --output-format zip
	tests/bench/run $(BENCH)

hostile: ## fuzz the parsers, attack the release binary with odd addresses, DNS rebinding and redirects, and inject faults
	tests/hostile/run
	tests/hostile/faults

clients: $(TOOLS)/.installed ## run SDKs, clients and tools of other projects against the registry; CLIENTS="interop/run cli/run" runs these suites
	set -e; for suite in $(CLIENTS); do tests/clients/$$suite; done

proxies: ## run the registry behind nginx, with Chroma as search backend, and its store on moto; PROXIES="second_engine/run" runs this suite
	set -e; for suite in $(PROXIES); do KMS=1 tests/proxies/$$suite; done

browser: ## test the pages in headless Chromium
	tests/browser/run

cli: ## build the command line for publishers: target/release/registry-cli
	cargo build --release -p cli

acceptance: ## run the external acceptance suite against a new server; SUITE is the folder of the suite
	.ci/acceptance

nightly: check test check-infra smoke dry-run proxies clients browser hostile ## run all checks; takes some hours
	cargo test --workspace --test end_to_end -- --ignored script_of_the_page
	cargo test -p registry-probe --lib million_answering -- --ignored --nocapture
	tests/clients/oracle/run --pairs 2000 --seed $$(date +%Y%m%d)
	$(MAKE) bench BENCH="lambda requests search load"
	if [ -d "$${SUITE:-../shared/acceptance}" ]; then .ci/acceptance; fi

dry-run: check-infra ## deploy the template to moto, a stand-in for AWS
	AWS_DEFAULT_REGION=us-east-1 $(TOOLS)/python infra/dry_run.py

deploy: build ## deploy to your AWS account: STACK=<name> STAGE=dev|prod; infra/deploy describes EXECUTE and PARAMETERS
	infra/deploy

$(TOOLS)/.installed: infra/requirements.txt
	python3 -m venv target/venv
	$(TOOLS)/pip install --quiet --no-deps --require-hashes --only-binary :all: --requirement infra/requirements.txt
	touch $@

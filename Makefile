# `make help` lists the targets. Each is one or two lines that you could type yourself.
.DEFAULT_GOAL := help
.PHONY: help run test fuzz check check-infra build minimal smoke bench million cost bench-peers load faults hostile prove soak interop walk log-client browser openapi conformance second-engine acceptance nightly deploy

TOOLS := target/venv/bin
LAMBDA := PATH="$(CURDIR)/$(TOOLS):$$PATH" cargo lambda build --profile lambda --skip-target-check --locked
FUNCTIONS := --bins --workspace --exclude registry --exclude 'registry-*' --exclude local --exclude tests --exclude repository --exclude minimal-lambda
PROFILE ?= quick

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  \1\t/' | expand -t 16

run: ## run the registry on this machine; PORT=8080 DATA=./data/registry.db or :memory: PUBLIC=1 PROFILE=release
	cargo run --profile $(PROFILE) -p local --no-default-features --bin registry

test: ## run all tests that need only cargo
	cargo test --workspace

fuzz: ## parse a million damaged documents
	FUZZ_CASES=1000000 cargo test --profile quick -p registry-probe --lib fuzz -- --nocapture

check: ## check formatting and lints
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings

check-infra: $(TOOLS)/.installed ## check the SAM template, without an account or a network, and the GitHub workflows
	$(TOOLS)/actionlint
	infra/check
	cargo test --workspace --test template

build: $(TOOLS)/.installed ## build the Lambda functions: target/lambda/<function>/bootstrap and bootstrap.zip
	$(LAMBDA) $(FUNCTIONS)
	$(LAMBDA) $(FUNCTIONS) --output-format zip

smoke: build ## run the built functions under a Lambda runtime of the tests
	LAMBDA_BINARIES="$(CURDIR)/target/lambda" cargo test --workspace --test lambda_binaries -- --ignored

minimal: $(TOOLS)/.installed ## build the function that does nothing, with which the others are compared
	$(LAMBDA) -p minimal-lambda
	$(LAMBDA) -p minimal-lambda --output-format zip

bench: build minimal ## measure the registry on this machine
	cargo run --release -p tests --bin bench

million: ## measure with a million Live listings: some minutes, a file of several gigabytes
	cargo run --release -p tests --bin bench -- million

cost: ## compute the cost of requests and of a month of 100,000 listings on AWS, from measured units and infra/prices.json
	cargo run --release -p tests --bin bench -- cost

bench-peers: ## compare list, search, get and publish with ContextForge from PyPI; PEER_URL for another registry
	tests/bench_peers/run

load: build ## send ten minutes of mixed load to the registry and to the packaged functions; LOAD_MINUTES for less
	cargo run --release -p tests --bin bench -- load

faults: ## inject every fault and print its result; FAULT_KILLS for fewer kills than fifty
	tests/faults/run

hostile: ## fuzz the parsers and attack the release binary: address spellings, DNS rebinding, redirects
	tests/hostile/run

prove: ## run packaging, load, growth, cost, faults and hostile input; PROVE=short for less
	tests/prove/run $(PROVE)

soak: ## run an hour of sweeps over 2,000 peers, a third of them hostile; SOAK_MINUTES for less
	cargo run --release -p tests --bin bench -- soak

interop: ## publish agents and servers built with the official SDKs
	tests/interop/run

walk: ## go from publishing to the export with official MCP and A2A clients and with curl
	tests/funnel_walk/run

log-client: ## follow the evidence log with golang.org/x/mod/sumdb and aics-tlog
	tests/log_client/run

browser: ## test the pages in headless Chromium
	tests/browser/run

openapi: ## test the API against its OpenAPI description with schemathesis; EXAMPLES, SEED
	tests/openapi/run

conformance: ## run the official MCP suites, and official MCP and A2A clients
	tests/conformance/mcp
	tests/conformance/a2a

second-engine: ## run the tests of the store on another DynamoDB engine
	tests/second_engine/run

acceptance: ## run the external acceptance suite against a fresh server; SUITE is its folder
	.ci/acceptance

nightly: check test check-infra smoke second-engine walk log-client openapi conformance interop browser prove ## run every check there is: some hours
	if [ -d "$${SUITE:-../shared/acceptance}" ]; then .ci/acceptance; fi

deploy: build ## deploy to your own AWS account; asks before it changes anything
	SAM_CLI_TELEMETRY=0 $(TOOLS)/sam deploy --guided --template-file infra/template.yaml --capabilities CAPABILITY_IAM

$(TOOLS)/.installed: infra/requirements.txt
	python3 -m venv target/venv
	$(TOOLS)/pip install --quiet --requirement infra/requirements.txt
	touch $@

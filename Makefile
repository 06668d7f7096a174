# Every target is a line or two that you could type yourself; `make help` lists them.
.DEFAULT_GOAL := help
.PHONY: help run test fuzz check check-infra build minimal smoke bench million cost bench-peers load faults hostile prove soak interop walk log-client browser openapi conformance second-engine acceptance deploy

TOOLS := target/venv/bin
LAMBDA := PATH="$(CURDIR)/$(TOOLS):$$PATH" cargo lambda build --profile lambda --skip-target-check --locked
FUNCTIONS := --bins --workspace --exclude registry --exclude local --exclude tests --exclude minimal-lambda

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  \1\t/' | expand -t 16

run: ## the registry on this machine: PORT=8080 DATA=./data/registry.db or :memory: PUBLIC=1 for public rules
	cargo run --release -p local --no-default-features --bin registry

test: ## all tests that need nothing but cargo
	cargo test --workspace

fuzz: ## a million damaged documents through the readers of what strangers send
	FUZZ_CASES=1000000 cargo test --release -p registry --lib the_readers -- --nocapture

check: ## formatting and lints
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings

check-infra: $(TOOLS)/.installed ## the SAM template, without an account or a network
	infra/check
	cargo test --workspace --test template

build: $(TOOLS)/.installed ## the Lambda functions, as target/lambda/<function>/bootstrap and bootstrap.zip beside it
	$(LAMBDA) $(FUNCTIONS)
	$(LAMBDA) $(FUNCTIONS) --output-format zip

smoke: build ## drives the built binaries through a Lambda runtime of our own
	LAMBDA_BINARIES="$(CURDIR)/target/lambda" cargo test --workspace --test lambda_binaries

minimal: $(TOOLS)/.installed ## the function that does nothing, beside which the others are measured
	$(LAMBDA) -p minimal-lambda
	$(LAMBDA) -p minimal-lambda --output-format zip

bench: build minimal ## measures the registry on this machine
	cargo run --release -p tests --bin bench

million: ## status, lists, publish and the funnel with a million Live listings: a file of gigabytes, some minutes
	cargo run --release -p tests --bin bench -- million

cost: ## what requests and a month of 100,000 listings cost on AWS: measured units, prices of infra/prices.json
	cargo run --release -p tests --bin bench -- cost

bench-peers: ## the registry beside ContextForge from PyPI, on the same servers: list, search, get, publish; PEER_URL for another
	tests/bench_peers/run

load: build ## ten minutes of mixed load upon the registry, and upon the packaged functions; LOAD_MINUTES for less
	cargo run --release -p tests --bin bench -- load

faults: ## every fault on purpose, each with its figure; FAULT_KILLS for fewer kills than fifty
	tests/faults/run

hostile: ## broken and malicious input: the parsers fuzzed, every spelling of an address, DNS rebinding beside a canary
	tests/hostile/run

prove: ## packaging, load, growth, cost, faults, hostile input: every promise under stress; PROVE=short for less
	tests/prove/run $(PROVE)

soak: ## an hour of sweeps over 2,000 peers of which a third are hostile; SOAK_MINUTES for less
	cargo run --release -p tests --bin bench -- soak

interop: ## the official A2A and MCP clients and servers against the registry
	tests/interop/run

walk: ## the funnel from publish to export, walked by the official clients of MCP and A2A and by curl
	tests/funnel_walk/run

log-client: ## two clients of C2SP logs follow the log of evidence: golang.org/x/mod/sumdb and aics-tlog
	tests/log_client/run

browser: ## the pages in headless Chromium: forms, search, keyboard, both looks, strangers' words, axe-core
	tests/browser/run

openapi: ## the API held against its own description: openapi-spec-validator, and schemathesis with all its checks
	tests/openapi/run

conformance: ## the official MCP suites, and official MCP and A2A clients, against the endpoints
	tests/conformance/mcp
	tests/conformance/a2a

second-engine: ## the store's tests against another DynamoDB engine
	tests/second_engine/run

acceptance: ## the black-box suite of the contract against a fresh server
	.ci/acceptance

deploy: build ## into your own AWS account; asks before it changes anything
	SAM_CLI_TELEMETRY=0 $(TOOLS)/sam deploy --guided --template-file infra/template.yaml --capabilities CAPABILITY_IAM

$(TOOLS)/.installed: infra/requirements.txt
	python3 -m venv target/venv
	$(TOOLS)/pip install --quiet --requirement infra/requirements.txt
	touch $@

# `make help` lists the targets. Each target is one or two lines that you can also type yourself.
.DEFAULT_GOAL := help
.PHONY: help cli cli-test run test fuzz check check-infra build minimal smoke bench million million-week cost bench-peers load faults hostile prove soak interop walk page-script log-client caching-proxy package-registries products registry-clients signatures browser openapi conformance tck second-engine search-backend dry-run acceptance nightly deploy

TOOLS := target/venv/bin
LAMBDA := PATH="$(CURDIR)/$(TOOLS):$$PATH" cargo lambda build --profile lambda --skip-target-check --locked $(if $(filter arm64,$(ARCHITECTURE)),--arm64)
FUNCTIONS := --bins --workspace --exclude registry --exclude 'registry-*' --exclude cli --exclude local --exclude tests --exclude repository --exclude minimal-lambda
PROFILE ?= quick
# Of the Lambda functions: x86_64 or arm64 (needs `rustup target add aarch64-unknown-linux-gnu`).
ARCHITECTURE ?= x86_64

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  \1\t/' | expand -t 16

run: ## run the registry on this machine; PORT=8080 DATA=./data/registry.db or :memory: PUBLIC=1 PROFILE=release
	cargo run --profile $(PROFILE) -p local --bin registry

test: ## run all tests that need only cargo
	cargo test --workspace

fuzz: ## test the parsers with a million damaged documents
	FUZZ_CASES=1000000 cargo test --profile quick -p registry-probe --lib fuzz -- --nocapture

check: ## check formatting and lints
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings

check-infra: $(TOOLS)/.installed ## check the SAM template and the GitHub workflows; needs no AWS account and no network
	$(TOOLS)/actionlint
	infra/check
	cargo test --workspace --test template

build: $(TOOLS)/.installed ## build the Lambda functions: target/lambda/<function>/bootstrap.zip; ARCHITECTURE=x86_64 or arm64
	$(LAMBDA) $(FUNCTIONS)
	$(LAMBDA) $(FUNCTIONS) --output-format zip

smoke: build ## run the built functions in a simulated Lambda runtime
	LAMBDA_BINARIES="$(CURDIR)/target/lambda" cargo test --workspace --test lambda_binaries -- --ignored

minimal: $(TOOLS)/.installed ## build a function that does nothing, to compare the other functions with it
	$(LAMBDA) -p minimal-lambda
	$(LAMBDA) -p minimal-lambda --output-format zip

bench: build minimal ## measure the registry on this machine
	cargo run --release -p tests --bin bench

million: ## measure with a million Live listings; takes some minutes and writes several gigabytes
	cargo run --release -p tests --bin bench -- million

million-week: ## simulate a week of probes of a million Live listings; needs 2 GB
	cargo test -p registry-probe --lib million_answering -- --ignored --nocapture

cost: ## compute the cost on AWS of single requests and of 100,000 listings for a month
	cargo run --release -p tests --bin bench -- cost

bench-peers: ## compare the speed of list, search, get and publish with ContextForge; PEER_URL compares another registry
	tests/bench_peers/run

load: build ## send ten minutes of mixed load to the registry and to the packaged functions; LOAD_MINUTES sets the time
	cargo run --release -p tests --bin bench -- load

faults: ## inject faults and print the results; FAULT_KILLS sets the number of kills (50)
	tests/faults/run

hostile: ## fuzz the parsers, and attack the release binary with odd addresses, DNS rebinding and redirects
	tests/hostile/run

prove: ## run the tests of packaging, load, growth, cost, faults and hostile input; PROVE=short runs shorter tests
	tests/prove/run $(PROVE)

soak: ## probe 2,000 peers for an hour (a third of them are hostile); SOAK_MINUTES sets the time
	cargo run --release -p tests --bin bench -- soak

interop: ## publish agents and servers that were built with the official SDKs
	tests/interop/run

walk: ## test all steps from publishing to the product export, with official MCP and A2A clients and with curl
	tests/funnel_walk/run

page-script: ## run the script of the page "Prove and manage" as it is copied; needs bash, curl and OpenSSL 3
	cargo test --workspace --test end_to_end script_of_the_page -- --ignored

log-client: ## follow the evidence log with golang.org/x/mod/sumdb and aics-tlog
	tests/log_client/run

caching-proxy: ## send every GET twice, as two callers, through nginx with a cache
	tests/caching_proxy/run

package-registries: ## check packages at verdaccio, devpi and pypiserver
	tests/package_registries/run

products: ## check each file of the four products for every peer of `make interop`, and run the files
	tests/products/run

registry-clients: ## read the registry API with clients of other projects; needs Python 3.13
	tests/registry_clients/run

signatures: ## verify signed probes and proofs of liveness with libraries of other projects
	tests/signatures/run

cli: ## build the command line for publishers: target/release/registry-cli
	cargo build --release -p cli

cli-test: ## use the command line and the GitHub Action against a new registry
	cargo build -p cli
	tests/cli/run

browser: ## test the pages in headless Chromium
	tests/browser/run

openapi: ## test the API against its OpenAPI description with schemathesis; EXAMPLES and SEED set its options
	tests/openapi/run

conformance: ## run the official MCP test suites, and official MCP and A2A clients
	tests/conformance/mcp
	tests/conformance/a2a

tck: ## run the compatibility kit of A2A; TCK names a checkout of it
	tests/conformance/tck

second-engine: ## run the tests of the store on another DynamoDB engine
	tests/second_engine/run

search-backend: ## run the tests of search with a search backend (Chroma); SEARCH_COLLECTION compares the relevance, too
	tests/search_backend/run

acceptance: ## run the external acceptance suite against a new server; SUITE is the folder of the suite
	.ci/acceptance

nightly: check test check-infra smoke dry-run second-engine search-backend walk cli-test page-script log-client caching-proxy package-registries products registry-clients signatures openapi conformance tck interop browser prove ## run all checks; takes some hours
	$(MAKE) million-week
	if [ -d "$${SUITE:-../shared/acceptance}" ]; then .ci/acceptance; fi

dry-run: check-infra ## deploy the template to moto, a stand-in for AWS
	AWS_DEFAULT_REGION=us-east-1 $(TOOLS)/python infra/dry_run.py target/infra/template.json

deploy: build ## deploy to your AWS account: STACK=<name> STAGE=dev|prod; infra/deploy describes EXECUTE and PARAMETERS
	infra/deploy

$(TOOLS)/.installed: infra/requirements.txt
	python3 -m venv target/venv
	$(TOOLS)/pip install --quiet --requirement infra/requirements.txt
	touch $@

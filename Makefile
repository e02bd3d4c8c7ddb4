# One command per question. `make` lists them.
#
# Variables: PKG (packages, default all), QEMUARCH (qemu), FUZZTIME, N and SEED
# (soak), COUNT (bench), ARGS (perf).

GO       ?= go
PKG      ?= ./...
FUZZTIME ?= 30s
QEMUARCH ?= s390x
N        ?= 5000000
SEED     ?=
COUNT    ?= 5
ARGS     ?=

.DEFAULT_GOAL := help

.PHONY: help test race invariants checkptr cross test-386 platforms wine qemu fuzz soak bench bench-off lint mistakes perf ci

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

test: ## do the tests pass?
	$(GO) test $(PKG)

race: ## ... under the race detector? (needs a C compiler)
	$(GO) test -race -timeout 2h $(PKG)

invariants: ## ... when the heap re-derives its state as it goes?
	$(GO) test -tags invariants $(PKG)

checkptr: ## ... when the compiler checks every pointer conversion?
	$(GO) test -gcflags=all=-d=checkptr $(PKG)

cross: ## do the other systems build and vet?
	scripts/cross.sh

test-386: ## do the tests pass where a word has 32 bits?
	GOARCH=386 CGO_ENABLED=0 $(GO) test $(PKG)

wine: ## do the tests pass as Windows programs? (installs wine)
	scripts/wine-test.sh ./internal/chunk ./internal/raw ./bins ./tree ./diag ./segment ./memctx ./offheap ./memtest ./stream ./examples/...

platforms: ## do the tests pass on linux/386, arm64, s390x and Windows? (installs qemu-user, wine)
	scripts/platforms.sh

qemu: ## do the tests pass on QEMUARCH (s390x, which is big-endian)? (installs qemu-user)
	scripts/qemu-test.sh $(QEMUARCH)

fuzz: ## does any fuzz target fail within FUZZTIME (30s) each?
	scripts/fuzz.sh $(FUZZTIME)

soak: ## does a long random run of N operations from SEED hold?
	COOKMEM_SOAK_OPS=$(N) COOKMEM_SEED=$(SEED) $(GO) test ./memctx -run TestSoak -count=1 -v -timeout 0

bench: ## what do Alloc and Free cost, in empty calls?
	$(GO) test ./memctx -run '^$$' -bench '^Benchmark(EmptyCall|Pair|PairBatch64)$$' -count $(COUNT) | awk -f scripts/bench.awk

bench-off: ## what do diagnostics cost a context that has none?
	scripts/bench-off.sh

lint: ## do the rules of the repository hold? (staticcheck is built on first use)
	$(GO) test ./internal/lint -count=1 -v

mistakes: ## do the tools find the mistakes of docs/LIFETIMES.md?
	COOKMEM_SLOW_TOOLS=1 $(GO) test ./internal/lint -run TestMistakesAreFound -count=1 -v

perf: ## how fast are the twelve workloads, against other heaps? (ARGS=-quick)
	$(GO) run ./cmd/perfsuite $(ARGS)

ci: ## everything that a push must pass
	.ci/run

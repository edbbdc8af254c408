# Go, git and make suffice to build, train and test. The race detector needs a C compiler, and the
# ONNX check needs node and npm. Without them these checks are skipped with a notice, or fail if
# CI=true.
.DEFAULT_GOAL := help

GAME    ?= coerceo
HOURS   ?= 2
WORKERS ?= 2

GOFUMPT     := go run mvdan.cc/gofumpt@v0.9.2
STATICCHECK := go run honnef.co/go/tools/cmd/staticcheck@v0.7.0

# All is built without C, as the program is, so that each package is compiled once. Only the race
# detector needs C.
export CGO_ENABLED := 0

# Packages with goroutines; of the two that take long, the tests in which goroutines meet.
CONCURRENT := ./arena ./cluster ./env/perft ./net ./net/graph ./play/... ./replay ./selfplay ./study/exam ./web/...
RACED := Resumed|Asynchronous|Interrupted|TestDuels$$|TestWorkers|RunFolderGone$$|TestLock|Meter|TestHangup|TestReaderOf|TestScripts/^(engine|learn|rate|serve)$$
# Packages that evaluate or train networks.
NETWORKS := ./net ./net/graph ./net/kernel/... ./net/onnx ./models/... ./study ./train
# Packages of make quick.
CORE := . ./configs ./disk ./env ./env/envtest/... ./env/mnk ./env/connect4 ./mcts ./net ./selfplay ./replay ./rundir ./recipe ./player ./arena ./play ./web/host
# The test that learns tic-tac-toe from scratch runs last.
LEARN := ^TestTicTacToe$$
# Tests that stop runs many times. They are slow with the race detector and find no races that
# other tests miss.
TORTURE := ^TestTorture|^TestChaos
# The program is built for PLATFORMS.
PLATFORMS := linux/arm64 windows/amd64

# The programs that tests need and this machine lacks.
MISSING = $(shell PATH=$$PATH:/usr/games:/usr/sbin; \
	for names in python3 zstd gnugo strace mkfs.ext4 'chromium chromium-browser google-chrome' 'qemu-aarch64-static qemu-aarch64'; do \
		for name in $$names; do command -v $$name >/dev/null && continue 2; done; echo $${names%% *}; \
	done; ls /etc/OpenCL/vendors/*.icd >/dev/null 2>&1 || echo OpenCL)

# left-out REASON reports a check that was skipped, and fails if CI=true.
left-out = { echo; echo "NOT CHECKED: $(1)"; echo; test "$$CI" != true; }

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: browser ## build bin/tiro, without a C compiler
	go build -o bin/tiro ./cmd/tiro

.PHONY: train
train: build ## train GAME=coerceo until Ctrl-C, in RUN=FOLDER if set; run it again to resume
	@trap : INT; bin/tiro train $(GAME) $(if $(RUN),--run "$(RUN)") || test $$? -eq 130 # stopped and saved

.PHONY: typescript
typescript:
	@if sh scripts/npm.sh typescript typescript@5.9.3 </dev/null; then \
		node .cache/typescript/node_modules/typescript/bin/tsc -p web/src; \
	else $(call left-out,the types of web/src (node and npm are required)); fi

.PHONY: axe
axe:
	@sh scripts/axe.sh </dev/null || $(call left-out,the pages with axe-core (node and npm are required))

.PHONY: test
test: browser onnxruntime numpy typescript axe ## run all tests, in about 6 minutes on two idle cores; the last one learns tic-tac-toe
	@$(if $(MISSING),$(call left-out,tests that need $(MISSING); .ci/run installs them))
	TIRO_MISSING='$(MISSING)' go test -timeout 1h -skip '$(LEARN)' ./...
	go test -tags invariants -short ./mcts ./selfplay
	go test -count=1 -v -run '$(LEARN)' ./train

.PHONY: quick
quick: ## run a selection of tests for use during work, about 90 seconds
	go test -short $(CORE)

.PHONY: kernels
kernels: ## run the tests of networks without AVX-512, and without AVX2
	for off in cpu.avx512f=off cpu.avx512f=off,cpu.avx2=off; do \
		go test -count=1 -exec "env GODEBUG=$$off" -skip '$(LEARN)' $(NETWORKS) || exit 1; \
	done

.PHONY: torture
torture: ## stop trainings at every operation, where they must resume with the same results; test rules and ratings at full length
	TIRO_TORTURE=long go test -count=1 -timeout 3h -v -run '^TestTorture' ./disk/... ./train
	TIRO_TORTURE=long go test -count=1 -timeout 3h ./env/... ./arena/... ./study/ladder

.PHONY: attack
attack: browser ## test the program with failing system calls, full disks, kills, odd folders, odd input and bullet games
	TIRO_TORTURE=long go test -count=1 -timeout 3h -v -run '^TestAttack' ./cli

.PHONY: chaos
chaos: ## kill and disconnect workers, trainers and servers for ten minutes each; as root, in network namespaces too
	TIRO_TORTURE=long go test -count=1 -timeout 2h -v -run '^TestChaos' ./cluster

.PHONY: manifests
manifests: ## check deploy/ against the schemas of Kubernetes and Compose
	go -C scripts/manifests run . ../../deploy

.PHONY: soak
soak: build ## train GAME=coerceo for HOURS=2 and report the growth of its memory
	sh scripts/soak.sh $(HOURS) $(GAME) --workers $(WORKERS)

.PHONY: fuzz
fuzz: ## run all fuzz targets; FUZZTIME=10m for each, FUZZ=PATTERN selects some, JOBS=3 in parallel
	@FUZZTIME=$(FUZZTIME) FUZZ='$(FUZZ)' JOBS=$(JOBS) scripts/fuzz.sh

.PHONY: onnxruntime
onnxruntime:
	@sh scripts/onnxruntime.sh </dev/null || $(call left-out,exported networks against ONNX Runtime (node and npm are required))

.PHONY: numpy
numpy:
	@sh scripts/python.sh numpy python3 /usr/bin/python3 </dev/null || $(call left-out,the Python programs of docs/export (python3-numpy is required))

.PHONY: check
check: format prose vet staticcheck static generated instructions race cross arm64 ## check format, prose, vet, staticcheck, no C, generated code, races, other systems

.PHONY: prose
prose: ## count phrases that make prose hard to read; fail if the counts rise
	go test -run '^TestProse$$' .

.PHONY: format
format: ## list files that gofumpt would change
	@files=$$($(GOFUMPT) -l .) && { test -z "$$files" || { echo "not formatted by gofumpt:"; echo "$$files"; exit 1; }; }

.PHONY: vet
vet:
	go mod tidy -diff
	go vet ./...
	GOOS=js GOARCH=wasm go vet -trimpath ./net/kernel/... ./web/wasm ./cmd/page

.PHONY: staticcheck
staticcheck:
	$(STATICCHECK) ./...

.PHONY: static
static: build
	@go version -m bin/tiro | grep -q 'CGO_ENABLED=0$$' || { echo "bin/tiro contains C"; exit 1; }
	go build -tags nogpu -o /dev/null ./cmd/tiro # a static program, for systems without glibc

.PHONY: generate
generate: ## regenerate the assembly of net/kernel
	go generate ./net/kernel

.PHONY: recording
recording: ## record cli/testdata/recording.md on terminals of 80 and 40 columns
	go test -count=1 -v -run '^TestRecording$$' ./cli -update

.PHONY: licenses
licenses: ## regenerate the list of licences after a change of go.mod
	sh scripts/licenses.sh >cli/licenses.txt

.PHONY: generated
generated:
	@new=$$(mktemp) && trap 'rm -f "$$new"' EXIT && for file in avx512_amd64 avx2_amd64 neon_arm64; do \
		go -C net/kernel/gen run . $${file%_*} "$$new" && cmp "$$new" net/kernel/$$file.s || \
			{ echo "net/kernel/$$file.s is not the output of its generator: run make generate"; exit 1; }; \
	done; \
	for page in page:assets/app watch:assets/watch offline:static/offline; do \
		go -C web/gen run . ../src/$${page%:*}.ts "$$new" && cmp "$$new" web/$${page#*:}.js || \
			{ echo "web/$${page#*:}.js is not the output of web/src: run make page"; exit 1; }; \
	done

.PHONY: instructions
instructions: ## count instructions of search, rules and learning; fail if a count has grown by a tenth
	@command -v valgrind >/dev/null && test "$$(go env GOARCH)" = amd64 || { $(call left-out,the instructions of benchmarks (valgrind and amd64 are required)); exit; }; \
		sh scripts/instructions.sh </dev/null

.PHONY: page
page: ## bundle the pages of tiro serve and tiro export --web
	go -C web/gen run . ../src/page.ts ../assets/app.js
	go -C web/gen run . ../src/watch.ts ../assets/watch.js
	go -C web/gen run . ../src/offline.ts ../static/offline.js

# Builds the program of exported pages from cmd/page, and its worker, which includes a script
# from the same Go release.
.PHONY: browser
browser:
	@GOOS=js GOARCH=wasm GOFLAGS= go build -trimpath -buildvcs=false -ldflags='-s -w -buildid=' -o dist/browser/tiro.wasm ./cmd/page
	@gzip -9nc dist/browser/tiro.wasm >web/static/tiro.wasm.gz
	@games=$$(go run ./cmd/tiro games) && echo "$$games" | sed -n 's/^\([^ :]*\):.*/\1/p' >web/static/games.txt
	@go -C web/gen run . ../src/worker.ts ../static/worker.js

.PHONY: web
web: build ## write the page that plays without a server, with all bundled models, to dist/web
	bin/tiro export bundled --web dist/web

.PHONY: race
race: browser ## run the tests of the concurrent packages with the race detector
	@if command -v $$(go env CC) >/dev/null; then \
		export CGO_ENABLED=1; set -x; \
		go test -race -short -timeout 1h -skip '$(LEARN)|$(TORTURE)' $(CONCURRENT) && \
		go test -race -short -timeout 1h -run '$(RACED)' ./train ./cli && \
		go test -race -run 'TestConformance//concurrent' ./env/...; \
	else $(call left-out,races (a C compiler is required)); fi

.PHONY: cross
cross: ## build for other systems
	@for platform in $(PLATFORMS); do \
		echo "go build for $$platform"; \
		GOOS=$${platform%/*} GOARCH=$${platform#*/} go build -o /dev/null ./cmd/tiro || exit 1; \
	done
	GOOS=darwin go build ./internal/... ./play ./net/opencl/... # which alone have code for macOS

.PHONY: arm64
arm64: ## run the tests of the kernels as on arm64, in qemu
	@emulator=$$(command -v qemu-aarch64-static || command -v qemu-aarch64) || { $(call left-out,NEON; qemu-aarch64 is needed: Debian has it in qemu-user-static); exit; }; set -x; \
		GOARCH=arm64 go vet ./net/kernel && \
		GOARCH=arm64 go test -exec "$$emulator" -skip TestInWebAssembly ./net/kernel && \
		GOARCH=arm64 go test -tags nogpu -exec "$$emulator" -run TestSignatures/mnk ./study # which would be linked with libc

.PHONY: bench
bench: build ## measure positions/s, sims/s, evals/s and self-play
	bin/tiro bench

.PHONY: bench-peers
bench-peers: ## measure our networks against ONNX Runtime and PyTorch; ARGS='--only ref5'
	@sh scripts/onnxruntime.sh </dev/null || $(call left-out,speed against ONNX Runtime (node and npm are required))
	@sh scripts/python.sh torch /usr/bin/python3 </dev/null || $(call left-out,speed against PyTorch (apt-get install python3-torch))
	@python3 scripts/bench-peers/bench_peers.py $(ARGS)

# The players from which levels are interpolated, from weak to strong.
comma := ,
LEVELS := $(foreach t,6 4 3.2 2.8 2.6 2.5 1.8 1.2,sims=1$(comma)temperature=$(t)) sims=2,temperature=0.8 \
	sims=6,temperature=0.6 sims=16,temperature=0.4 sims=40,temperature=0.25 sims=100,temperature=0.1
# The games with a bundled model. If only one model is new, make levels RATED=GAME suffices.
RATED := connect4 gomoku othello go coerceo coerceo:win=competitive shacru shacru:players=3 shacru:players=4 azacru azacru:players=3 azacru:players=4 pacru pacru:players=3 pacru:players=4

.PHONY: levels
levels: build ## rate the levels of the bundled models after they changed (half an hour)
	mkdir -p runs/levels
	for game in $(RATED); do \
		bin/tiro rate $$game $(LEVELS:%=bundled,%) --dir runs/levels/$$game --error 70 --games 144 --json runs/levels/$$game.json || exit 1; \
	done
	go run ./scripts/levels $(RATED:%=runs/levels/%.json) >runs/levels/levels.json
	mv runs/levels/levels.json player/levels.json
	@echo "the table of docs/RATINGS.md is now:" && go run ./scripts/levels

.PHONY: release
release: browser ## write archives for Linux, macOS and Windows, with checksums, to dist/release
	go run ./scripts/release -out dist/release

.PHONY: clean
clean: ## remove build outputs, but no runs
	rm -rf bin dist web/static/tiro.wasm.gz web/static/worker.js web/static/games.txt

"""Builds the fuzzer and runs each fuzz target, guided by code coverage.

A run starts from the corpus of the repository and from the cases of earlier runs, which are in the target folder.
"""
import os
import re
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

FUZZ = Path(__file__).resolve().parent / "fuzz"
TARGETS = ("agent_card", "server_json", "reply", "cursor", "url")
LONGEST_CASE_S = 5       # a slower case is a finding
LONGEST_CASES = {"agent_card": 65_536, "server_json": 65_536, "reply": 65_536, "cursor": 4_096, "url": 4_096}
MOST_MEMORY_MB = 1_024


@dataclass(frozen=True)
class Run:
    """The result of one target."""
    target: str
    cases: int
    seconds: float
    edges: int
    seeds: int
    grown: int
    slowest_s: int
    why: str


def build() -> Path:
    """Builds the fuzzer; returns its path."""
    done = subprocess.run([FUZZ / "build", "--locked"], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit("hostile: the fuzzer cannot be built")
    return Path(done.stdout.strip())


def number(pattern: str, output: str) -> int:
    """The last number with this pattern in the output of libFuzzer."""
    found = re.findall(pattern, output)
    return int(found[-1]) if found else 0


def run(fuzzer: Path, folder: Path, target: str, seconds: int) -> Run:
    """Fuzzes one target. Cases that break a guarantee are files in its folder and are reported."""
    kept, finds = folder / "corpus" / target, folder / "finds" / target
    seeds = FUZZ / "corpus" / target
    for each in (kept, finds):
        each.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(finds)
    finds.mkdir()
    before, began = sum(1 for _ in kept.iterdir()), time.monotonic()
    command = [fuzzer, kept, seeds, f"-max_total_time={seconds}", f"-timeout={LONGEST_CASE_S}", f"-rss_limit_mb={MOST_MEMORY_MB}",
               f"-max_len={LONGEST_CASES[target]}", f"-artifact_prefix={finds}/", "-print_final_stats=1", "-use_value_profile=1",
               f"-dict={FUZZ / 'dictionary.txt'}"]
    if seed := os.environ.get("FUZZ_SEED"):
        command.append(f"-seed={seed}")
    done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                          env={**os.environ, "FUZZ_TARGET": target, "RUST_BACKTRACE": "1"})
    output = done.stdout + done.stderr
    (folder / f"{target}.log").write_text(output)
    found = sorted(finds.iterdir())
    why = ""
    if done.returncode or found:
        panic = re.search(r"panicked at (.*\n.*)", output)
        why = f"{panic[1][:400] if panic else 'see ' + str(folder / target) + '.log'}: {', '.join(map(str, found))}"
    edges = number(r"cov: (\d+)", output)
    if not why and edges < 100:
        why = f"only {edges} edges: the fuzzer has no coverage of the code"
    return Run(target, number(r"stat::number_of_executed_units:\s+(\d+)", output) or number(r"#(\d+)\s", output),
               time.monotonic() - began, edges, sum(1 for _ in seeds.iterdir()), sum(1 for _ in kept.iterdir()) - before,
               number(r"stat::slowest_unit_time_sec:\s+(\d+)", output), why)

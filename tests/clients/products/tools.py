"""The programs that run and check the files of the products. They are installed in target/products."""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "harness/python"))

import registry  # noqa: E402

BUILD = registry.TARGET / "products"
VENV, NODE, TREES = BUILD / "venv", BUILD / "node", BUILD / "trees"
PROMPTFOO = {"PROMPTFOO_DISABLE_TELEMETRY": "1", "PROMPTFOO_DISABLE_UPDATE": "1", "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1"}


def install():
    """Installs the programs, again only if a list of packages has changed."""
    inputs = [HERE / "requirements.txt", *sorted((HERE / "node").iterdir())]
    stamp, wanted = BUILD / "installed", "".join(path.read_text() for path in inputs)
    if stamp.exists() and stamp.read_text() == wanted:
        return
    print("installing promptfoo, shellcheck, actionlint, skills-ref and schemas ...", flush=True)
    must(sys.executable, "-m", "venv", "--clear", VENV)
    must(VENV / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", HERE / "requirements.txt")
    shutil.rmtree(NODE, ignore_errors=True)
    shutil.copytree(HERE / "node", NODE)
    must("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error", cwd=NODE)
    stamp.write_text(wanted)


def run(*command, **options):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=900, **options)


def must(*command, **options):
    done = run(*command, **options)
    if done.returncode:
        sys.exit(f"products: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


def take(base, listing, sku, folder):
    """Writes the whole product of a founding seat to a new folder. Returns the folder."""
    _, demo = registry.call(base, "/api/products/demo", {"listing_id": listing, "sku": sku})
    _, feedback = registry.call(base, "/api/products/feedback", demo["next_steps"]["example_body"])
    _, answer = registry.call(base, f"/api/products/access?token={registry.found(feedback, 'access_token')}")
    shutil.rmtree(folder, ignore_errors=True)
    for file in answer["files"]:
        path = folder / file["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file["content"])
    return folder


def promptfoo(*arguments, folder, **variables):
    # Each run has its own database, so that several can run at the same time.
    place = {"PROMPTFOO_CONFIG_DIR": str(BUILD / "promptfoo" / folder.relative_to(BUILD))}
    return run(NODE / "node_modules/.bin/promptfoo", *arguments, cwd=folder, env={**os.environ, **PROMPTFOO, **place, **variables})


def evaluate(folder, **variables):
    """The cases that failed, by their descriptions; the errors of calls; and the number of all cases."""
    output = folder / "results.json"
    done = promptfoo("eval", "--no-progress-bar", "--no-table", "--output", output, folder=folder, **variables)
    if not output.exists():
        sys.exit(f"products: promptfoo wrote no results\n{done.stdout}{done.stderr}")
    results = json.loads(output.read_text())["results"]["results"]
    cases = [json.loads(line) for line in (folder / "evaluation.jsonl").read_text().splitlines()]
    # promptfoo calls the case in line 3 "Row #3".
    rows = [int(one["testCase"]["description"].rpartition("#")[2]) for one in results if not one["success"]]
    failed = [cases[row - 1]["description"] for row in sorted(rows)]
    errors = [one["response"]["error"] for one in results if (one.get("response") or {}).get("error")]
    output.unlink()
    if bool(failed) == (done.returncode == 0):
        sys.exit(f"products: the exit code {done.returncode} does not fit to {failed}")
    return failed, errors, len(results)

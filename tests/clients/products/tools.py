"""The programs that run and check the files of the products. They are installed in target/products."""
import json
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "harness/python"))

import registry  # noqa: E402

BUILD = registry.TARGET / "products"
VENV, TREES = BUILD / "venv", BUILD / "trees"


def install():
    """Installs the programs, again only if the list of packages has changed."""
    stamp, wanted = BUILD / "installed", (HERE / "requirements.txt").read_text()
    if stamp.exists() and stamp.read_text() == wanted:
        return
    print("installing shellcheck, actionlint, skills-ref and schemas ...", flush=True)
    must(sys.executable, "-m", "venv", "--clear", VENV)
    must(VENV / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", HERE / "requirements.txt")
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


def evaluate(folder, server):
    """Sends each call of the evaluation to a server. Returns the cases with an unexpected answer, and the number of all cases."""
    base, _, path = server.url.rpartition("/")
    cases = [json.loads(line) for line in (folder / "evaluation.jsonl").read_text().splitlines()]
    failed = []
    for case in cases:
        _, answer = registry.call(base, f"/{path}", {"jsonrpc": "2.0", "id": 1, "method": case["method"], "params": case["params"]})
        result, expected = answer.get("result"), case["expect"]
        if expected == "error":
            met = answer.get("jsonrpc") == "2.0" and (result is None or result.get("isError") is True)
        elif expected == "result":
            met = result is not None and not result.get("isError")
        else:
            met = result is not None and set(expected["tools"]) <= {tool["name"] for tool in result["tools"]}
        if not met:
            failed.append(case["case"])
    return failed, len(cases)

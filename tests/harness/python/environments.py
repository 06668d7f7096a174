"""Installs the dependencies of the peers: one Python environment per pinned SDK release, and one Node folder.

Releases of one SDK cannot share an environment. Everything is installed in the build folder.
"""
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2]
PEERS = TESTS / "harness/sdk_peers"
BUILD = Path(os.environ.get("CARGO_TARGET_DIR") or TESTS.parent / "target") / "interop"
NODE_NEEDED = 20  # the minimum in "engines" of the newest SDK releases


def _unless_unchanged(folder, inputs, install):
    """Runs `install` again only if the input files have changed, or if an earlier installation did not finish."""
    stamp, digest = folder / ".installed", hashlib.sha256(b"".join(path.read_bytes() for path in inputs)).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return
    print(f"installing {folder.name} ...", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    install(folder)
    stamp.write_text(digest)


def _python(requirements):
    def install(folder):
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                        "--requirement", requirements], check=True)
    _unless_unchanged(BUILD / requirements.stem, [requirements], install)


def node_packages(source, folder):
    """Installs the packages of the manifest in `source` into `folder`, and copies the programs to the same folder."""
    found = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if int(found.lstrip("v").split(".")[0]) < NODE_NEEDED:
        sys.exit(f"node {NODE_NEEDED} or newer is needed, found {found}")
    manifest, lock = source / "package.json", source / "package-lock.json"

    def install(folder):
        folder.mkdir(parents=True)
        shutil.copy(manifest, folder)
        shutil.copy(lock, folder)
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"], cwd=folder, check=True)
    _unless_unchanged(folder, [manifest, lock], install)
    # Node looks for packages from the folder of the module, so the programs are copied to the packages.
    for program in source.rglob("*.mjs"):
        (folder / program.relative_to(source)).parent.mkdir(exist_ok=True)
        shutil.copy(program, folder / program.relative_to(source))


def prepare(runtimes):
    """Installs the environments of these runtimes, unless they are up to date."""
    BUILD.mkdir(parents=True, exist_ok=True)
    for runtime in sorted(runtimes):
        if runtime == "node":
            node_packages(PEERS / "node", BUILD / "node")
        else:
            _python(PEERS / f"python/requirements/{runtime}.txt")


def command(runtime, program):
    """The command that runs this program of python/ or node/ in its environment."""
    if runtime == "node":
        return ["node", str(BUILD / "node" / program)]
    return [str(BUILD / runtime / "bin/python"), str(PEERS / "python" / program)]

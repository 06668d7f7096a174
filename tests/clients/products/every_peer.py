"""Takes the four products of every peer of tests/clients/interop, and checks each file."""
import fnmatch
import re
import shutil
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import environments
import registry
from lint import lint
from peers import PEERS
from processes import LOGS, end, start
from tools import BUILD, HERE, TREES, take

SKUS = ("kernel", "recursive", "alive", "mcp_mesh")
AT_ONCE = 4
DOCUMENT = HERE.parents[2] / "shared/docs/products.md"
QUOTE = re.compile(r"^`(\S+)` of `(\S+)` for `(\S+)`:\n\n```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# What differs between two runs: ports, names, times.
VARIES = ((re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:8080"), (re.compile(f"-{registry.RUN}"), ""),
          (re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+Z"), "2026-11-26T12:00:00.000Z"), (re.compile(r"in \d+ ms"), "in 4 ms"))

# One fault for each check. The check must find it.
BROKEN = (
    ("kernel", "skills/*/SKILL.md", lambda text: text.replace("\nname: ", "\nname: Other ", 1)),
    ("kernel", "evaluation.jsonl", lambda text: text[:-20] + "\n"),
    ("kernel", "CHARTER.md", lambda text: text.replace("# System prompt", "System prompt", 1)),
    ("recursive", "regression.md", lambda text: text + "\n## Next\n\nTODO\n"),
    ("alive", "registry-watch.sh", lambda text: text.replace('"$settings"', "$settings")),
    ("alive", ".github/workflows/*.yml", lambda text: text.replace("runs-on:", "run-on:")),
    ("alive", "registry-watch.json", lambda text: text.replace(",", "", 1)),
    ("mcp_mesh", "descriptions.md", lambda text: ""),
    ("mcp_mesh", "tools.jsonl", lambda text: text.replace('"name":"', '"name":"a tool ', 1)),
    ("mcp_mesh", "server.json", lambda text: text.replace('"version"', '"release"', 1)),
    ("mcp_mesh", "mcp.json", lambda text: text.replace(":", "", 1)),
    ("mcp_mesh", "server-card.json", lambda text: text.replace('"version"', '"release"', 1)),
)


def export(base, sku, peer, address):
    """Publishes a peer and takes the product. Returns its folder, or a fault as text."""
    status = registry.publish_and_wait(base, peer.publish, peer.slug, peer.url(address))
    if status.get("lane") != "active":
        return f"{peer.slug}: not Live but {status.get('lane')}: {registry.found(status, 'reasons')}"
    return take(base, status["listing_id"], sku, TREES / peer.slug / sku)


def exports(chosen, addresses, processes):
    """Takes each product of all peers. A listing gets one product, so each product has its own registry."""
    results = []
    for sku in SKUS:
        with open(BUILD / f"registry-{sku}.log", "wb") as log:
            process, base = registry.start(log, PROBE_TICK_SECONDS="1", PROBE_WINDOW_CAP="1000")
        processes.append(process)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            results += pool.map(lambda peer: export(base, sku, peer, addresses[peer]), chosen)
        end([process])
    return [one for one in results if not isinstance(one, str)], [one for one in results if isinstance(one, str)]


def broken(trees, whole):
    """Breaks one file at a time. Returns the faults that no check found. Some peers have only some of the files."""
    missed = []
    for at, (sku, pattern, change) in enumerate(BROKEN):
        where = next(((tree, path) for tree in trees if tree.name == sku for path in sorted(tree.glob(pattern))), None)
        if where is None:
            missed += [f"no {sku} has {pattern}"] * whole
            continue
        tree, path = where
        copy = BUILD / "broken" / str(at)
        shutil.copytree(tree, copy)
        changed = copy / path.relative_to(tree)
        text = changed.read_text()
        changed.write_text(change(text))
        if changed.read_text() == text or not any(str(path.relative_to(tree)) in line for line in lint([copy])[0]):
            missed.append(f"no check finds the fault in {path.relative_to(tree)}")
    return missed


def normal(text):
    for pattern, replacement in VARIES:
        text = pattern.sub(replacement, text)
    return text


def quotes():
    """The quotes in the document that are not in the files."""
    found = QUOTE.findall(DOCUMENT.read_text())
    wrong = []
    for path, sku, slug, text in found:
        file = TREES / slug / sku / path
        if file.exists() and text not in normal(file.read_text()):
            wrong.append(f"{DOCUMENT.name} quotes {path} of {slug}, which contains now:\n{normal(file.read_text())}")
    return wrong + [f"{DOCUMENT.name} has {len(found)} quotes"] * (len(found) < 5)


def check(only):
    """Returns the faults of all files of the peers with a matching name. Only Live listings get a product, so peers that ask for
    sign-in are left out."""
    is_wanted = lambda peer: not only or any(fnmatch.fnmatch(peer.slug, glob) for glob in only)
    chosen = [peer for peer in PEERS if not peer.gated and is_wanted(peer)]
    environments.prepare({peer.runtime for peer in chosen})
    LOGS.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(BUILD / "broken", ignore_errors=True)
    processes = []
    try:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            addresses = dict(zip(chosen, pool.map(lambda peer: start(peer, processes), chosen)))
        trees, faults = exports(chosen, addresses, processes)
        found, counts = lint(trees)
        faults += found + broken(trees, not only) + quotes()
    finally:
        end(processes)
    files = Counter(tree.name for tree in trees for path in tree.rglob("*") if path.is_file())
    print(f"{len(trees)} products of {len({tree.parent for tree in trees})} peers with {files.total()} files: "
          + ", ".join(f"{sku} {count}" for sku, count in files.items()))
    print("checked: " + ", ".join(f"{name} {count}" for name, count in counts.items())
          + f"; {len(BROKEN)} files that were broken on purpose were found" * (not any("no check" in fault for fault in faults)))
    return faults

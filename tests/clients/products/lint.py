"""Checks each file of products with the tool of its format."""
import os
from fnmatch import fnmatch

from tools import HERE, VENV, run


def _lines(done):
    """The faults that a program printed, one in each line."""
    return (done.stdout + done.stderr).strip().splitlines() or ["failed"] if done.returncode else []


def _shellcheck(files):
    return _lines(run(VENV / "bin/shellcheck", "--format=gcc", *files))


def _actionlint(files):
    path = f"{VENV / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return _lines(run(VENV / "bin/actionlint", "-oneline", *files, env={**os.environ, "PATH": path}))


def _documents(files):
    return _lines(run(VENV / "bin/python", "-B", HERE / "documents.py", *files))


# The check of a path, in addition to that of all files.
CHECKS = (
    ("registry-watch.sh", "shellcheck", _shellcheck),
    (".github/workflows/*.yml", "actionlint", _actionlint),
)


def lint(trees):
    """Checks all files in these folders, one for each product. Returns the faults, and the number of files by check."""
    files = [(tree, path) for tree in trees for path in sorted(tree.rglob("*")) if path.is_file()]
    chosen = {("documents", _documents): [path for _, path in files]}
    known = {}
    for tree, path in files:
        for pattern, name, check in CHECKS:
            # The same content is checked once by programs that take long to start.
            content = path.read_bytes()
            if fnmatch(str(path.relative_to(tree)), pattern) and known.setdefault((pattern, content), path) == path:
                chosen.setdefault((name, check), []).append(path)
    faults = [line for (_, check), paths in chosen.items() for line in check(paths)]
    return faults, {name: len(paths) for (name, _), paths in chosen.items()}

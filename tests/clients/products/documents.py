"""Checks files of products, and prints one fault in each line. Runs in the environment of requirements.txt.

    documents.py <file>...
"""
import json
import re
import sys
from pathlib import Path

import skills_ref
from jsonschema import Draft202012Validator, validators

FIXTURES = Path(__file__).resolve().parents[2] / "harness/fixtures"
FORMATS = {".md", ".json", ".jsonl", ".yml", ".sh"}
# Text that waits for somebody to write it.
PLACEHOLDER = re.compile(r"\[(?:say|describe|insert|your|add|what|when)\b|\b(?:TODO|TBD|FIXME|XXX)\b|lorem ipsum|@[A-Z_]+@|"
                         r"\bundefined\b|\bNaN\b|fill in the brackets", re.IGNORECASE)


def schema(name, definition=None):
    document = json.loads((FIXTURES / name).read_text())
    if definition:
        document = {"$schema": document["$schema"], "$defs": document["$defs"], "$ref": f"#/$defs/{definition}"}
    return validators.validator_for(document)(document)


SERVER, CARD = schema("server.schema.json"), schema("server-card.schema.json", "ServerCard")


def violations(validator, document):
    return [f"{'/'.join(map(str, error.path))} {error.message}" for error in validator.iter_errors(document)]


def markdown(text):
    body = re.sub(r"\A---\n.*?\n---\n+", "", text, flags=re.DOTALL)
    if not body.startswith("# "):
        yield "does not begin with a title"
    if len(body.split()) < 10:
        yield "has fewer than 10 words"
    outside = re.sub(r"^```.*?^```$", "code", body, flags=re.DOTALL | re.MULTILINE)
    for heading in re.findall(r"^(## .*)\n+(?=## |\Z)", outside, flags=re.MULTILINE):
        yield f"has nothing below {heading!r}"


def tool(line):
    """A line of `tools.jsonl`."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", line.get("name", "")):
        yield f"{line.get('name')!r} is no name of a tool"
    if not line.get("description", "x"):
        yield f"{line['name']} has an empty description"
    if "inputSchema" in line:
        Draft202012Validator.check_schema(line["inputSchema"])


def faults(path):
    text = path.read_text()
    if not text.strip() or not text.endswith("\n"):
        yield "is empty or does not end with a line break"
    yield from (f"contains the placeholder {found!r}" for found in PLACEHOLDER.findall(text))
    if path.name == "SKILL.md":
        yield from skills_ref.validate(path.parent)
    if path.suffix == ".md":
        yield from markdown(text)
    elif path.suffix == ".json":
        document = json.loads(text)
        if path.name == "server.json":
            yield from violations(SERVER, document)
        elif path.name == "server-card.json":
            yield from violations(CARD, document)
    elif path.suffix == ".jsonl":
        for line in map(json.loads, text.splitlines()):
            if path.name == "tools.jsonl":
                yield from tool(line)
    elif path.suffix not in FORMATS:
        yield "has no check"


def main():
    count = 0
    for path in map(Path, sys.argv[1:]):
        try:
            found = list(faults(path))
        except Exception as error:  # a parser or a library that refuses the file
            found = [f"{type(error).__name__}: {error}"]
        for fault in found:
            print(f"{path}: {' '.join(str(fault).split())}")
        count += len(found)
    sys.exit(1 if count else 0)


main()

"""The listings of the benchmark, the peers that answer for them, and a data file in which they are Live.

The cost of a search depends on the words. If SEARCH_COLLECTION names a folder with a file listings.jsonl, the texts are from
these real listings. Otherwise they are generated, and similar to each other.
"""
import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import registry
import servers

CARD = "/.well-known/agent-card.json"
ORIGINS = 12               # the registry probes at most four listings of one origin at the same time
PUBLISHERS = 4
SECONDS = 1800             # the time limit until all listings are Live and indexed
NEW = 1_000_000            # the listings from this number on are published during a measurement
MODERN = {"ttlMs": 0, "cacheScope": "public", "resultType": "complete"}
ROWS = []
if folder := os.environ.get("SEARCH_COLLECTION"):
    ROWS = [json.loads(line) for line in (Path(folder) / "listings.jsonl").read_text().splitlines()]


def texts(number):
    """The name, the description, and the names and descriptions of the skills or tools of a listing."""
    if not ROWS or number >= NEW:
        works = [(work, f"Reads tables and tells how to {work} the figures of them.") for work in ("read", "sum", "compare")]
        return f"Table reader {number}", f"Reads the table {number} and its reports, and answers questions about the figures.", works
    row = ROWS[number % len(ROWS)]
    name = row["name"] if number < len(ROWS) else f"{row['name']} {number}"
    return name, row["description"], [(tool["name"], tool["description"]) for tool in row["tools"]]


def answer(method, path, host, body):
    """The answer of a peer. The first part of the path is the number of the listing."""
    name, description, works = texts(int(path.split("/")[1]))
    if method == "GET":
        return ("200 OK", json.dumps(card(f"http://{host}{path.removesuffix(CARD)}", name, description, works)).encode()) \
            if path.endswith(CARD) else ("404 Not Found", b"")
    asked = json.loads(body)
    if "id" not in asked:
        return "202 Accepted", b""
    about = {"name": name, "version": "1.0.0", "description": description}
    schema = {"type": "object", "properties": {"a": {"type": "number"}}}
    results = {
        "SendMessage": {"message": {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "Which numbers?"}]}},
        "server/discover": {**MODERN, "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
                            "_meta": {"io.modelcontextprotocol/serverInfo": about}},
        "tools/list": {**MODERN, "tools": [{"name": work, "description": text, "inputSchema": schema} for work, text in works]},
    }
    method = asked.get("method")
    code = -32001 if method == "GetTask" else -32601
    outcome = {"result": results[method]} if method in results else {"error": {"code": code, "message": "Not found"}}
    return "200 OK", json.dumps({"jsonrpc": "2.0", "id": asked["id"], **outcome}).encode()


def card(base, name, description, works):
    return {"name": name, "description": description, "version": "1.0.0", "capabilities": {},
            "supportedInterfaces": [{"url": f"{base}/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
            "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
            "skills": [{"id": work, "name": work, "description": text, "tags": ["bench"]} for work, text in works]
            or [{"id": "ask", "name": "Ask", "description": description, "tags": ["bench"]}]}


def publication(origins, number):
    """What to publish: agents and MCP servers in turn."""
    base = f"{origins[number % ORIGINS]}/{number}"
    return {"agent_card_url": base + CARD} if number // ORIGINS % 2 else {"mcp_url": f"{base}/mcp"}


def queries(path, first, count):
    """Search requests with words of the listings, each another query."""
    for number in range(first, first + count):
        words = texts(number)[1].split()[number % 3:][:6]
        if words:
            yield "GET", f"{path}?q={quote(' '.join(words))}", None, {}


def live(base):
    """The number of Live listings."""
    return registry.call(base, "/api/probes")[1]["live_active"]["total"]


def publish(base, origins, wanted):
    """Publishes listings until `wanted` are Live and in the search index. Some real texts do not pass the checks."""
    deadline, number = time.monotonic() + SECONDS, 0
    with ThreadPoolExecutor(PUBLISHERS) as pool:
        while (missing := wanted - live(base)) > 0:
            numbers = range(number, number := number + missing)
            answers = pool.map(lambda n: registry.call(base, "/api/publish", publication(origins, n)), numbers)
            wrong = next((answer for answer in answers if answer[0] >= 500), None)
            before = -1
            while before != live(base):      # first probes are still running
                before = live(base)
                time.sleep(1)
            if wrong or time.monotonic() > deadline:
                raise SystemExit(f"bench: {live(base)} of {wanted} listings are Live; {wrong}")
    while registry.call(base, "/api/ard/agents?pageSize=1")[1]["total"] < wanted:
        if time.monotonic() > deadline:
            raise SystemExit(f"bench: the search index does not contain {wanted} listings")
        time.sleep(1)

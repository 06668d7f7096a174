"""The servers that are published. Their names and descriptions are real or generated.

One MCP server on loopback answers for all of them. Both registries list a server only after a handshake, so every
published address has to speak the protocol.
"""
import asyncio
import json
import os
import re
import socket
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from load import FORK

COLLECTION = os.environ.get("SEARCH_COLLECTION")      # a folder with a file listings.jsonl
LONGEST_DESCRIPTION = 100      # the limit in the schema of server.json
TRADES = ("weather", "calendar", "invoice", "kubernetes", "translation", "database", "music", "travel", "genome", "chess")
WORKS = ("search", "export", "monitor", "convert", "summarise", "schedule", "compare", "archive")


@dataclass(frozen=True)
class Server:
    """One server: a name of letters, digits and hyphens, and a short description."""
    slug: str
    description: str


def described(name, description):
    """The server with this name. Markup characters are removed, because only one of the registries refuses them."""
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60].strip("-")
    return Server(slug, " ".join(re.sub(r"[<>`]", " ", description).split())[:LONGEST_DESCRIPTION].strip())


def collected(count):
    """The first `count` servers of the collection, or generated ones without a collection, and where they are from."""
    if not COLLECTION:
        return [Server(f"{TRADES[i % 10]}-{WORKS[i // 10 % 8]}-{i}", f"Can {WORKS[i // 10 % 8]} what is about {TRADES[i % 10]}, as no. {i}.")
                for i in range(count)], "generated"
    found = {}
    with open(Path(COLLECTION) / "listings.jsonl", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            server = described(row["name"], row["description"])
            if row["kind"] == "mcp" and len(server.slug) > 2 and len(server.description) > 20:
                found.setdefault(server.slug, server)
            if len(found) == count:
                break
    return list(found.values()), Path(COLLECTION).name


def words(servers, count):
    """Search words. Each is part of a few of the names, so that every registry finds some servers."""
    spread = Counter(word for server in servers for word in set(re.findall(r"[a-z]{5,}", server.slug)))
    fit = sorted(word for word, names in spread.items() if 2 <= names <= max(3, len(servers) // 8))
    return fit[::max(1, len(fit) // count)][:count]


def start(answer=None):
    """Serves MCP at every path of a free port, in a separate process. Returns the process and the origin.

    `answer` replaces the answers. It gets the method, the path, the host and the body, and returns the status and the body.
    """
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    process = FORK.Process(target=lambda: asyncio.run(_serve(listener, answer or _answer)), daemon=True)
    process.start()
    return process, "http://127.0.0.1:%d" % listener.getsockname()[1]


async def _serve(listener, answer):
    async with await asyncio.start_server(lambda *streams: _talk(answer, *streams), sock=listener) as server:
        await server.serve_forever()


async def _talk(answer, reader, writer):
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            method, path, _ = head[0].split(" ", 2)
            fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
            body = await reader.readexactly(int(fields.get("content-length", 0)))
            status, text = answer(method, path, fields["host"], body)
            writer.write(f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\n"
                         f"content-length: {len(text)}\r\n\r\n".encode() + text)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


def _answer(method, path, _host, body):
    if method != "POST":
        return "405 Method Not Allowed", b""
    asked = json.loads(body)
    if "id" not in asked:
        return "202 Accepted", b""
    results = {
        "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                       "serverInfo": {"name": path.strip("/").split("/")[0], "version": "1.0.0"}},
        "tools/list": {"tools": [{"name": "ask", "description": "Answers what it is asked.",
                                  "inputSchema": {"type": "object", "properties": {}}}]},
        "ping": {},
    }
    answer = {"jsonrpc": "2.0", "id": asked["id"]}
    if asked.get("method") in results:
        answer["result"] = results[asked["method"]]
    else:
        answer["error"] = {"code": -32601, "message": "Method not found"}
    return "200 OK", json.dumps(answer).encode()

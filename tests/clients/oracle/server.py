#!/usr/bin/env python3
"""A server whose behavior is selected by the path. It prints its address.

    /[<who asks>/]mcp/<revision>/<behavior>+<behavior>/mcp
    /[<who asks>/]a2a/<0.3|1.0>/<behavior>+<behavior>/.well-known/agent-card.json

The first part keeps the state of different clients apart. `server.py --list` prints the behaviors.
"""
import asyncio
import sys

import a2a_server
import mcp_server
from behaviors import STAGES, TABLE
from http_server import Reply, serve

ANSWERS = {"mcp": mcp_server.answer, "a2a": a2a_server.answer}
STATES = {}


def answer(ask):
    path = ask.target.split("?")[0]
    parts = path.strip("/").split("/")
    start = next((n for n, part in enumerate(parts[:2]) if part in ANSWERS), None)
    if start is None or len(parts) < start + 3:
        return Reply(404)
    protocol, ask.base, names = parts[start:start + 3]
    ask.names = names.split("+")
    ask.prefix = "/" + "/".join(parts[:start + 3])
    ask.rest = path[len(ask.prefix):]
    if unknown := [name for name in ask.names if (protocol, name) not in TABLE]:
        return Reply(404, text=f"unknown behaviors: {unknown}".encode(), type="text/plain")
    chosen = [TABLE[protocol, name].hooks for name in ask.names]
    ask.hooks = {stage: [hooks[stage] for hooks in chosen if stage in hooks] for stage in STAGES}
    ask.state = STATES.setdefault(ask.prefix, {})
    return ANSWERS[protocol](ask)


async def main():
    server, origin = await serve(answer)
    print(origin, flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    if "--list" in sys.argv:
        for row in TABLE.values():
            print(row.protocol, row.name, " ".join(row.bases), row.source, sep="\t")
    else:
        asyncio.run(main())

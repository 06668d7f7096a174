"""Walks the funnel with the official MCP client of Python.

First it publishes the peer. After that, each answer contains the next call to make.

Arguments: the registry's base URL and the peer's URL. Each call is printed as a line of JSON with its answer.
"""
import asyncio
import json
import sys
from urllib.request import urlopen

from mcp import Client

MOST_CALLS = 20


async def main(base, peer):
    with urlopen(f"{base}/.well-known/mcp/server-card.json", timeout=15) as card:
        endpoint = json.load(card)["remotes"][0]["url"]
    async with Client(endpoint) as client:
        async def call(tool, arguments):
            result = await client.call_tool(tool, arguments)
            answer = result.structured_content
            print(json.dumps({"call": f"tools/call {tool}", "sent": arguments, "answer": answer}), flush=True)
            assert not result.is_error, answer
            return answer

        step = {"tool": "list_yourself", "arguments": {"url": peer}}
        for _ in range(MOST_CALLS):
            await asyncio.sleep(step.get("wait_s", 0))
            arguments = step.get("body") or step["arguments"]
            following = (await call(step["tool"], arguments)).get("next")
            if not following:
                # The last answer is the tree. Its note explained how to get it as an archive.
                await call(step["tool"], {**arguments, "format": "zip"})
                return
            step = following
    raise AssertionError(f"not finished after {MOST_CALLS} calls")


asyncio.run(main(*sys.argv[1:]))

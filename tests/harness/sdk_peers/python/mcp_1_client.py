"""Lists the tools of an MCP server with version 1 of the Python SDK, and calls one tool."""
import asyncio
import sys

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client


def auth(url):
    """Signs in if the run asks for it. SDK 1.9 cannot."""
    from sign_in import client
    return client(url, lambda code, state: (code, state))


async def main(url, gated):
    async with streamablehttp_client(url, auth=auth(url) if gated else None) as (incoming, outgoing, _), ClientSession(incoming, outgoing) as session:
        version = (await session.initialize()).protocolVersion
        names = [tool.name for tool in (await session.list_tools()).tools]
        answer = await session.call_tool("add", {"a": 2, "b": 3})
        assert names == ["add"] and "5" in answer.content[0].text, (names, answer)
        print(version)


asyncio.run(main(sys.argv[1], "--gated" in sys.argv))

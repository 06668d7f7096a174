"""Lists the tools of an MCP server with version 2 of the Python SDK, and calls one tool."""
import asyncio
import sys

from mcp import Client


async def main(url):
    async with Client(url) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        answer = await client.call_tool("add", {"a": 2, "b": 3})
        assert names == ["add"] and "5" in answer.content[0].text, (names, answer)
        print(client.protocol_version)


asyncio.run(main(sys.argv[1]))

"""Lists the tools of an MCP server with version 2 of the Python SDK, and calls one tool."""
import asyncio
import sys

from mcp import Client
from mcp.client.auth import AuthorizationCodeResult
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client


def signing_in(url):
    from sign_in import client
    auth = client(url, lambda code, state: AuthorizationCodeResult(code=code, state=state))
    return streamable_http_client(url, http_client=create_mcp_http_client(auth=auth))


async def main(url, gated):
    async with Client(signing_in(url) if gated else url) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        answer = await client.call_tool("add", {"a": 2, "b": 3})
        assert names == ["add"] and "5" in answer.content[0].text, (names, answer)
        print(client.protocol_version)


asyncio.run(main(sys.argv[1], "--gated" in sys.argv))

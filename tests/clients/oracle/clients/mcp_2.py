"""Lists the tools of MCP servers with version 2 of the Python SDK."""
from lines import offers, run
from mcp import Client


async def use(url):
    async with Client(url) as client:
        return await offers(client, client.server_capabilities, "next_cursor")


run(use)

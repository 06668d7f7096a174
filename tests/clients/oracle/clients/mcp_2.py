"""Lists the tools of MCP servers with version 2 of the Python SDK."""
import httpx2
from lines import offers, run
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def use(url):
    async with httpx2.AsyncClient(verify=False, timeout=30) as http:  # certificates are slow to load, and not used
        async with Client(streamable_http_client(url, http_client=http)) as client:
            return await offers(client, client.server_capabilities, "next_cursor")


run(use)

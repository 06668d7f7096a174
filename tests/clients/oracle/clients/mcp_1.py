"""Lists the tools of MCP servers with version 1 of the Python SDK."""
import httpx
from lines import offers, run
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client


async def use(url):
    async with httpx.AsyncClient(verify=False, timeout=30) as http:  # certificates are slow to load, and not used
        async with streamable_http_client(url, http_client=http) as (incoming, outgoing, _), ClientSession(incoming, outgoing) as session:
            return await offers(session, (await session.initialize()).capabilities)


run(use)

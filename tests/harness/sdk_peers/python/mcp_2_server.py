"""An MCP server built with version 2 of the Python SDK. It serves MCP 2026-07-28 and the older revisions at one endpoint."""
from mcp.server.mcpserver import MCPServer

from listening import arguments, bind, serve

options = arguments("--stateless", "--json", "--gated")
listener, origin = bind(options.port)
if options.gated:
    from sign_in import required
server = MCPServer("interop-python-2", version="1.0.0", instructions="Adds two integers.",
                   **(required(origin) if options.gated else {}))


@server.tool()
def add(a: int, b: int) -> int:
    """Add two integers and return the sum."""
    return a + b


serve(server.streamable_http_app(json_response=options.json, stateless_http=options.stateless), listener, f"{origin}/mcp")

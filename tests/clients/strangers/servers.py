"""Small correct servers that the cases change: an MCP server, one with a sign-in, and an A2A agent."""
from http_server import Reply

PRM = "/.well-known/oauth-protected-resource"
ASM = "/.well-known/oauth-authorization-server"
OIDC = "/.well-known/openid-configuration"
CARD = "/.well-known/agent-card.json"
TOOLS = [{"name": "find_tide", "description": "Returns the next high tide at a harbor.",
          "inputSchema": {"type": "object", "properties": {"harbor": {"type": "string"}}, "required": ["harbor"]}},
         {"name": "list_harbors", "description": "Lists the known harbors.", "inputSchema": {"type": "object"}}]


def result(ask, value):
    return Reply(200, {"jsonrpc": "2.0", "id": ask.message.get("id"), "result": value})


def error(ask, code, text, status=200):
    return Reply(status, {"jsonrpc": "2.0", "id": ask.message.get("id"), "error": {"code": code, "message": text}})


def prepared(make):
    """Gives every case a state of its own, and splits the target of a request."""
    def start():
        state = {}

        def answer(ask):
            ask.state = state
            ask.rest, _, ask.query = ask.target.partition("?")
            return make(ask)
        return answer
    return start


def mcp(guard=None, path="/mcp", capabilities=None, tools=None, note=None, change=None, version="2025-06-18"):
    """An MCP server of an old revision. `guard(ask)` answers instead of it, `change(ask, reply)` changes its replies to requests."""
    def answer(ask):
        if guard and (reply := guard(ask)):
            return reply
        if ask.rest != path:
            return Reply(404)
        if ask.verb != "POST":
            return Reply(405, headers={"Allow": "POST"})
        if "id" not in ask.message:
            return note(ask) if note else Reply(202)
        values = {"initialize": {"protocolVersion": version, "capabilities": capabilities or {"tools": {}},
                                 "serverInfo": {"name": "tide-table", "version": "2.1.0"}},
                  "tools/list": {"tools": (tools or (lambda ask: TOOLS))(ask)}, "ping": {}}
        reply = result(ask, values[ask.rpc]) if ask.rpc in values else error(ask, -32601, "Method not found")
        return change(ask, reply) if change else reply
    return prepared(answer)


def resource(origin, path="/mcp", server=""):
    """Metadata of a protected resource, RFC 9728."""
    return {"resource": origin + path, "authorization_servers": [origin + server], "bearer_methods_supported": ["header"]}


def login(issuer, **more):
    """Metadata of an authorization server, RFC 8414."""
    document = {"issuer": issuer, "authorization_endpoint": "https://login.tides.example/authorize",
                "token_endpoint": "https://login.tides.example/token", "response_types_supported": ["code"],
                "registration_endpoint": "https://login.tides.example/register", "code_challenge_methods_supported": ["S256"], **more}
    return {name: value for name, value in document.items() if value is not None}


def pointer(origin, path=PRM + "/mcp"):
    return {"WWW-Authenticate": f'Bearer resource_metadata="{origin}{path}"'}


def sign_in(documents=None, challenge=pointer, status=401, when=lambda ask: True, path="/mcp"):
    """An MCP server that asks for a token. `documents(origin)` is added to its metadata; None removes one."""
    def guard(ask):
        known = {PRM + path: resource(ask.origin, path), ASM: login(ask.origin), **(documents(ask.origin) if documents else {})}
        document = known.get(ask.rest)
        if document is not None and ask.verb == "GET":
            return document if isinstance(document, Reply) else Reply(message=document)
        if ask.rest == path and ask.verb == "POST" and when(ask):
            return Reply(status, {"error": "unauthorized"}, headers=challenge(ask.origin))
        return None
    return mcp(guard, path)


def card(origin, version, path):
    common = {"name": "Tide Clerk", "description": "Answers questions about tides in small harbors.", "version": "0.9.2",
              "capabilities": {"streaming": False, "pushNotifications": False}, "defaultInputModes": ["text/plain"],
              "defaultOutputModes": ["text/plain"],
              "skills": [{"id": "tides", "name": "Tides", "description": "Names the next high tide.", "tags": ["sea"]}]}
    if version == "1.0":
        return {"supportedInterfaces": [{"url": origin + path, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}], **common}
    return {"protocolVersion": "0.3.0", "url": origin + path, "preferredTransport": "JSONRPC", **common}


def agent(version="1.0", guard=None, change=None, path="/rpc", card_at=CARD, strict=None):
    """An A2A agent. `change(origin, card)` changes its card; `strict(params)` names what is wrong with a message, or None."""
    send, get = ("SendMessage", "GetTask") if version == "1.0" else ("message/send", "tasks/get")
    said = {"messageId": "m-7", "contextId": "c-7", **({"role": "ROLE_AGENT", "parts": [{"text": "High tide is at six."}]} if version == "1.0"
            else {"kind": "message", "role": "agent", "parts": [{"kind": "text", "text": "High tide is at six."}]})}

    def answer(ask):
        if guard and (reply := guard(ask)):
            return reply
        if ask.rest == card_at and ask.verb == "GET":
            document = card(ask.origin, version, path)
            return Reply(message=change(ask.origin, document) if change else document)
        if ask.rest != path:
            return Reply(404)
        if ask.verb != "POST":
            return Reply(405, headers={"Allow": "POST"})
        if ask.rpc == get:
            return error(ask, -32001, "Task not found")
        if ask.rpc != send:
            return error(ask, -32601, "Method not found")
        if strict and (wrong := strict(ask.params)):
            return error(ask, -32602, f"Invalid parameters: {wrong}")
        return result(ask, {"message": said} if version == "1.0" else said)
    return prepared(answer)

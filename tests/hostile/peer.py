"""A peer on public addresses: an honest agent and MCP server over TLS. Some paths return a misleading answer.

It counts all connections. The path contains the target of a misleading answer, so that each case is one URL:

    /to/302/<target>     redirects to the target
    /card/<target>       returns a card that contains the target
    /events/<target>     returns an event stream that contains the target
    /gate/<target>       returns an auth challenge that contains the target

On the hosts in `moved` every path redirects.
"""
import base64
import json
import socket
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

MODERN = "2026-07-28"
PORTS = (443, 8443)


def in_path(target: str) -> str:
    return base64.urlsafe_b64encode(target.encode()).decode().rstrip("=")


def from_path(text: str) -> str:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode()


def card(url: str, misleading: str = "") -> dict[str, Any]:
    """A sound agent card. With `misleading`, every URL that a client may follow has that value."""
    honest = {
        "name": "Adder", "description": "Adds two integers and returns the sum.", "version": "1.0.0",
        "supportedInterfaces": [{"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}], "capabilities": {},
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "add", "name": "Add", "description": "Adds two integers.", "tags": ["add"]}],
    }
    if not misleading:
        return honest
    protected = in_path(json.dumps({"alg": "ES256", "kid": "a", "jku": misleading, "x5u": misleading}))
    elsewhere = {"url": misleading, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
    return honest | {
        "iconUrl": misleading, "documentationUrl": misleading, "provider": {"organization": "A", "url": misleading},
        "supportedInterfaces": [elsewhere, *honest["supportedInterfaces"]], "url": misleading,
        "additionalInterfaces": [{"url": misleading, "transport": "JSONRPC"}], "jwks_uri": misleading,
        "securitySchemes": {"o": {"openIdConnectSecurityScheme": {"openIdConnectUrl": misleading}}},
        "signatures": [{"protected": protected, "signature": "AA", "header": {"jku": misleading}}],
    }


def result(method: str) -> dict[str, Any]:
    info = {"name": "adder", "title": "Adder", "version": "1.0.0", "description": "Adds two integers."}
    cached = {"resultType": "complete", "ttlMs": 60_000, "cacheScope": "public"}
    known = {
        "server/discover": {"supportedVersions": [MODERN], "capabilities": {"tools": {}}, **cached,
                            "_meta": {"io.modelcontextprotocol/serverInfo": info}},
        "tools/list": {"tools": [{"name": "add", "description": "Adds.", "inputSchema": {"type": "object"}}], **cached},
        "SendMessage": {"message": {"messageId": "m-1", "role": "ROLE_AGENT", "parts": [{"text": "3"}]}},
    }
    if method in known:
        return {"result": known[method]}
    if method == "GetTask":
        return {"error": {"code": -32001, "message": "Task not found"}}
    return {"error": {"code": -32601, "message": "Method not found"}}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10
    server: "Peer"

    def send(self, status: int, body: Any = b"", kind: str = "application/json", **headers: str) -> None:
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"content-type": kind, "content-length": str(len(sent)), "connection": "close", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(sent)
        self.close_connection = True

    def send_misleading(self, host: str) -> bool:
        """Sends a misleading answer; returns false if the path requires an honest one."""
        parts = self.path.strip("/").split("/")
        if host in self.server.moved:
            self.send(307 if self.command == "POST" else 302, location=self.server.moved[host])
        elif parts[0] == "to":
            self.send(int(parts[1]), location=from_path(parts[2]))
        elif parts[0] == "gate":
            named = f'Bearer resource_metadata="{from_path(parts[1])}"'
            self.send(401, {"error": "unauthorized"}, www_authenticate=named)
        elif parts[0] == "events" and self.command == "GET":
            self.send(200, f"event: endpoint\ndata: {from_path(parts[1])}\n\n".encode(), "text/event-stream")
        elif parts[0] == "events":
            self.send(405, {"error": "GET only"})
        elif parts[0] == "card":
            self.send(200, card(f"https://{host}/a2a", from_path(parts[1])))
        else:
            return False
        return True

    def do_GET(self) -> None:
        host = (self.headers.get("host") or "").partition(":")[0]
        if self.send_misleading(host):
            return
        if self.path == "/.well-known/agent-card.json":
            self.send(200, card(f"https://{host}/a2a"))
        else:
            self.send(404, {"error": "not found"})

    do_HEAD = do_DELETE = do_GET

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.send_misleading((self.headers.get("host") or "").partition(":")[0]):
            return
        call = json.loads(body or b"{}")
        if "id" not in call:
            return self.send(202)
        self.send(200, {"jsonrpc": "2.0", "id": call["id"], **result(call.get("method", ""))})

    def log_message(self, *_: object) -> None:
        pass


class Peer(ThreadingHTTPServer):
    """One listening address."""
    daemon_threads = True
    request_queue_size = 128
    moved: dict[str, str] = {}
    context: ssl.SSLContext
    connections = 0

    def process_request(self, request: Any, client_address: Any) -> None:
        Peer.connections += 1      # one thread per listener; an approximate count is enough
        super().process_request(request, client_address)

    def finish_request(self, request: Any, client_address: Any) -> None:
        try:
            request.settimeout(10)
            with self.context.wrap_socket(request, server_side=True) as secure:
                super().finish_request(secure, client_address)
        except (OSError, ValueError):
            pass                   # no TLS, no certificate, or closed: already counted


def serve(addresses: list[str], moved: dict[str, str], chain: Path, key: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain, key)
    Peer.moved, Peer.context = moved, context
    for address in addresses:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        listener = type("Listener", (Peer,), {"address_family": family})
        for port in PORTS:
            threading.Thread(target=listener((address, port), Handler).serve_forever, daemon=True).start()

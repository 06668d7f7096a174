"""Servers that must not become Live. Without them, a registry that accepts everything would pass the test."""
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HTML = ("text/html; charset=utf-8", b"<!doctype html><title>Welcome</title><p>A page, neither a card nor a protocol.")
HELLO = ("application/json", json.dumps({"hello": "world"}).encode())
# A card whose interface does not exist. A card alone must not be enough.
HOLLOW_PATH = "/hollow/.well-known/agent-card.json"


class _Answer(BaseHTTPRequestHandler):
    def _any(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        kind, body = HELLO if self.path.startswith("/json") else HTML
        if self.path == HOLLOW_PATH:
            kind, body = "application/json", json.dumps(_hollow_card(self.server.server_port)).encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_POST = do_HEAD = do_DELETE = _any

    def log_message(self, *_):
        pass


def _hollow_card(port):
    return {"name": "Hollow", "description": "Has a card, but no working interface.", "version": "1.0.0",
            "supportedInterfaces": [{"url": f"http://127.0.0.1:{port}/hollow/rpc", "protocolBinding": "JSONRPC",
                                     "protocolVersion": "1.0"}],
            "capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
            "skills": [{"id": "none", "name": "None", "description": "None.", "tags": ["none"]}]}


def start():
    """Starts the server in this process. Returns `(slug, way of publishing, URL)` of every control."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{server.server_port}"
    return [("control-html-mcp", "server.json", f"{origin}/html/mcp"),
            ("control-json-mcp", "server.json", f"{origin}/json/mcp"),
            ("control-html-card", "url", f"{origin}/html/.well-known/agent-card.json"),
            ("control-hollow-agent", "url", f"{origin}{HOLLOW_PATH}")]

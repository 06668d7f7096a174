"""Answers that the watch script must tell apart: only an answer that says so means "Live", "not Live" or "refused"."""
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PIN = "sha256:" + "ab" * 32
LIVE, HOLDS = (200, {"lane": "active"}), (200, {"pins": [{"state": "holds"}]})
BUSY = (429, {"code": "rate_limited", "detail": "Retry later."})
# What answers, with which options: the exit code of the script.
ANSWERS = (
    ("a Live listing with its tools", {}, (), 0),
    ("429 for the pins", {"pins": BUSY}, (), 3),
    ("pins without a state", {"pins": (200, {"error": "oops"})}, (), 3),
    ("a pin of which the registry knows nothing", {"pins": (200, {"pins": [{"state": "unknown"}]})}, (), 3),
    ("429 for the status", {"status": BUSY}, (), 3),
    ("403 of a proxy for the status", {"status": (403, {"error": "forbidden"})}, (), 3),
    ("404 of a proxy for the status", {"status": (404, {"error": "no route"})}, (), 3),
    ("status 200 without a lane", {"status": (200, {"ok": True})}, (), 3),
    ("a listing that does not exist", {"status": (404, {"code": "not_found"}), "pins": (200, {"pins": [{"state": "not_listed"}]})}, (), 1),
    ("a fault with words of the server", {"status": (200, {"lane": "needs_fix", "reasons": [
        {"code": "x", "seen": "wrote \"##[error]y `@octocat`\"", "fix": "Answer."}]})}, (), 1),
    ("a refused publish", {"publish": (422, {"code": "invalid", "detail": "`mcp_url` must be https."})}, ("--publish",), 1),
    ("a blocked host", {"publish": (403, {"code": "host_blocked", "detail": "This host is blocked."})}, ("--publish",), 1),
    ("429 for a publish", {"publish": BUSY}, ("--publish",), 3),
)


class Registry:
    """Answers each path with what `answers` contains, else as for a Live listing."""

    def __init__(self):
        self.answers = {}
        registry = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                usual = {"status": LIVE, "pins": HOLDS, "publish": (200, {"ok": True})}
                name = next(name for name in usual if name in self.path)
                code, body = registry.answers.get(name, usual[name])
                content = json.dumps(body).encode()
                self.send_response(code)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def do_POST(self):
                self.rfile.read(int(self.headers["content-length"]))
                self.do_GET()

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def settings(self):
        return {"registry": self.url, "listing_id": "mcp-notes", "name": "notes", "tools_hash": PIN, "publish": {"mcp_url": "x"}}

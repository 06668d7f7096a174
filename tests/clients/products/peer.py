"""An MCP server whose behaviour a test changes while it runs."""
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

READ_ONLY = {"readOnlyHint": True}
SEARCH = {
    "name": "search_notes", "description": "Finds notes by words. Returns the title of each note.", "annotations": READ_ONLY,
    "inputSchema": {"type": "object", "required": ["words"], "properties": {
        "words": {"type": "string", "examples": ["tide tables"], "description": "Words of the note."},
        "limit": {"type": "integer", "default": 5}}},
    "outputSchema": {"type": "object", "required": ["titles"],
                     "properties": {"titles": {"type": "array", "items": {"type": "string"}}}},
}
DELETE = {"name": "delete_note", "description": "Deletes a note for good. Returns nothing.",
          "inputSchema": {"type": "object", "required": ["title"], "properties": {"title": {"type": "string"}}}}


class Server:
    """`fault` is None, "down", "accepts everything", "other tools" or "refuses calls"."""

    def __init__(self):
        self.fault, self.called = None, []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                code, answer = (503, {}) if server.fault == "down" else server.answer(body)
                content = b"" if answer is None else json.dumps(answer).encode()
                self.send_response(code)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def do_GET(self):
                self.send_response(405)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/mcp"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def tools(self):
        return [SEARCH] if self.fault == "other tools" else [SEARCH, DELETE]

    def answer(self, body):
        method, params = body.get("method"), body.get("params") or {}
        if method == "notifications/initialized":
            return 202, None
        if method == "initialize":
            info = {"name": "notes", "version": "1.2.3"}
            result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
        elif method == "tools/list":
            result = {"tools": self.tools()}
        elif method == "tools/call" and self.fault == "refuses calls":
            return 429, {"error": {"code": "rate_limited", "message": "Retry later."}}
        elif method == "tools/call":
            result = self.call(params["name"], params.get("arguments") or {})
        else:
            return 200, {"jsonrpc": "2.0", "id": body.get("id"), "error": {"code": -32601, "message": "Method not found"}}
        return 200, {"jsonrpc": "2.0", "id": body["id"], "result": result}

    def call(self, name, arguments):
        self.called.append(name)
        if name != "search_notes":
            return {"isError": True, "content": [{"type": "text", "text": f"unknown tool {name}"}]}
        words = arguments.get("words")
        if not isinstance(words, str) and self.fault != "accepts everything":
            return {"isError": True, "content": [{"type": "text", "text": "`words` is required"}]}
        titles = ["Tide tables of Lisbon"]
        structured = {"titles": titles}
        return {"content": [{"type": "text", "text": json.dumps(structured)}], "structuredContent": structured}

"""The owner of the host of the peers. It proves itself with a key that the host publishes, and manages the listings of the host."""
import base64
import subprocess
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import registry


def _openssl(*arguments):
    return subprocess.run(["openssl", *map(str, arguments)], capture_output=True, check=True).stdout


class Owner:
    """`proof_url` is the place of the key, as the source `domain` in the setting NAME_PROOFS of a registry names it."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory()
        self._key = Path(self._folder.name) / "key.pem"
        _openssl("genpkey", "-algorithm", "ed25519", "-out", self._key)
        public = _openssl("pkey", "-in", self._key, "-pubout", "-outform", "DER")[-32:]
        record = b"v=MCPv1; k=ed25519; p=" + base64.b64encode(public)

        class Host(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("content-type", "text/plain")
                self.send_header("content-length", str(len(record)))
                self.end_headers()
                self.wfile.write(record)

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Host)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.proof_url = f"http://127.0.0.1:{server.server_port}/{{domain}}/auth"

    def manage(self, base, listing_id, act, **arguments):
        """Proves itself and runs an act of `manage_listing`. Returns the last answer of the registry."""
        call = {"action": "manage_listing", "listing_id": listing_id, "act": act, **arguments}
        path = "/api/products/first-principles"
        _, answer = registry.call(base, path, call)
        challenge = answer.get("challenge")
        if not challenge:
            return answer
        text = Path(self._folder.name) / "challenge"
        text.write_text(challenge["text"])
        signature = _openssl("pkeyutl", "-sign", "-inkey", self._key, "-rawin", "-in", text).hex()
        return registry.call(base, path, {**call, "nonce": challenge["nonce"], "signature": signature})[1]

"""Measures the packaged Lambda functions: the size of each zip, and the time from the start of the binary to its first poll,
compared with a minimal function of the same build profile.

A server on loopback answers as Lambda's runtime API, and as DynamoDB with an empty table.
"""
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from statistics import median

import registry

BUILT = registry.TARGET / "lambda"
MINIMAL = "minimal-lambda"
STARTS = 21
RATIO = 2.5        # limit: time to the first poll, compared with the minimal function
ZIP_MB = 30        # limit; functions that search contain the language model, about 20 MB
VARIABLES = {
    "AWS_LAMBDA_FUNCTION_NAME": "function", "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "256",
    "AWS_LAMBDA_LOG_GROUP_NAME": "group", "AWS_LAMBDA_LOG_STREAM_NAME": "stream", "AWS_REGION": "eu-central-1",
    "AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "TABLE_NAME": "registry", "BUS_NAME": "bus",
    "BASE_URL": "https://registry.example.org", "RUST_LOG": "error"}


class Aws(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.polled = time.monotonic()
        self.server.ended.wait()       # there is no event
        self.close_connection = True

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/x-amz-json-1.0\r\ncontent-length: 2\r\n\r\n{}")


def start(name):
    """Milliseconds from the start of a function to its first poll."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Aws)
    server.daemon_threads, server.ended, server.polled = True, threading.Event(), None
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    address = "127.0.0.1:%d" % server.server_address[1]
    variables = {"AWS_LAMBDA_RUNTIME_API": address, "AWS_ENDPOINT_URL_DYNAMODB": f"http://{address}", **VARIABLES}
    began = time.monotonic()
    with subprocess.Popen([BUILT / name / "bootstrap"], env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        while not server.polled and process.poll() is None and time.monotonic() < began + 60:
            time.sleep(0.0005)
        process.kill()
    server.ended.set()
    server.shutdown()
    server.server_close()
    if not server.polled:
        raise SystemExit(f"bench: {name} did not start")
    return (server.polled - began) * 1000


def measure(report, slack):
    report.part("Lambda functions: size of the zip, time from start to first poll")
    times = {name: [] for name in (MINIMAL, *sorted(folder.name for folder in (registry.ROOT / "functions").iterdir()))}
    if missing := [name for name in times if not (BUILT / name / "bootstrap.zip").is_file()]:
        raise SystemExit(f"bench: {', '.join(missing)}: not in {BUILT}; `make bench` builds them")
    for _ in range(STARTS):
        for name, took in times.items():
            took.append(start(name))
    least = median(times[MINIMAL])
    for name, took in times.items():
        size, ratio = (BUILT / name / "bootstrap.zip").stat().st_size / 1e6, median(took) / least
        limit = "" if name == MINIMAL else f"{ZIP_MB} MB, {RATIO}x"
        report.row(name, f"{size:.1f} MB; {median(took):.1f} ms ({ratio:.1f}x)", limit, size <= ZIP_MB and ratio <= RATIO * slack)

"""Measures the packaged Lambda functions: the size of each zip, and the time from the start of the binary to its first poll
and to its first reply, compared with a minimal function of the same build profile.

A server on loopback answers as Lambda's runtime API, and as DynamoDB and EventBridge with an empty table.
"""
import json
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
# the first event of each function: a file in events/
EVENTS = {MINIMAL: "discovery", "a2a": "a2a", "daily-connector": "daily-connector", "listings": "active", "operator": None,
          "pages": "page-home", "payment-webhook": "checkout-webhook", "probe-tick": "probe-tick", "products": "collections",
          "protocol": "protocol", "publish": "publish", "search-index": "search-index", "talk": "talk-feed",
          "weekly-recheck": "weekly-recheck", "well-known": "discovery"}


class Aws(ThreadingHTTPServer):
    """Serves one start of a function."""
    daemon_threads = True
    polled, replied, reply = 0.0, 0.0, None

    def __init__(self, event):
        super().__init__(("127.0.0.1", 0), Answers)
        self.event, self.ended = event, threading.Event()
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def handle_error(self, *_):
        """The function is killed after its reply."""


class Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1      # one packet for each answer

    def do_GET(self):
        if self.server.polled:
            self.server.ended.wait()
            self.close_connection = True
            return
        self.server.polled = time.monotonic()
        self.answer(self.server.event, {
            "lambda-runtime-aws-request-id": "1", "lambda-runtime-invoked-function-arn": "arn:aws:lambda:::f",
            "lambda-runtime-deadline-ms": str(int(time.time() * 1000) + 60_000)})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.path.startswith("/2018-06-01/"):
            self.server.replied, self.server.reply = time.monotonic(), (self.path, body)
        self.answer({}, {})

    def answer(self, body, headers):
        text = json.dumps(body).encode()
        self.send_response(200)
        for name, value in {"content-type": "application/x-amz-json-1.0", "content-length": str(len(text)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def start(name):
    """Milliseconds from the start of a function to its first poll and to its first reply, and whether this is an error."""
    event = {"command": "unblock_host", "host": "blocked.example.com"}
    if EVENTS[name]:
        event = json.loads((registry.ROOT / "events" / f"{EVENTS[name]}.json").read_text())
    aws = Aws(event)
    address = "127.0.0.1:%d" % aws.server_address[1]
    variables = {
        "AWS_LAMBDA_RUNTIME_API": address, "AWS_LAMBDA_FUNCTION_NAME": "function", "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "256", "AWS_LAMBDA_LOG_GROUP_NAME": "group", "AWS_LAMBDA_LOG_STREAM_NAME": "stream",
        "AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "TABLE_NAME": "registry",
        "BUS_NAME": "bus", "BASE_URL": "https://registry.example.org", "RUST_LOG": "error",
        "AWS_ENDPOINT_URL_DYNAMODB": f"http://{address}", "AWS_ENDPOINT_URL_EVENTBRIDGE": f"http://{address}"}
    began = time.monotonic()
    with subprocess.Popen([BUILT / name / "bootstrap"], env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        while not aws.reply and process.poll() is None and time.monotonic() < began + 60:
            time.sleep(0.0005)
        process.kill()
    aws.ended.set()
    aws.shutdown()
    aws.server_close()
    if not aws.polled or not aws.reply:
        raise SystemExit(f"bench: {name} did not reply to its first event: {aws.reply}")
    # a job may fail, because the table returns no attributes
    return (aws.polled - began) * 1000, (aws.replied - began) * 1000, not aws.reply[0].endswith("/response")


def measure(report, slack):
    report.part("Lambda functions: zip, time from start to first poll and to first reply")
    missing = [name for name in EVENTS if not (BUILT / name / "bootstrap.zip").is_file()]
    if missing:
        raise SystemExit(f"bench: {', '.join(missing)}: not in {BUILT}; `make bench` builds them")
    times = {name: [] for name in EVENTS}
    for turn in range(STARTS + 1):
        for name in EVENTS:
            took = start(name)
            if turn:      # the first start also reads the binary from disk
                times[name].append(took)
    medians = {name: [median(column) for column in zip(*rows)] for name, rows in times.items()}
    for name, (poll, reply, fails) in medians.items():
        size, ratio = (BUILT / name / "bootstrap.zip").stat().st_size / 1e6, poll / medians[MINIMAL][0]
        outcome = f"{'error' if fails else 'reply'} {reply:.1f} ms ({reply / medians[MINIMAL][1]:.1f}x)"
        text = f"{size:.1f} MB; {poll:.1f} ms ({ratio:.1f}x), {outcome}"
        if name == MINIMAL:
            report.row(name, text)
        else:
            report.row(name, text, f"{ZIP_MB} MB, {RATIO}x", size <= ZIP_MB and ratio <= RATIO * slack)

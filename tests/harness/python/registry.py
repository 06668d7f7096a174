"""The registry that is tested. The run starts it, or BASE_URL names a running registry. Only its public API is used."""
import json
import os
import re
import secrets
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target")
ADDRESS = re.compile(r"^  (http://127\.0\.0\.1:[1-9][0-9]*)\n", re.MULTILINE)  # printed at its start
START_SECONDS = 60     # it usually takes less than one second
ACTIVE_SECONDS = 30    # the time limit for a valid listing to become Live
RUN = secrets.token_hex(3)  # makes the server names of this run unique


def binary():
    """The registry: the file that REGISTRY_BINARY names, or the build of `make run`."""
    if given := os.environ.get("REGISTRY_BINARY"):
        return Path(given).absolute()
    build = ["cargo", "build", "--workspace", "--bin", "registry"]
    print(*build, flush=True)
    if subprocess.run(build, cwd=ROOT).returncode:
        raise SystemExit("the registry cannot be built")
    return TARGET / "debug" / "registry"


def start(log, data=":memory:", **settings):
    """Starts a registry in development mode with these settings on a free port. Returns its process and base URL.

    The registry chooses the port itself, because a port chosen here could be in use when the build is done.
    """
    command = [binary(), "--port", "0", "--data", data]
    # all publications of the run come from one address and name one host
    process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT, env={"RATE_LIMITS": "off", **os.environ, **settings})
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        output = Path(log.name).read_text(errors="replace")
        if address := ADDRESS.search(output):
            return process, address[1]
        time.sleep(0.1)
    process.kill()
    raise SystemExit(f"interop: the registry did not start (exit code {process.wait()}). Its output:\n"
                     f"{Path(log.name).read_text(errors='replace')}")


def call(base, path, body=None):
    """Sends one request. Returns the status and the JSON body, also of errors. Raises OSError if there is no answer."""
    request = urllib.request.Request(base + path, headers={"accept": "application/json", "content-type": "application/json"},
                                     data=None if body is None else json.dumps(body).encode())
    try:
        with urllib.request.urlopen(request, timeout=15) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        text = error.read().decode(errors="replace")
        try:
            return error.code, json.loads(text)
        except ValueError:
            return error.code, {"detail": text}


def publication(way, slug, url):
    """The body of the publication: a server description, or only the URL of a card, a site or an endpoint."""
    if way != "server.json":
        return {"url": url}
    return {"$schema": SCHEMA, "name": f"org.example.interop/{slug}-{RUN}", "version": "1.0.0",
            "description": "Adds two integers and returns the sum.", "remotes": [{"type": "streamable-http", "url": url}]}


def publish_and_wait(base, way, slug, url):
    """Publishes, and polls the status until the check has finished. Returns the last status, with the `seconds` it took."""
    code, answer = call(base, "/api/publish", publication(way, slug, url))
    if code != 200 or not answer.get("listing_id"):
        return {"lane": f"publish {code}", "reasons": answer}
    return leaves_lane(base, answer["listing_id"], "queued")


def leaves_lane(base, listing_id, lane):
    """Polls the status until the listing is in another lane. Returns the last status, with the `seconds` it took."""
    begun, status = time.monotonic(), {}
    while time.monotonic() - begun < ACTIVE_SECONDS:
        _, status = call(base, f"/api/listings/status?id={listing_id}")
        if status.get("lane") not in (None, lane):
            break
        time.sleep(0.2)
    return {**status, "seconds": round(time.monotonic() - begun, 1)}


def found(document, name):
    """The first value with this name that is not empty, anywhere in the document."""
    if isinstance(document, dict):
        if document.get(name) not in (None, "", [], {}):
            return document[name]
        document = list(document.values())
    if isinstance(document, list):
        return next((value for value in (found(part, name) for part in document) if value is not None), None)
    return None

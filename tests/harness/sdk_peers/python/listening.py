"""A loopback socket that is opened before the application exists.

So a card can contain the port of its own server, and the address can be printed as soon as connections are accepted.

All requests and answers are written to standard error in full, because only they can explain a wrong result.
"""
import argparse
import json
import socket
import sys

import uvicorn


def arguments(*flags):
    """The command line of a peer: --port (0 for a free port) and the given flags."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    for flag in flags:
        parser.add_argument(flag, action="store_true")
    return parser.parse_args()


def bind(port):
    """A listening socket on 127.0.0.1 and its origin."""
    listener = socket.create_server(("127.0.0.1", port), backlog=128)
    return listener, f"http://127.0.0.1:{listener.getsockname()[1]}"


def serve(app, listener, address):
    """Serves until the process is stopped. The only line on standard output is the address."""
    print(address, flush=True)
    uvicorn.Server(uvicorn.Config(traced(app), log_level="warning")).run(sockets=[listener])


def traced(app):
    """The same application, which also logs its requests and answers."""
    def head(headers):
        return json.dumps({name.decode("latin-1"): value.decode("latin-1") for name, value in headers})

    async def tracing(scope, receive, send):
        if scope["type"] != "http":
            return await app(scope, receive, send)
        asked, answered, start = [], [], {"status": "no answer", "headers": []}

        async def hear():
            event = await receive()
            asked.append(event.get("body", b""))
            return event

        async def say(event):
            if event["type"] == "http.response.start":
                start.update(event)
            answered.append(event.get("body", b""))
            await send(event)

        try:
            await app(scope, hear, say)
        finally:
            print(f"> {scope['method']} {scope['path']} {head(scope['headers'])}\n> {b''.join(asked).decode(errors='replace')}\n"
                  f"< {start['status']} {head(start['headers'])}\n< {b''.join(answered).decode(errors='replace')}\n",
                  file=sys.stderr, flush=True)
    return tracing

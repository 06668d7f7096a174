"""A loopback socket that is bound before the application exists, so that a card can name its own port and the
address can be printed at the moment from which connections are accepted.

Each exchange is written to standard error whole, because a peer that is judged wrongly is only understood from the wire.
"""
import argparse
import json
import socket
import sys

import uvicorn


def arguments(*flags):
    """The peer's command line: --port (0 takes a free one) and the given on/off flags."""
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
    """Serve until ended from outside; the one line on standard output tells the address."""
    print(address, flush=True)
    uvicorn.Server(uvicorn.Config(traced(app), log_level="warning")).run(sockets=[listener])


def traced(app):
    """The same application, telling what was asked of it and what it answered."""
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

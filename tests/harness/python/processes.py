"""Starts a peer and waits for its address, and stops the processes of a run."""
import os
import selectors
import subprocess
import time

import environments

LOGS = environments.BUILD / "logs"
READY_SECONDS = 60   # the imports of an SDK can be slow on a busy machine


def start(peer, processes):
    """Starts the peer, adds its process to the list, and returns the address that it prints ("" if it prints none)."""
    with open(LOGS / f"{peer.slug}.log", "wb") as log:
        process = subprocess.Popen([*environments.command(peer.runtime, peer.program), *peer.flags],
                                   stdout=subprocess.PIPE, stderr=log, text=True,
                                   env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    processes.append(process)
    with selectors.DefaultSelector() as ready:
        ready.register(process.stdout, selectors.EVENT_READ)
        return process.stdout.readline().strip() if ready.select(READY_SECONDS) else ""


def end(processes):
    """Stops exactly the processes that this run started."""
    for process in processes:
        process.terminate()
    deadline = time.monotonic() + 5
    for process in processes:
        try:
            process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()

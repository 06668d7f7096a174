"""Starting a peer and waiting for its address, and ending whatever a run started."""
import os
import selectors
import subprocess
import time

import environments

LOGS = environments.BUILD / "logs"
READY_SECONDS = 60   # an SDK's imports on a busy machine


def start(peer, processes):
    """Starts the peer, notes its process, and gives the address that it prints when it listens ("" if it does not)."""
    with open(LOGS / f"{peer.slug}.log", "wb") as log:
        process = subprocess.Popen([*environments.command(peer.runtime, peer.program), *peer.flags],
                                   stdout=subprocess.PIPE, stderr=log, text=True,
                                   env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    processes.append(process)
    with selectors.DefaultSelector() as ready:
        ready.register(process.stdout, selectors.EVENT_READ)
        return process.stdout.readline().strip() if ready.select(READY_SECONDS) else ""


def end(processes):
    """Ends exactly what this run started."""
    for process in processes:
        process.terminate()
    deadline = time.monotonic() + 5
    for process in processes:
        try:
            process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()

"""Ports that a test keeps while its server is down."""

import fcntl
import os
import random
import socket
import tempfile

FIRST, LAST = 20000, 32000  # the kernel takes ports of outgoing connections from 32768 on
RESERVED = []  # open lock files; their locks end with the process


def is_free(port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def reserve_port():
    """Returns a port that is free and that no other test of this machine gets while this process runs."""
    folder = os.path.join(tempfile.gettempdir(), "belfry-ports")
    os.makedirs(folder, exist_ok=True)
    for port in random.sample(range(FIRST, LAST), 1000):
        lock = open(os.path.join(folder, str(port)), "w", encoding="utf-8")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            continue
        if is_free(port):
            RESERVED.append(lock)
            return port
        lock.close()
    raise AssertionError(f"no port from {FIRST} to {LAST} is free")

"""Belfry's client for Python: nothing but the standard library.

    from belfry import Client, Sender

    client = Client()                                   # BELFRY_URL, BELFRY_TOKEN
    client.emit({"type": "build.failed", "source": "ci", "severity": "error"})
    for event in client.follow_run(7):
        print(event["event"], event["data"])

    with Sender("unix:/path/of/belfry-rpc.sock") as sender:
        sender.send("s1", "user_input", {"text": "Stop after this file"})
"""

from .client import Client
from .errors import BelfryError
from .follow import Following
from .rpc import RpcConnection, RpcError
from .sender import FAILED, RETRYING, Sender, Sending

__all__ = ["FAILED", "RETRYING", "BelfryError", "Client", "Following", "RpcConnection", "RpcError", "Sender",
           "Sending"]

"""Free ports of the loopback."""

import contextlib
import socket

__all__ = ["free_port", "free_ports"]


def free_ports(count: int) -> list[int]:
    """Return ports that nobody listens on, all held until the last is drawn:
    no two are the same.
    """
    with contextlib.ExitStack() as held:
        probes = [held.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in probes]


def free_port() -> int:
    """Return one of them."""
    return free_ports(1)[0]

"""Things on a port that are no Neo4j we can use: an old one, another kind of server,
a silent one.
"""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def listening(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """Serve ``answer`` on a free loopback port; gives the port's Bolt address."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve(client: socket.socket) -> None:
        with client, contextlib.suppress(OSError):
            answer(client)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                threading.Thread(target=serve, args=(client,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"bolt://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.close()


def old_neo4j(agent: str) -> Callable[[socket.socket], None]:
    """Speaks Bolt 4.4 and says it is ``agent``; answers every message with success."""
    name = agent.encode()
    assert len(name) < 256
    success = (
        b"\xb1\x70\xa2\x86server\xd0" + bytes([len(name)]) + name + b"\x8dconnection_id\x86bolt-1"
    )

    def answer(client: socket.socket) -> None:
        client.recv(20)
        client.sendall(bytes([0, 0, 4, 4]))
        while client.recv(65536):
            client.sendall(len(success).to_bytes(2, "big") + success + b"\x00\x00")

    return answer


def no_common_version(client: socket.socket) -> None:
    client.recv(20)
    client.sendall(bytes(4))
    client.recv(1)


def web_server(client: socket.socket) -> None:
    client.recv(20)
    client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def silent(client: socket.socket) -> None:
    while client.recv(100):
        pass

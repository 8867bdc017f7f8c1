"""A TCP proxy on the loopback that can break connections, at once or when a commit is answered."""

import contextlib
import socket
import threading
from types import TracebackType
from typing import Self

# a Bolt message: two bytes long, structure without fields, tag COMMIT
COMMIT = b"\x00\x02\xb0\x12\x00\x00"


class Proxy:
    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._lock = threading.Lock()
        self._bytes_left: int | None = None
        self._commits_left: int | None = None
        self.open = True
        self.broken = 0
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def uri(self) -> str:
        return f"bolt://127.0.0.1:{self._listener.getsockname()[1]}"

    def break_after(self, sent: int) -> None:
        """Break every connection when clients have sent this many bytes more."""
        with self._lock:
            self._bytes_left = sent

    def break_at_commit(self, number: int) -> None:
        """Let the ``number``-th commit from now reach the server,
        and break before its answer comes back.
        """
        with self._lock:
            self._commits_left = number

    def break_now(self) -> None:
        with self._lock:
            pairs, self._pairs = self._pairs, []
            self.broken += 1
        for pair in pairs:
            for end in pair:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if not self.open:
                client.close()
                continue
            server = socket.create_connection(self._target)
            with self._lock:
                self._pairs.append((client, server))
            swallow = threading.Event()
            threading.Thread(
                target=self._forward, args=(client, server, swallow, True), daemon=True
            ).start()
            threading.Thread(
                target=self._forward, args=(server, client, swallow, False), daemon=True
            ).start()

    def _forward(
        self,
        source: socket.socket,
        sink: socket.socket,
        swallow: threading.Event,
        from_client: bool,
    ) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if from_client:
                    with self._lock:
                        if self._commits_left is not None and COMMIT in data:
                            self._commits_left -= 1
                            if self._commits_left == 0:
                                self._commits_left = None
                                swallow.set()  # before the server can answer
                        if self._bytes_left is not None:
                            self._bytes_left -= len(data)
                    sink.sendall(data)
                    if self._bytes_left is not None and self._bytes_left <= 0:
                        self._bytes_left = None
                        self.break_now()
                        return
                elif swallow.is_set():
                    self.break_now()
                    return
                else:
                    sink.sendall(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.open = False
        self._listener.close()
        self.break_now()

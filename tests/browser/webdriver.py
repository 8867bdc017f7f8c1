"""As much of the WebDriver protocol as these tests need,
spoken to chromedriver over the loopback.
"""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--no-first-run",
    "--window-size=1400,1000",
]  # fmt: skip


class NoBrowserError(Exception):
    """There is no Chromium with its driver on this machine."""


class Chromium:
    """A headless Chromium with a profile of its own.

    Ended with its driver, both by their own process.
    """

    def __init__(self, port: int) -> None:
        driver = shutil.which("chromedriver")
        chromium = (
            shutil.which("chromium")
            or shutil.which("chromium-browser")
            or shutil.which("google-chrome")
        )
        if driver is None or chromium is None:
            raise NoBrowserError(
                "no Chromium: install it with its driver (Debian: chromium chromium-driver)"
            )
        self._base = f"http://127.0.0.1:{port}"
        self._profile = tempfile.mkdtemp(prefix="ratingpriv-chromium-")
        self._process = subprocess.Popen(
            [driver, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self._profile},
        )  # fmt: skip
        self._session = ""
        try:
            self.until(lambda: self._call("GET", "/status")["ready"], "chromedriver did not start")
            options = {"binary": chromium, "args": [*FLAGS, f"--user-data-dir={self._profile}"]}
            logged = {"goog:loggingPrefs": {"browser": "ALL"}}
            asked = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options, **logged}}}
            self._session = f"/session/{self._call('POST', '/session', asked)['sessionId']}"
        except BaseException:
            self.close()
            raise

    def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self._base + path, data, headers, method=method)  # noqa: S310
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from error

    def go(self, url: str) -> None:
        """Open a page."""
        self._call("POST", f"{self._session}/url", {"url": url})

    def run(self, script: str, *arguments: Any) -> Any:
        """Run JavaScript in the page and return what it returns."""
        return self._call(
            "POST", f"{self._session}/execute/sync", {"script": script, "args": list(arguments)}
        )

    def screenshot(self, path: Path) -> None:
        """Save what the window shows as a PNG."""
        path.write_bytes(base64.b64decode(self._call("GET", f"{self._session}/screenshot")))

    def command(self, name: str, **parameters: Any) -> Any:
        """Send a command of the DevTools protocol."""
        return self._call(
            "POST", f"{self._session}/goog/cdp/execute", {"cmd": name, "params": parameters}
        )

    def whole_page(self, path: Path) -> None:
        """Save the whole page as a PNG, however long it is."""
        height = self.run("return document.documentElement.scrollHeight")
        width = self.run("return innerWidth")
        clip = {"x": 0, "y": 0, "width": width, "height": min(height, 16_000), "scale": 1}
        shot = self.command("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(shot["data"]))

    def errors(self) -> list[str]:
        """Return what the console has complained of since the last call."""
        found = self._call("POST", f"{self._session}/se/log", {"type": "browser"})
        return [one["message"] for one in found if one["level"] == "SEVERE"]

    def until(self, holds: Callable[[], Any], otherwise: str, seconds: float = 60) -> Any:
        """Wait until ``holds`` returns something true and return that."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                if found := holds():
                    return found
            except (OSError, RuntimeError):
                pass
            assert time.monotonic() < deadline, otherwise
            time.sleep(0.2)

    def close(self) -> None:
        """End the browser and its driver."""
        try:
            if self._session:
                self._call("DELETE", self._session)
        finally:
            self._process.terminate()
            self._process.wait(timeout=20)
            shutil.rmtree(self._profile, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

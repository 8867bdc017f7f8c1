"""A real Neo4j Community server for tests: jars from pom.xml in a cache,
a home and ports of its own.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import neo4j
from neo4j.exceptions import DriverError, Neo4jError
from ports import free_ports

HERE = Path(__file__).resolve().parent
POM, GDS_POM = HERE / "pom.xml", HERE / "gds-pom.xml"

CONF = """\
dbms.security.auth_enabled={auth}
dbms.security.auth_max_failed_attempts=0
server.default_listen_address=127.0.0.1
server.bolt.enabled=true
server.bolt.listen_address=127.0.0.1:{bolt}
server.http.enabled=true
server.http.listen_address=127.0.0.1:{http}
server.https.enabled=false
dbms.usage_report.enabled=false
client.allow_telemetry=false
browser.post_connect_cmd=config autoComplete: false
server.memory.pagecache.size=256m
"""
GDS = """\
dbms.security.procedures.unrestricted=gds.*
"""
TLS = """\
server.bolt.tls_level=REQUIRED
dbms.ssl.policy.bolt.enabled=true
dbms.ssl.policy.bolt.base_directory=certificates/bolt
dbms.ssl.policy.bolt.private_key=private.key
dbms.ssl.policy.bolt.public_certificate=public.crt
dbms.ssl.policy.bolt.client_auth=NONE
"""
JVM = [
    "-Xms256m", "-Xmx1g", "-XX:+UseSerialGC", "-Dfile.encoding=UTF-8", "-Djava.awt.headless=true",
    "-Dlog4j2.disable.jmx=true", "-Dio.netty.tryReflectionSetAccessible=true",
    "--add-opens=java.base/java.nio=ALL-UNNAMED", "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
]  # fmt: skip
# a server of minutes never earns back what the second compiler costs
BRIEF = "-XX:TieredStopAtLevel=1"


class NoServerError(Exception):
    """A server cannot be had here; the text is the one reason."""


@dataclass(frozen=True)
class Release:
    """A release of Neo4j and the Java versions it runs on."""

    name: str
    pom_key: str
    oldest_java: int
    newest_java: int

    @property
    def version(self) -> str:
        return pom_property(self.pom_key)


LTS = Release("5.26", "neo4j.lts.version", 17, 21)
CALENDAR = Release("2026", "neo4j.calendar.version", 25, 99)
RELEASES = {release.name: release for release in (LTS, CALENDAR)}


def pom_property(name: str, pom: Path = POM) -> str:
    namespace = {"m": "http://maven.apache.org/POM/4.0.0"}
    found = ET.parse(pom).getroot().find(f"m:properties/m:{name}", namespace)  # noqa: S314 -- our own file
    assert found is not None, name
    assert found.text, name
    return found.text


def java_homes() -> dict[Path, int]:
    """JDKs by home with their major version: JAVA_HOME, the java on the path,
    and those beside them.
    """
    homes = set()
    if os.environ.get("JAVA_HOME"):
        homes.add(Path(os.environ["JAVA_HOME"]).resolve())
    if on_path := shutil.which("java"):
        homes.add(Path(on_path).resolve().parent.parent)
    for folder in {home.parent for home in homes} | {
        Path("/usr/lib/jvm"),
        Path("/Library/Java/JavaVirtualMachines"),
    }:
        if folder.is_dir():
            homes |= {home.resolve() for home in folder.iterdir()}
            homes |= {(home / "Contents" / "Home").resolve() for home in folder.iterdir()}
    found = {}
    for home in homes:
        if not (home / "bin" / "java").exists():
            continue
        with contextlib.suppress(OSError):
            match = re.search(
                r'JAVA_VERSION="(?:1\.)?(\d+)', (home / "release").read_text(encoding="utf-8")
            )
            if match:
                found[home] = int(match[1])
    return found


def java_for(release: Release) -> Path:
    fitting = {
        v: h
        for h, v in sorted(java_homes().items())
        if release.oldest_java <= v <= release.newest_java
    }
    if not fitting:
        raise NoServerError(
            f"no JDK {release.oldest_java} or newer for Neo4j {release.name}"
            f" (set JAVA_HOME, or name a running server in RATINGPRIV_TEST_NEO4J_URI)"
        )
    return fitting[min(fitting)] / "bin" / "java"


def jars_for(release: Release) -> Path:
    """The release's jars, fetched by Maven once.

    A half-filled folder is never taken for a full one.
    """
    return _fetched(
        f"neo4j-{release.version}-browser-{pom_property('neo4j.browser.version')}",
        f"Neo4j {release.version}",
        java_for(release),
        *("-f", str(POM), f"-Dneo4j.version={release.version}"),
    )


def gds_jars() -> Path:
    """The jars of Graph Data Science for the LTS release, with all that they need."""
    version = pom_property("gds.version", GDS_POM)
    return _fetched(
        f"gds-{version}", f"Graph Data Science {version}", java_for(LTS), "-f", str(GDS_POM)
    )


def _fetched(name: str, what: str, java: Path, *arguments: str) -> Path:
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ratingpriv-tests"
    folder = base / name
    if (folder / "COMPLETE").exists():
        return folder
    maven = shutil.which("mvn")
    if maven is None:
        raise NoServerError(
            "no Maven (mvn) to fetch Neo4j with, and RATINGPRIV_TEST_NEO4J_URI names no server"
        )
    base.mkdir(parents=True, exist_ok=True)
    filling = Path(tempfile.mkdtemp(prefix=f"{folder.name}-filling-", dir=base))
    try:
        command = [maven, "-q", "-B", *arguments]
        command += ["dependency:copy-dependencies", f"-DoutputDirectory={filling}"]
        env = {**os.environ, "JAVA_HOME": str(java.parent.parent)}
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=900, env=env, check=False
        )
        if done.returncode or not any(filling.glob("*.jar")):
            raise NoServerError(
                f"Maven could not fetch {what}: {(done.stdout + done.stderr)[-1500:]}"
            )
        (filling / "COMPLETE").write_text(f"{what}\n", encoding="utf-8")
        if folder.exists() and not (folder / "COMPLETE").exists():
            shutil.rmtree(folder)
        with contextlib.suppress(OSError):  # another process was first: its folder is as good
            filling.rename(folder)
    finally:
        shutil.rmtree(filling, ignore_errors=True)
    return folder


def _unversioned(jar: Path) -> str:
    return re.sub(r"-\d[\w.-]*$", "", jar.stem)


class Neo4jServer:
    """A running server of our own; ``stop`` ends it by its own process and removes its home."""

    def __init__(
        self,
        release: Release,
        *,
        password: str | None = None,
        tls: bool = False,
        gds: bool = False,
        brief: bool = True,
    ) -> None:
        self.release, self.password, self.tls, self.gds = release, password, tls, gds
        self._jvm = [*JVM, BRIEF] if brief else JVM
        self._java, self._jars = java_for(release), jars_for(release)
        self.home = Path(tempfile.mkdtemp(prefix="ratingpriv-neo4j-"))
        self._keeper: subprocess.Popen[bytes] | None = None
        try:
            for name in ("conf", "data", "logs", "run", "plugins", "import", "tmp"):
                (self.home / name).mkdir()
            if tls:
                self._make_certificate()
            if gds:
                self._plug_in(gds_jars())
            self.start()
        except BaseException:
            self.stop()
            raise

    @property
    def uri(self) -> str:
        return f"bolt{'+ssc' if self.tls else ''}://127.0.0.1:{self.bolt_port}"

    def cpu_seconds(self) -> float:
        """Processor seconds of the server's process so far."""
        assert self._keeper is not None
        keeper = self._keeper.pid
        child = (
            Path(f"/proc/{keeper}/task/{keeper}/children").read_text(encoding="utf-8").split()[0]
        )
        fields = Path(f"/proc/{child}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def http(self) -> str:
        return f"http://127.0.0.1:{self.http_port}"

    def _plug_in(self, jars: Path) -> None:
        """Copy a plug-in's jars but those of others that the server has itself,
        in whatever version.
        """
        theirs = {_unversioned(jar) for jar in self._jars.glob("*.jar")}
        own = f"-{pom_property('gds.version', GDS_POM)}"
        for jar in jars.glob("*.jar"):
            if jar.stem.endswith(own) or _unversioned(jar) not in theirs:
                shutil.copy(jar, self.home / "plugins")

    def _make_certificate(self) -> None:
        openssl = shutil.which("openssl")
        if openssl is None:
            raise NoServerError("no openssl to make a certificate with")
        folder = self.home / "certificates" / "bolt"
        folder.mkdir(parents=True)
        command = [
            openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
            "/CN=localhost",
        ]  # fmt: skip
        command += ["-keyout", str(folder / "private.key"), "-out", str(folder / "public.crt")]
        subprocess.run(command, check=True, capture_output=True)

    def _command(self, main: str, *arguments: str) -> list[str]:
        flags = ["--enable-native-access=ALL-UNNAMED"] if self.release is CALENDAR else []
        places = os.pathsep.join(
            [f"{self._jars}/*", *([f"{self.home}/plugins/*"] if self.gds else [])]
        )
        # what is left there when it is killed goes with the home
        temporary = f"-Djava.io.tmpdir={self.home / 'tmp'}"
        return [str(self._java), *self._jvm, temporary, *flags, "-cp", places, main, *arguments]

    def admin(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run ``neo4j-admin`` on this server's home."""
        environment = {
            **os.environ,
            "NEO4J_HOME": str(self.home),
            "NEO4J_CONF": str(self.home / "conf"),
        }
        command = self._command("org.neo4j.cli.AdminTool", *arguments)
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=600,
            env=environment,
            check=True,
            cwd=self.home,
        )

    def start(self, tries: int = 3) -> None:
        """Start, or start again on the same data.

        A port may be taken between its drawing and its use.
        """
        try:
            self._start()
        except NoServerError:
            self.halt()
            if tries == 1:
                raise
            self.start(tries - 1)

    def _start(self) -> None:
        self.bolt_port, self.http_port = free_ports(2)
        conf = CONF.format(
            auth=str(self.password is not None).lower(), bolt=self.bolt_port, http=self.http_port
        )
        first = not (self.home / "conf" / "neo4j.conf").exists()
        (self.home / "conf" / "neo4j.conf").write_text(
            conf + (TLS if self.tls else "") + (GDS if self.gds else ""), encoding="utf-8"
        )
        if self.password is not None and first:
            self.admin("dbms", "set-initial-password", self.password)
        places = [f"--home-dir={self.home}", f"--config-dir={self.home / 'conf'}"]
        if self.release is CALENDAR:
            command = self._command("org.neo4j.server.Neo4jCommunity", *places, "--console-mode")
        else:
            command = self._command("org.neo4j.server.CommunityEntryPoint", *places)
        log = self.home / "logs" / "console.log"
        self._keeper = subprocess.Popen(
            [sys.executable, str(HERE / "keeper.py"), str(log), *command], stdin=subprocess.PIPE
        )
        auth = ("neo4j", self.password) if self.password is not None else None
        deadline = time.monotonic() + 180
        with neo4j.GraphDatabase.driver(self.uri, auth=auth, telemetry_disabled=True) as driver:
            while True:
                try:
                    driver.verify_connectivity()
                except (DriverError, Neo4jError, OSError) as error:
                    if self._keeper.poll() is not None or time.monotonic() > deadline:
                        said = (
                            log.read_text(encoding="utf-8", errors="replace")
                            if log.exists()
                            else ""
                        )
                        reason = (
                            f"Neo4j {self.release.version} did not start: {error}\n{said[-3000:]}"
                        )
                        raise NoServerError(reason) from error
                    time.sleep(0.2)
                else:
                    return

    def halt(self) -> None:
        """Stop the process; the data stays."""
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            if keeper.stdin is not None:
                keeper.stdin.close()
            try:
                keeper.wait(timeout=45)
            except subprocess.TimeoutExpired:
                keeper.kill()
                keeper.wait()

    def kill(self) -> None:
        """Kill the server's own process (kill -9), as a machine that loses power would.

        The data stays.
        """
        if self._keeper is not None:
            self._keeper.send_signal(signal.SIGUSR1)
            self._keeper.wait(timeout=45)
            self._keeper = None

    def stop(self) -> None:
        """End the process and remove its folder: nothing is left to be written in order."""
        try:
            self.kill()
        # the keeper does not answer: it ends its server with its own end
        except subprocess.TimeoutExpired:
            self.halt()
        shutil.rmtree(self.home, ignore_errors=True)

"""Run a command until standard input closes, then stop it: so it ends when its parent does,
however that ends.

``python keeper.py LOG COMMAND...``: output goes to LOG. SIGUSR1 kills it at once. Ends with the
command's exit code, or 0 when it had to stop it.
"""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path


def main() -> int:
    log, *command = sys.argv[1:]
    with Path(log).open("ab") as output:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)

    def stop_at_end_of_input() -> None:
        # not sys.stdin: its lock would be held when the child ends first
        while os.read(0, 1 << 16):
            pass
        child.terminate()
        try:
            child.wait(timeout=30)
        except subprocess.TimeoutExpired:
            child.kill()

    signal.signal(signal.SIGUSR1, lambda *_: child.kill())  # a test of what a killed server leaves
    threading.Thread(target=stop_at_end_of_input, daemon=True).start()
    while True:
        try:
            return child.wait()
        except (
            KeyboardInterrupt
        ):  # Ctrl-C reaches the whole group; the parent's teardown decides when to stop
            continue


if __name__ == "__main__":
    sys.exit(main())

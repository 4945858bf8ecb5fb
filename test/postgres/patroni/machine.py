"""Runs a machine: starts the programs given as JSON, and ends when none of their processes is left.

When standard input ends, with the test or before it, every process is killed as if the power failed.
"""

import ctypes, json, os, sys, threading, time
import psutil

# PR_SET_CHILD_SUBREAPER: orphans become children of this process, which reaps them. The first process
# of a container may not reap: Patroni then waits for ever for a PostgreSQL that has ended.
ctypes.CDLL(None).prctl(36, 1)

for arguments in json.loads(sys.argv[1]):
    os.spawnvp(os.P_NOWAIT, arguments[0], arguments)


def lose_power():
    sys.stdin.read()
    # What a program starts in the meantime is killed in the next round.
    while True:
        for process in psutil.Process().children(recursive=True):
            try:
                process.kill()
            except psutil.NoSuchProcess:
                pass
        time.sleep(0.02)


threading.Thread(target=lose_power, daemon=True).start()
try:
    while True:
        os.wait()
except ChildProcessError:
    pass

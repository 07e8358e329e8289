"""Keeps b2bTools loaded, and runs each job's command in a fork of itself.

b2bTools takes two seconds to import and to read its models; a fork of a process that has done so starts at once and
shares their memory. Each job is still a process of its own, in a process group and a folder of its own: it runs the
engine's unchanged command line, so its files are those of the command, and it cannot affect other jobs.

The protocol on standard input and output, one JSON object per line:

  in   {"run": 7, "program": "b2bTools", "arguments": ["-i", ...], "folder": "/empty/folder", "log": "/some/file",
        "beat": 1.0}                 runs a job; all its output goes to `log`; `beat` in seconds
       {"kill": 7}                   kills a job's whole process group
  out  {"ready": "3.0.9"}            once, when loaded
       {"running": [[7, 4711]]}      the jobs with their process ids, every `beat`: this is their heartbeat
       {"ended": 7, "code": 0, "signal": null, "cpu": 0.41}
                                     exit code or number of the signal; CPU seconds

It exits when standard input ends, and so does every job.

This file is under the licence of the project (Apache-2.0), which is compatible with the GPL-3.0 of b2bTools; the two
together may be distributed only under the GPL. No part of b2bTools is included in the project.
"""

import ctypes
import gc
import json
import os
import resource
import selectors
import signal
import sys
import tempfile
import time
import traceback

from b2bTools.__main__ import main as b2btools
from b2bTools.nmr.shiftCrypt.__main__ import main as shiftcrypt
from b2bTools.singleSeq.DynaMine.Predictor import DynaMine
from b2bTools_version.versioning import PYPI_VERSION

# The two programs import these only while they run; imported here, they are already loaded in a fork.
import b2bTools.general.bmrb.File  # noqa: F401
import b2bTools.multipleSeq.Predictor  # noqa: F401
import b2bTools.multipleSeq.msa_core  # noqa: F401
import b2bTools.nmr.shiftCrypt.shiftCrypt  # noqa: F401
import b2bTools.singleSeq.Predictor  # noqa: F401
import pandas  # noqa: F401

PROGRAMS = {"b2bTools": b2btools, "shiftcrypt": shiftcrypt}
LARGEST_FILE = 1 << 30
PR_SET_PDEATHSIG = 1
SERVER = os.getpid()
libc = ctypes.CDLL(None)


def share_models():
    """Lets forks inherit the DynaMine models: reading their 74 files would be most of the time of a short protein.

    Once adjusted they are only read, and a change in a fork does not leave that fork.
    """
    loaded = DynaMine()

    def adopt(self):
        self.modelDict, self.modelBias = loaded.modelDict, loaded.modelBias
        return True

    DynaMine.loadModels = adopt
    DynaMine.adjustModels = lambda self: None


def settle(order):
    """In the fork: its own process group, folder, output and limits."""
    os.setpgid(0, 0)
    # A SIGKILL of the server must not leave its jobs running.
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != SERVER:
        os._exit(1)
    log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(source, target)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w", buffering=1), open(2, "w", buffering=1)
    os.chdir(order["folder"])
    os.environ["TMPDIR"] = tempfile.tempdir = order["folder"]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))


def become(order):
    """In the fork: runs the command of a job as its own process would, and never returns."""
    code = 1
    try:
        settle(order)
        sys.argv = [order["program"], *order["arguments"]]
        PROGRAMS[order["program"]]()
        code = 0
    except SystemExit as leave:
        code = leave.code if isinstance(leave.code, int) else int(leave.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        # Not sys.exit: the fork must not run the server's exit handlers.
        os._exit(code)


class Server:
    """The running jobs, and the protocol."""

    def __init__(self, orders, answers):
        self.orders = orders
        self.answers = answers
        self.unread = b""
        self.pids = {}
        self.beat = 1.0
        self.next_beat = 0.0
        self.selector = selectors.DefaultSelector()
        self.selector.register(orders, selectors.EVENT_READ)

    def say(self, **answer):
        os.write(self.answers, (json.dumps(answer) + "\n").encode())

    def serve(self):
        self.say(ready=PYPI_VERSION)
        while True:
            patience = max(0.0, self.next_beat - time.monotonic()) if self.pids else None
            for key, _ in self.selector.select(patience):
                if key.fileobj != self.orders:
                    self.reap(key.fileobj, key.data)
                elif not self.follow():
                    return
            if self.pids and time.monotonic() >= self.next_beat:
                self.next_beat = time.monotonic() + self.beat
                self.say(running=list(self.pids.items()))

    def follow(self):
        """Executes the orders received so far; false when there will be no more."""
        received = os.read(self.orders, 1 << 16)
        *lines, self.unread = (self.unread + received).split(b"\n")
        for line in lines:
            order = json.loads(line)
            if "run" in order:
                self.run(order)
            else:
                self.kill(order["kill"])
        return received != b""

    def run(self, order):
        self.beat = order["beat"]
        pid = os.fork()
        if pid == 0:
            become(order)
        try:
            # The fork does the same: whichever is first, a later kill finds the group.
            os.setpgid(pid, pid)
        except OSError:
            pass
        self.pids[order["run"]] = pid
        self.selector.register(os.pidfd_open(pid), selectors.EVENT_READ, order["run"])

    def reap(self, descriptor, job):
        self.selector.unregister(descriptor)
        os.close(descriptor)
        # Kills what it left running, before it is reaped: until then, no other process can get its id.
        self.kill(job)
        _, status, usage = os.wait4(self.pids.pop(job), 0)
        code = os.waitstatus_to_exitcode(status)
        self.say(
            ended=job,
            code=code if code >= 0 else None,
            signal=-code if code < 0 else None,
            cpu=round(usage.ru_utime + usage.ru_stime, 3),
        )

    def kill(self, job):
        if job not in self.pids:
            return
        try:
            os.killpg(self.pids[job], signal.SIGKILL)
        except ProcessLookupError:
            pass


def main():
    # Standard output is only for answers: the engine's output in this process goes to standard error.
    answers = os.dup(1)
    os.dup2(2, 1)
    # Ctrl-C in a terminal goes to the whole foreground group: the service decides when jobs end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    share_models()
    # Excludes what is loaded from garbage collection: in a fork, collection would copy it.
    gc.collect()
    gc.freeze()
    server = Server(0, answers)
    try:
        server.serve()
    finally:
        for job in server.pids:
            server.kill(job)


if __name__ == "__main__":
    main()

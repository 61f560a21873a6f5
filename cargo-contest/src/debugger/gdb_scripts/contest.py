"""Virtual threads in gdb: loaded by `cargo contest debug`.

For people there are the commands of `contest`; for a debug adapter, lines of JSON over a socket.
"""

import os
import sys

import gdb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from commands import Contest  # noqa: E402
from server import Server  # noqa: E402
from setup import SETUP  # noqa: E402
from virtual_threads import OVER  # noqa: E402


def set_up():
    for command in (
        "set pagination off",
        "set confirm off",
        "set breakpoint pending on",
        "set print frame-arguments scalars",
        "set python print-stack none",
        "handle all nostop noprint pass",
        "handle SIGSEGV SIGBUS SIGILL SIGFPE SIGABRT stop print pass",
        "handle SIGINT stop print nopass",
        "handle SIGTRAP stop print nopass",
    ):
        gdb.execute(command, to_string=True)
    over = gdb.Breakpoint(OVER, internal=True)
    over.silent = True
    if "socket" not in SETUP:
        over.commands = "contest threads"
    Contest()


set_up()
if "socket" in SETUP:
    Server(SETUP["socket"]).serve()
else:
    gdb.execute("contest start")

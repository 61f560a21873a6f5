"""Going on: to a line, a scheduling point, or back."""

import contextlib
import shlex

import gdb

from frames import is_user_code, user_frames
from setup import SETUP
from virtual_threads import OVER, POINT, On, Refused, has_ended, is_at, step, thread_of, threads

# Steps of gdb until a line of the user's code is reached.
MOST_STEPS = 100
# Scheduling points until one in code of the user's.
MOST_POINTS = 2000
# Where panics begin.
PANIC = "rust_panic"


# What happened last: the event of gdb.
LAST = [None]
gdb.events.stop.connect(lambda event: LAST.__setitem__(0, event))
gdb.events.exited.connect(lambda event: LAST.__setitem__(0, event))


def resume(command):
    """Runs until the process stops or ends."""
    LAST[0] = None
    gdb.execute(command, to_string=True)
    return LAST[0]


class Arrival(gdb.Breakpoint):
    """Where a call returns to, on one stack."""

    def __init__(self, frame):
        super().__init__("*%#x" % frame.pc(), internal=True)
        self.silent = True
        self.top = int(frame.read_register("rsp"))

    def stop(self):
        return int(gdb.newest_frame().read_register("rsp")) == self.top


class Passing(gdb.Breakpoint):
    """The scheduling point after so many others."""

    def __init__(self, after):
        super().__init__(POINT, internal=True)
        self.silent = True
        self.ignore_count = after


def until(breakpoint, command="continue"):
    """Runs until this breakpoint, which is removed then, or something before it; whether it got there."""
    try:
        event = resume(command)
        return isinstance(event, gdb.BreakpointEvent) and breakpoint in event.breakpoints
    finally:
        if breakpoint.is_valid():
            breakpoint.delete()


def pass_points(count, command="continue"):
    """Goes on to the scheduling point that comes after so many others; whether it got there."""
    return until(Passing(count), command)


def plain_step(event):
    """Nothing but the step has stopped it."""
    return event is None or type(event) is gdb.StopEvent


def settle():
    """From code of std or of the tool to the next line of the user's on the same thread."""
    for _ in range(MOST_STEPS):
        if has_ended() or is_user_code(gdb.newest_frame()):
            return
        users = user_frames()
        if not users:
            # Nothing of the user's is left on it: another thread goes on.
            pass_points(0)
            return
        if not until(Arrival(users[0])):
            return
        if not plain_step(resume("next")):
            return


def until_user_code(number):
    """To the scheduling point at which this thread is in code of the user's."""
    for _ in range(MOST_POINTS):
        if not pass_points(0):
            return
        found = [thread for thread in threads() if thread.number == number]
        if not found or has_user_code(found[0]):
            return


def advance(number, how):
    """`next`, `step` or `finish` of one virtual thread; the others run meanwhile as the schedule says."""
    thread = thread_of(number)
    with On(thread):
        users = user_frames()
        inside = bool(users) and thread.is_live and users[0] == gdb.newest_frame()
        if how == "finish":
            inside, users = False, users[1:]
        target = None if inside or not users else users[0]
        arrival = Arrival(target) if target is not None else None
    if arrival is None and not inside:
        until_user_code(number)
        return
    if arrival is not None:
        if not until(arrival) or how == "finish":
            return
    if plain_step(resume(how)):
        settle()


def run_command():
    return "run < %s > %s" % (shlex.quote(SETUP["request"]), shlex.quote(SETUP["replies"]))


def begin():
    """Starts the process anew, up to the first scheduling point in code of the user's, or a breakpoint before it."""
    # The driver panics once before, to have the memory that a panic needs.
    with without(it for it in gdb.breakpoints() or () if it.location == PANIC):
        at_first = pass_points(0, run_command())
    if not at_first:
        if has_ended():
            raise Refused("the execution ends before its first scheduling point")
        return
    while step() < MOST_POINTS and not has_user_code(threads()[0]):
        if not pass_points(0):
            if is_at(OVER):
                restart(0)
            return


def has_user_code(thread):
    with On(thread):
        return bool(user_frames())


def restart(after):
    """Starts the process anew, up to the scheduling point that comes after so many others."""
    with without(it for it in gdb.breakpoints() or () if it.visible):
        if not pass_points(after, run_command()):
            raise Refused("the execution ends before scheduling point %d" % (after + 1))


@contextlib.contextmanager
def without(breakpoints):
    """These breakpoints count for nothing meanwhile."""
    disabled = [it for it in breakpoints if it.enabled]
    for breakpoint in disabled:
        breakpoint.enabled = False
    try:
        yield
    finally:
        for breakpoint in disabled:
            breakpoint.enabled = True


def back():
    """To the scheduling point before this one: the same schedule from its start."""
    now = step()
    before = now - 1 if is_at(POINT) else now
    if before < 1:
        raise Refused("this is the first scheduling point")
    restart(before - 1)

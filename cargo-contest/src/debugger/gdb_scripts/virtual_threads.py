"""Where the virtual threads are.

All of them run on one thread of the system, each on a stack of its own, and one at a time. The driver says in
CONTEST_THREADS where the stacks are, and calls contest_scheduling_point before each visible operation. A thread that
does not run is looked at by giving the registers the values with which it goes on; they are put back afterwards.
"""

import re
import struct

import gdb

POINT = "contest_scheduling_point"
OVER = "contest_execution_over"
# Words of CONTEST_THREADS before the texts.
HEAD = struct.Struct("=6Q")
TEXT = struct.Struct("=2Q")
REGISTERS = ("rip", "rsp", "rbp", "rbx")


def has_ended():
    return gdb.selected_inferior().pid == 0


class Refused(Exception):
    """What cannot be done, as text for a person."""


class Thread:
    """A virtual thread that has not ended."""

    def __init__(self, number, stack, is_live, operation):
        self.number = number
        # Where its stack ends while it does not run.
        self.stack = stack
        # The registers are its own.
        self.is_live = is_live
        # What it does next, if that is known.
        self.operation = operation

    @property
    def name(self):
        return "main" if self.number == 0 else "thread %d" % self.number

    @property
    def description(self):
        return self.name + (", next `%s`" % self.operation if self.operation else "")


def memory(address, size):
    return bytes(gdb.selected_inferior().read_memory(address, size))


def words(address, count):
    return struct.unpack("=%dQ" % count, memory(address, 8 * count))


def text_at(address, length):
    return memory(address, length).decode() if length else ""


def table():
    if has_ended():
        raise Refused("the program has ended; start it again")
    try:
        said = gdb.execute("info address CONTEST_THREADS", to_string=True)
        address = int(re.search(r"0x[0-9a-f]+", said).group(0), 16)
        return address, HEAD.unpack(memory(address, HEAD.size))
    except gdb.error:
        raise Refused("the program says nothing of its threads") from None


def step():
    """Scheduling points so far."""
    return table()[1][5]


def ending():
    """How the execution ended; nothing while it goes on."""
    address, _ = table()
    return text_at(*TEXT.unpack(memory(address + HEAD.size, TEXT.size)))


def is_at(function):
    try:
        return gdb.newest_frame().name() == function
    except gdb.error:
        return False


def threads():
    """The threads that have not ended, the one that goes on first."""
    address, (fibers, distance, count, current, running, _) = table()
    # A choice was made, and the threads are not switched yet.
    live = current if is_at(POINT) else running
    if is_at(OVER):
        live = None
    found = []
    for number in range(count):
        text = TEXT.unpack(memory(address + HEAD.size + TEXT.size * (number + 1), TEXT.size))
        stack = words(fibers + number * distance, 1)[0] if fibers else 0
        if number == live or stack:
            is_live = number == live
            # What a thread that runs was about to do is done.
            operation = "" if is_live and not is_at(POINT) else text_at(*text)
            found.append(Thread(number, stack, is_live, operation))
    return sorted(found, key=lambda it: (it.number != running, it.number))


def thread_of(number):
    for thread in threads():
        if thread.number == number:
            return thread
    raise Refused("thread %d has ended" % number)


class On:
    """With the registers of this thread."""

    def __init__(self, thread):
        self.thread = thread
        self.saved = None

    def __enter__(self):
        gdb.newest_frame().select()
        if self.thread.is_live:
            return
        if not self.thread.stack:
            raise Refused("on this machine only the stack of the running thread can be read")
        frame = gdb.newest_frame()
        names = REGISTERS + ("orig_rax",)
        self.saved = [(name, int(frame.read_register(name))) for name in names]
        rip, rbx, rbp = words(self.thread.stack, 3)
        put({"rip": rip, "rsp": self.thread.stack + 24, "rbp": rbp, "rbx": rbx}.items())

    def __exit__(self, *_):
        if self.saved is not None:
            gdb.newest_frame().select()
            put(self.saved)
        gdb.newest_frame().select()


def put(registers):
    gdb.execute("set language c", to_string=True)
    for name, value in registers:
        gdb.execute("set $%s = %dUL" % (name, value & (1 << 64) - 1), to_string=True)
    gdb.execute("set language auto", to_string=True)
    gdb.newest_frame().select()

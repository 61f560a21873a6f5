"""Virtual threads in gdb: loaded by `cargo contest debug`.

All virtual threads run on one thread of the system, each on a stack of its own, and one at a time. The driver says in
CONTEST_THREADS where the stacks are, and calls contest_scheduling_point before each visible operation. A thread that
does not run is looked at by giving the registers the values with which it goes on; they are put back afterwards.

For people there are the commands of `contest`; for a debug adapter, lines of JSON over a socket.
"""

import itertools
import json
import os
import re
import shlex
import socket
import struct

import gdb

SETUP = json.loads(os.environ["CONTEST_DEBUG_SETUP"])
POINT = "contest_scheduling_point"
OVER = "contest_execution_over"
# Words of CONTEST_THREADS before the texts.
HEAD = struct.Struct("=7Q")
TEXT = struct.Struct("=2Q")
REGISTERS = ("rip", "rsp", "rbp", "rbx")
MOST_FRAMES = 200
MOST_CHILDREN = 200
# Steps of gdb until a line of the user's code is reached.
MOST_STEPS = 100
# Scheduling points until one in code of the user's.
MOST_POINTS = 2000


class Refused(Exception):
    """What cannot be done, as text for a person."""


# ---- The virtual threads ----


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
    address, (fibers, distance, count, current, running, _, _) = table()
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


# ---- Frames ----


def file_of(frame):
    table_of_lines = frame.find_sal().symtab
    return table_of_lines.fullname() if table_of_lines else None


def is_user_code(frame):
    """Source that is neither of std nor of the tool."""
    file = file_of(frame)
    return file is not None and not any(part in file for part in SETUP["ours"])


def all_frames():
    frames, frame = [], gdb.newest_frame()
    while frame is not None and len(frames) < MOST_FRAMES and frame.pc():
        frames.append(frame)
        try:
            frame = frame.older()
        except gdb.error:
            break
    return frames


def frames():
    """From the innermost frame of user code to the outermost one."""
    every = all_frames()
    users = [number for number, frame in enumerate(every) if is_user_code(frame)]
    if not users:
        return []
    shown = every[users[0] : users[-1] + 1]
    return [frame for frame in shown if file_of(frame) is not None]


def place(frame):
    file = file_of(frame)
    if not file:
        return "?"
    near = os.path.relpath(file, SETUP["base"])
    return "%s:%d" % (file if near.startswith("..") else near, frame.find_sal().line)


# ---- Running ----

# What happened last: the event of gdb.
LAST = [None]
gdb.events.stop.connect(lambda event: LAST.__setitem__(0, event))
gdb.events.exited.connect(lambda event: LAST.__setitem__(0, event))


def resume(command):
    """Runs until the process stops or ends."""
    LAST[0] = None
    gdb.execute(command, to_string=True)
    return LAST[0]


def has_ended():
    return gdb.selected_inferior().pid == 0


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


def stopped_by(event, breakpoint):
    return isinstance(event, gdb.BreakpointEvent) and breakpoint in event.breakpoints


def run_to(frame):
    """Until the innermost call of this frame has returned; whether it got there."""
    arrival = Arrival(frame)
    try:
        return stopped_by(resume("continue"), arrival)
    finally:
        if arrival.is_valid():
            arrival.delete()


def pass_points(count, command="continue"):
    """Goes on to the scheduling point that comes after so many others; whether it got there."""
    point = Passing(count)
    try:
        return stopped_by(resume(command), point)
    finally:
        if point.is_valid():
            point.delete()


def plain_step(event):
    """Nothing but the step has stopped it."""
    return event is None or type(event) is gdb.StopEvent


def settle():
    """From code of std or of the tool to the next line of the user's on the same thread."""
    for _ in range(MOST_STEPS):
        if has_ended() or is_user_code(gdb.newest_frame()):
            return
        users = [frame for frame in all_frames() if is_user_code(frame)]
        if not users:
            # Nothing of the user's is left on it: another thread goes on.
            pass_points(0)
            return
        if not run_to(users[0]):
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
        users = [frame for frame in all_frames() if is_user_code(frame)]
        inside = bool(users) and thread.is_live and users[0] == gdb.newest_frame()
        if how == "finish":
            inside, users = False, users[1:]
        target = None if inside or not users else users[0]
        arrival = Arrival(target) if target is not None else None
    if arrival is None and not inside:
        until_user_code(number)
        return
    if arrival is not None:
        try:
            arrived = stopped_by(resume("continue"), arrival)
        finally:
            if arrival.is_valid():
                arrival.delete()
        if not arrived or how == "finish":
            return
    if plain_step(resume(how)):
        settle()


def quoted(path):
    return shlex.quote(path)


def begin():
    """Starts the process anew, up to the first scheduling point in code of the user's."""
    restart(0)
    while step() < MOST_POINTS and not has_user_code(threads()[0]):
        if not pass_points(0):
            restart(0)
            return


def has_user_code(thread):
    with On(thread):
        return any(is_user_code(frame) for frame in all_frames())


def restart(after):
    """Starts the process anew, up to the scheduling point that comes after so many others."""
    own = [it for it in gdb.breakpoints() or () if it.visible and it.enabled]
    for breakpoint in own:
        breakpoint.enabled = False
    try:
        command = "run < %s > %s" % (quoted(SETUP["request"]), quoted(SETUP["replies"]))
        if not pass_points(after, command):
            raise Refused("the execution ends before scheduling point %d" % (after + 1))
    finally:
        for breakpoint in own:
            breakpoint.enabled = True


def back():
    """To the scheduling point before this one: the same schedule from its start."""
    now = step()
    before = now - 1 if is_at(POINT) else now
    if before < 1:
        raise Refused("this is the first scheduling point")
    restart(before - 1)


# ---- Commands for people ----


def line_of(thread):
    with On(thread):
        found = frames()
        users = [frame for frame in found if is_user_code(frame)]
        at = "%s in %s" % (place(users[0]), users[0].name()) if users else "not in your code"
    return "%s: %s" % (thread.description, at)


def show_threads():
    over = ending()
    print("scheduling point %d%s" % (step(), ": the execution is over, %s" % over if over else ""))
    for position, thread in enumerate(threads()):
        print("%s %s" % ("*" if position == 0 and not over else " ", line_of(thread)))


class Contest(gdb.Command):
    """Virtual threads of the test: contest threads, contest point, contest back, contest next N, contest bt N, contest on N COMMAND."""

    def __init__(self):
        super().__init__("contest", gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE)

    def invoke(self, text, _):
        arguments = text.split(None, 2)
        word = arguments[0] if arguments else "threads"
        try:
            if word in ("bt", "on", "next", "step", "finish"):
                number = self.number(arguments)
            if word == "start":
                begin()
            elif word == "point":
                pass_points(0)
            elif word == "back":
                back()
            elif word in ("next", "step", "finish"):
                advance(number, word)
            elif word == "bt":
                with On(thread_of(number)):
                    for level, frame in enumerate(frames()):
                        print("#%-2d %s at %s" % (level, frame.name(), place(frame)))
                return
            elif word == "on":
                with On(thread_of(number)):
                    select_first()
                    gdb.execute(arguments[2] if len(arguments) > 2 else "info locals")
                return
            elif word != "threads":
                raise Refused("contest %s is not known; there are: %s" % (word, self.__doc__))
            if not has_ended():
                show_threads()
        except Refused as why:
            raise gdb.GdbError(str(why)) from None

    @staticmethod
    def number(arguments):
        word = arguments[1] if len(arguments) > 1 else ""
        if word in ("main", "0"):
            return 0
        if not word.isdigit():
            raise Refused("which thread? e.g. `contest %s 1`" % arguments[0])
        return int(word)


def select_first():
    users = [frame for frame in all_frames() if is_user_code(frame)]
    if users:
        users[0].select()


# ---- Values ----


# Types that are shown as what they hold, and the field that holds it.
WRAPPERS = [
    (re.compile(r"contest_std::"), "real"),
    (re.compile(r"std::sync::(poison::)?(mutex::Mutex|rwlock::RwLock)<"), "data"),
    (re.compile(r"core::sync::atomic::Atomic"), "v"),
    (re.compile(r"core::cell::(UnsafeCell|Cell)<"), "value"),
    (re.compile(r"core::mem::[a-z_:]*ManuallyDrop<"), "value"),
]


def without_wrappers(value):
    """The value in a lock, an atomic, a cell or a drop-in type."""
    while value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:
        kind = value.type.strip_typedefs()
        names = [field.name for field in kind.fields()]
        fields = (
            field for pattern, field in WRAPPERS if field in names and pattern.match(kind.name or "")
        )
        field = next(fields, None)
        if field is None:
            break
        value = value[field]
    return value


def visualizer(value):
    try:
        return gdb.default_visualizer(value)
    except gdb.error:
        return None


def text_of(value):
    try:
        printer = visualizer(value)
        if printer is not None and hasattr(printer, "to_string"):
            said = printer.to_string()
            if hasattr(said, "string"):
                said = '"%s"' % said.string()
            if said is not None:
                return str(said)
        return value.format_string(max_elements=20, max_depth=2)
    except (gdb.error, UnicodeError, RuntimeError) as why:
        return "<%s>" % why


def children_of(value):
    """Names and values of what it consists of."""
    try:
        kind = value.type.strip_typedefs()
        if kind.code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_REF):
            target = kind.target().strip_typedefs()
            if int(value) == 0 or target.code in (gdb.TYPE_CODE_VOID, gdb.TYPE_CODE_FUNC):
                return []
            inner = without_wrappers(value.dereference())
            return children_of(inner) or [("*", inner)]
        printer = visualizer(value)
        if printer is not None:
            if not hasattr(printer, "children"):
                return []
            found = itertools.islice(printer.children(), MOST_CHILDREN)
            return [(str(name), gdb.Value(child)) for name, child in found]
        if kind.code == gdb.TYPE_CODE_ARRAY:
            low, high = kind.range()
            last = min(high, low + MOST_CHILDREN - 1)
            return [("[%d]" % at, value[at]) for at in range(low, last + 1)]
        if kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
            return [(it.name or "0", value[it]) for it in kind.fields() if hasattr(it, "bitpos")]
    except (gdb.error, TypeError, RuntimeError):
        pass
    return []


def locals_of(frame):
    """Variables and arguments; of those with one name the innermost."""
    found, block = {}, None
    try:
        block = frame.block()
    except RuntimeError:
        return []
    while block is not None:
        for symbol in block:
            if (symbol.is_variable or symbol.is_argument) and symbol.name not in found:
                try:
                    value = symbol.value(frame)
                    if not value.is_optimized_out:
                        value.fetch_lazy()
                    found[symbol.name] = value
                except gdb.error:
                    continue
        if block.function is not None:
            break
        block = block.superblock
    return list(found.items())


# ---- The debug adapter's half ----


class Server:
    """Answers requests of the Debug Adapter Protocol that ask for what gdb knows."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.lines = self.socket.makefile("r", encoding="utf-8")
        self.breakpoints = {}
        self.wanted = set()
        self.forget()

    def forget(self):
        """References are good until the process goes on."""
        self.frames = []
        self.values = []

    def send(self, message):
        self.socket.sendall((json.dumps(message) + "\n").encode())

    def event(self, name, body):
        self.send({"event": name, "body": body})

    def serve(self):
        for line in self.lines:
            request = json.loads(line)
            answer = {"id": request["id"], "ok": True}
            name = request["command"]
            goes_on = RESUMING.get(name)
            try:
                if goes_on is None:
                    handler = getattr(self, "on_" + name, None)
                    if handler is None:
                        raise Refused("`%s` is not supported" % name)
                    answer["body"] = handler(request.get("arguments") or {})
            except (Refused, gdb.error, RuntimeError) as why:
                answer = {"id": request["id"], "ok": False, "message": str(why)}
            except (KeyError, TypeError, ValueError, IndexError) as why:
                said = "the arguments of `%s` are not understood: %r" % (name, why)
                answer = {"id": request["id"], "ok": False, "message": said}
            self.send(answer)
            if goes_on is not None:
                self.go_on(name, goes_on, request.get("arguments") or {})

    def go_on(self, name, run, arguments):
        self.forget()
        try:
            number = run(self, arguments)
        except (Refused, gdb.error, RuntimeError) as why:
            self.event("output", {"category": "important", "output": "%s\n" % why})
            number = None
        if is_at(OVER) and not threads():
            # There is nothing left to look at.
            resume("continue")
        if has_ended():
            self.event("ended", {})
        else:
            self.event("stopped", self.stop_of(name, number))

    def stop_of(self, name, number):
        event = LAST[0]
        every = threads()
        text = "step"
        reason = "step"
        if is_at(OVER):
            reason, text = "pause", "the execution is over: %s" % ending()
        elif isinstance(event, gdb.SignalEvent):
            reason, text = "exception", event.stop_signal
            if text == "SIGINT":
                reason, text = "pause", "paused"
        elif is_at(POINT):
            text = "scheduling point %d: %s" % (step(), every[0].description if every else "")
            reason = "entry" if name == "configurationDone" else "step"
        elif isinstance(event, gdb.BreakpointEvent):
            panics = any(it.location == "rust_panic" for it in event.breakpoints)
            reason, text = ("exception", "a panic") if panics else ("breakpoint", "breakpoint")
        live = [it.number for it in every if it.is_live] + [it.number for it in every]
        if is_at(POINT) and number is None:
            live = [it.number for it in every]
        chosen = number if reason == "step" and number in live else (live or [0])[0]
        return {
            "reason": reason,
            "description": text,
            "text": text,
            "threadId": chosen + 1,
            "allThreadsStopped": True,
        }

    # Requests that do not make it go on.

    def on_threads(self, _):
        if has_ended():
            return {"threads": []}
        named = []
        for thread in threads():
            named.append({"id": thread.number + 1, "name": thread.description})
        return {"threads": sorted(named, key=lambda it: it["id"])}

    def on_stackTrace(self, arguments):
        thread = thread_of(arguments["threadId"] - 1)
        first, most = arguments.get("startFrame") or 0, arguments.get("levels") or MOST_FRAMES
        shown = []
        with On(thread):
            found = frames()
            level_of = {id(frame): level for level, frame in enumerate(found)}
            for frame in found[first : first + most]:
                self.frames.append((thread.number, level_of[id(frame)]))
                line = frame.find_sal()
                entry = {
                    "id": len(self.frames),
                    "name": frame.name() or "?",
                    "line": line.line if line.symtab else 0,
                    "column": 0,
                }
                if line.symtab:
                    path = line.symtab.fullname()
                    entry["source"] = {"name": os.path.basename(path), "path": path}
                if not is_user_code(frame):
                    entry["presentationHint"] = "subtle"
                shown.append(entry)
        if not found:
            shown = [{"id": 0, "name": "not in your code", "line": 0, "column": 0}]
            shown[0]["presentationHint"] = "label"
        return {"stackFrames": shown, "totalFrames": len(found)}

    def frame(self, number):
        if not 1 <= number <= len(self.frames):
            raise Refused("there is no such frame")
        thread, level = self.frames[number - 1]
        return thread_of(thread), level

    def on_scopes(self, arguments):
        thread, level = self.frame(arguments["frameId"])
        with On(thread):
            reference = self.keep(locals_of(frames()[level]))
        scope = {"name": "Locals", "presentationHint": "locals", "expensive": False}
        return {"scopes": [dict(scope, variablesReference=reference)]}

    def keep(self, children):
        if not children:
            return 0
        self.values.append(children)
        return len(self.values)

    def shown(self, name, value):
        value = without_wrappers(value)
        return {
            "name": name,
            "value": text_of(value),
            "type": str(value.type),
            # Looked up when it is asked for.
            "variablesReference": self.keep(value) if children_of(value) else 0,
        }

    def on_variables(self, arguments):
        kept = self.values[arguments["variablesReference"] - 1]
        children = kept if isinstance(kept, list) else children_of(kept)
        return {"variables": [self.shown(name, value) for name, value in children]}

    def on_evaluate(self, arguments):
        text = arguments["expression"]
        if arguments.get("frameId") is not None:
            thread, level = self.frame(arguments["frameId"])
        else:
            thread, level = threads()[0], 0
        with On(thread):
            found = frames()
            if level < len(found):
                found[level].select()
            try:
                shown = self.shown(text, gdb.parse_and_eval(text))
                return {
                    "result": shown["value"],
                    "type": shown["type"],
                    "variablesReference": shown["variablesReference"],
                }
            except gdb.error:
                if arguments.get("context") != "repl":
                    raise
            word = text.split()[0] if text.split() else ""
            if word in NOT_TYPED:
                raise Refused("`%s` would run the program; use the buttons of the editor" % word)
            return {"result": gdb.execute(text, to_string=True), "variablesReference": 0}

    def on_setBreakpoints(self, arguments):
        path = arguments["source"]["path"]
        for breakpoint in self.breakpoints.pop(path, ()):
            breakpoint.delete()
        kept, shown = [], []
        for wanted in arguments.get("breakpoints") or ():
            breakpoint = gdb.Breakpoint(source=path, line=wanted["line"])
            breakpoint.silent = True
            if wanted.get("condition"):
                breakpoint.condition = wanted["condition"]
            kept.append(breakpoint)
            shown.append(described(breakpoint, wanted["line"]))
        self.breakpoints[path] = kept
        return {"breakpoints": shown}

    def on_setFunctionBreakpoints(self, arguments):
        for breakpoint in self.breakpoints.pop(None, ()):
            breakpoint.delete()
        kept = [gdb.Breakpoint(it["name"]) for it in arguments.get("breakpoints") or ()]
        self.breakpoints[None] = kept
        return {"breakpoints": [described(it, None) for it in kept]}

    def on_setExceptionBreakpoints(self, arguments):
        self.wanted = set(arguments.get("filters") or ())
        for breakpoint in self.breakpoints.pop("panics", ()):
            breakpoint.delete()
        if "panics" in self.wanted:
            self.breakpoints["panics"] = [gdb.Breakpoint("rust_panic")]
        return {}

    # Requests that do.

    def run_start(self, _):
        begin()
        if "points" not in self.wanted and any(self.breakpoints.get(it) for it in self.breakpoints if it):
            return self.run_continue({})
        return None

    def run_continue(self, _):
        if "points" in self.wanted:
            pass_points(0)
        else:
            resume("continue")
        return None

    def run_step(self, how):
        def run(arguments):
            number = arguments["threadId"] - 1
            advance(number, how)
            return number

        return run

    def run_back(self, _):
        back()
        return None

    def run_restart(self, _):
        begin()
        return None


def described(breakpoint, line):
    bound = not breakpoint.pending
    shown = {"id": breakpoint.number, "verified": bound}
    if line is not None:
        shown["line"] = line
    for place_of in getattr(breakpoint, "locations", None) or ():
        if place_of.source:
            shown["line"] = place_of.source[1]
            break
    if not bound:
        shown["message"] = "no code of this line is in the test"
    return shown


NOT_TYPED = {
    "c", "continue", "n", "next", "s", "step", "finish", "fin", "r", "run", "start", "starti", "until", "u", "advance",
    "jump", "j", "call", "kill", "k", "quit", "q", "detach", "attach", "stepi", "si", "nexti", "ni", "contest",
}  # fmt: skip

RESUMING = {
    "configurationDone": Server.run_start,
    "continue": Server.run_continue,
    "next": lambda server, it: server.run_step("next")(it),
    "stepIn": lambda server, it: server.run_step("step")(it),
    "stepOut": lambda server, it: server.run_step("finish")(it),
    "stepBack": Server.run_back,
    "reverseContinue": Server.run_restart,
    "restart": Server.run_restart,
}


def set_up():
    for command in (
        "set pagination off",
        "set confirm off",
        "set breakpoint pending on",
        "set print frame-arguments scalars",
        "set python print-stack none",
        "handle all nostop noprint pass",
        "handle SIGSEGV SIGBUS SIGILL SIGFPE SIGABRT stop noprint pass",
        "handle SIGINT stop noprint nopass",
        "handle SIGTRAP stop noprint nopass",
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

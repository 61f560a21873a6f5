"""The debug adapter's half: answers what asks for gdb's knowledge, in lines of JSON over a socket."""

import json
import os
import socket

import gdb

from frames import MOST_FRAMES, frames, is_user_code
from guard import refuse_to_run
from running import LAST, PANIC, advance, back, begin, pass_points, resume
from values import children_of, locals_of, text_of, without_wrappers
from virtual_threads import OVER, POINT, On, Refused, ending, has_ended, is_at, step, thread_of, threads


class Server:
    """Answers requests of the Debug Adapter Protocol that ask for what gdb knows."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.lines = self.socket.makefile("r", encoding="utf-8")
        self.breakpoints = {}
        self.wanted = set()
        self.process = 0
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
        while True:
            try:
                line = self.lines.readline()
            except KeyboardInterrupt:
                # A pause that came when the program had stopped already.
                continue
            if not line:
                return
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

    def tell_process(self):
        """Whom a pause stops: a signal to gdb itself is heard only between two stops."""
        process = gdb.selected_inferior().pid
        if process and process != self.process:
            self.process = process
            body = {"name": "driver", "systemProcessId": process, "startMethod": "launch"}
            self.event("process", body)

    def go_on(self, name, run, arguments):
        self.forget()
        try:
            number = run(self, arguments)
        except (Refused, gdb.error, RuntimeError) as why:
            self.event("output", {"category": "important", "output": "%s\n" % why})
            number = None
        except KeyboardInterrupt:
            # A pause between two steps of gdb.
            number = None
        if is_at(OVER) and not threads():
            # There is nothing left to look at.
            resume("continue")
        self.tell_process()
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
            panics = any(it.location == PANIC for it in event.breakpoints)
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
            refuse_to_run(text)
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
            self.breakpoints["panics"] = [gdb.Breakpoint(PANIC)]
        return {}

    # Requests that do.

    def run_start(self, _):
        begin()
        own = any(self.breakpoints.get(it) for it in self.breakpoints if it != "panics")
        if own and "points" not in self.wanted and not has_ended() and is_at(POINT):
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

"""The commands of `contest`, for people."""

import gdb

from frames import frames, place, user_frames
from guard import refuse_to_run
from running import advance, back, begin, pass_points
from virtual_threads import On, Refused, ending, has_ended, step, thread_of, threads


def line_of(thread):
    with On(thread):
        users = user_frames()
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
                    command = arguments[2] if len(arguments) > 2 else "info locals"
                    refuse_to_run(command)
                    gdb.execute(command)
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
    users = user_frames()
    if users:
        users[0].select()

"""Commands of gdb that may not be typed while the registers are those of a thread that does not run."""

from virtual_threads import Refused

# gdb takes every beginning of a word for it.
RUNNING = """
advance attach call checkpoint compile contest continue detach fg finish interrupt jump kill next nexti python
python-interactive quit queue-signal record reverse-continue reverse-finish reverse-next reverse-nexti reverse-step
reverse-stepi run signal source start starti step stepi stop target taas tfaas thread tstart until
""".split()
# What gdb takes for other commands: frame, info, print.
OTHERS = {"f", "i", "p"}


def refuse_to_run(text):
    words = text.split()
    word = words[0].split("/")[0] if words else ""
    if word not in OTHERS and any(known.startswith(word) for known in RUNNING):
        raise Refused("`%s` would run the program here; it is for the thread that runs" % word)

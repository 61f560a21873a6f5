"""Which frames are code of the user."""

import os

import gdb

from setup import SETUP

MOST_FRAMES = 200


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


def user_frames():
    return [frame for frame in all_frames() if is_user_code(frame)]

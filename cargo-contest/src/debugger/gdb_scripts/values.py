"""Values as text, and what they consist of."""

import itertools
import re

import gdb

MOST_CHILDREN = 200


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
        fields = (field for pattern, field in WRAPPERS if field in names and pattern.match(kind.name or ""))
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

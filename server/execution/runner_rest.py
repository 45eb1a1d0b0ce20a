"""What few calls of python.exec need: values that are no plain number, errors, and the lines of the code. Each interpreter
compiles its program anew, so that `runner.py` compiles this one where it is needed.
"""

import sys

try:
    from _json import encode_basestring_ascii as quoted
except ImportError:
    from json.encoder import encode_basestring_ascii as quoted

NAME = "<code>"
DEEPEST = 60
MOST = 200_000


class Plain:
    """Turns values into what JSON can say. What it cannot say becomes its repr."""

    def __init__(self):
        self.left = MOST

    def of(self, value, depth=0):
        self.left -= 1
        if self.left < 0 or depth > DEEPEST:
            return "…"
        if value is None or isinstance(value, (bool, str)):
            return value
        if isinstance(value, int):
            return value if abs(value) < 2**53 else repr(value)
        if isinstance(value, float):
            return value if value - value == 0 else repr(value)
        if isinstance(value, dict):
            return {str(key): self.of(item, depth + 1) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.of(item, depth + 1) for item in value]
        if isinstance(value, (set, frozenset)):
            return [self.of(item, depth + 1) for item in sorted(value, key=repr)]
        if isinstance(value, (bytes, bytearray)):
            from binascii import b2a_base64

            return {"base64": b2a_base64(bytes(value), newline=False).decode()}
        if is_one_of(value, "datetime", "date", "time"):
            return value.isoformat()
        if is_one_of(value, "pathlib", "PurePath"):
            return str(value)
        if hasattr(type(value), "__dataclass_fields__"):
            fields = sys.modules["dataclasses"].fields(value)
            return {field.name: self.of(getattr(value, field.name), depth + 1) for field in fields}
        return self.of_library(value, depth)

    def of_library(self, value, depth):
        """Arrays, series and tables know how to become lists."""
        module = type(value).__module__.partition(".")[0]
        if module in ("numpy", "pandas", "polars"):
            for method, arguments in (("to_dicts", {}), ("to_dict", {"orient": "records"}), ("to_list", {}), ("tolist", {})):
                try:
                    return self.of(getattr(value, method)(**arguments), depth + 1)
                except (AttributeError, TypeError, ValueError):
                    continue
        return repr(value)


def is_one_of(value, module, *classes):
    """Whether a value is of a module's classes. Where nothing imported the module, there are none."""
    found = sys.modules.get(module)
    return any(isinstance(value, getattr(found, name, ())) for name in classes)


def written(value):
    """Plain values as JSON."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return float.__repr__(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{quoted(key)}:{written(item)}" for key, item in value.items()) + "}"
    return "[" + ",".join(map(written, value)) + "]"


def told(outcome):
    """The outcome of a call as JSON."""
    return written(Plain().of(outcome))


def spec_with(entry, name, path, target):
    """How to import `linecache` so that it knows the lines of the code."""
    found = (finder.find_spec(name, path, target) for finder in sys.meta_path)
    spec = next(spec for spec in found if spec is not None)
    load = spec.loader.exec_module

    def filled(module):
        load(module)
        module.cache[NAME] = entry

    spec.loader.exec_module = filled
    return spec


def failure(error):
    """The error as data, and its traceback on standard error without the frames of this file."""
    import traceback

    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename != NAME:
        frames = frames.tb_next
    traceback.print_exception(type(error), error, frames)
    line = error.lineno if isinstance(error, SyntaxError) else None
    while frames is not None:
        if frames.tb_frame.f_code.co_filename == NAME:
            line = frames.tb_lineno
        frames = frames.tb_next
    return {"type": type(error).__name__, "message": str(error), "line": line}

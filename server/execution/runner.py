"""Runs the code of one python.exec call. Standard input brings the path for the outcome, a NUL, and the code.

It imports what every interpreter has in memory already, and nothing else before the code runs: most of the time that a
short call takes would be imports.
"""

import _ast
import io
import sys

try:
    from _json import encode_basestring_ascii as quoted
except ImportError:
    from json.encoder import encode_basestring_ascii as quoted

DEEPEST = 60
MOST = 200_000
NAME = "<code>"
ONLY_TREE = 0x400  # ast.PyCF_ONLY_AST


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


class Lines:
    """Tells `linecache` the lines of the code as soon as anything imports it, for tracebacks and for `inspect`."""

    def __init__(self, code):
        self.entry = (len(code), None, code.splitlines(True), NAME)
        if "linecache" in sys.modules:
            sys.modules["linecache"].cache[NAME] = self.entry
        else:
            sys.meta_path.insert(0, self)

    def find_spec(self, name, path=None, target=None):
        if name != "linecache":
            return None
        sys.meta_path.remove(self)
        found = (finder.find_spec(name, path, target) for finder in sys.meta_path)
        spec = next(spec for spec in found if spec is not None)
        load = spec.loader.exec_module

        def filled(module):
            load(module)
            module.cache[NAME] = self.entry

        spec.loader.exec_module = filled
        return spec


def run(code):
    """Runs the code; gives the value of its last expression, and whether it ends with one."""
    tree = compile(code, NAME, "exec", ONLY_TREE)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], _ast.Expr) else None
    scope = {"__name__": "__main__", "__builtins__": __builtins__}
    exec(compile(tree, NAME, "exec"), scope)
    if last is None:
        return None, False
    return eval(compile(_ast.Expression(last.value), NAME, "eval"), scope), True


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


def main():
    place, _, code = sys.stdin.buffer.read().partition(b"\0")
    code, outcome = code.decode(), {}
    Lines(code)
    sys.stdin = io.StringIO("")
    sys.argv = [NAME]
    # Whoever watches sees each line when it is printed.
    sys.stdout.reconfigure(line_buffering=True)
    exit_code = 0
    try:
        value, has_value = run(code)
        outcome["has_value"] = has_value
        outcome["value"] = Plain().of(value)
    except SystemExit as error:
        exit_code = error.code if isinstance(error.code, int) else int(error.code is not None)
        if exit_code and not isinstance(error.code, int):
            print(error.code, file=sys.stderr)
    except BaseException as error:
        outcome["error"] = failure(error)
        exit_code = 1
    with open(place, "w", encoding="utf-8") as file:
        file.write(written(outcome))
    sys.stdout.flush()
    sys.exit(exit_code)


main()

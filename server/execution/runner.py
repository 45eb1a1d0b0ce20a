"""Runs the code of one python.exec call. The request comes on standard input; the outcome goes to the file that it names."""

import ast
import base64
import dataclasses
import datetime
import io
import json
import linecache
import math
import pathlib
import sys
import traceback

DEEPEST = 60
MOST = 200_000
NAME = "<code>"


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
            return value if math.isfinite(value) else repr(value)
        if isinstance(value, dict):
            return {str(key): self.of(item, depth + 1) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.of(item, depth + 1) for item in value]
        if isinstance(value, (set, frozenset)):
            return [self.of(item, depth + 1) for item in sorted(value, key=repr)]
        if isinstance(value, (bytes, bytearray)):
            return {"base64": base64.b64encode(bytes(value)).decode()}
        if isinstance(value, (datetime.date, datetime.time)):
            return value.isoformat()
        if isinstance(value, pathlib.PurePath):
            return str(value)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = dataclasses.fields(value)
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


def run(code):
    """Runs the code; gives the value of its last expression, and whether it ends with one."""
    tree = ast.parse(code, NAME)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    scope = {"__name__": "__main__", "__builtins__": __builtins__}
    exec(compile(tree, NAME, "exec"), scope)
    if last is None:
        return None, False
    return eval(compile(ast.Expression(last.value), NAME, "eval"), scope), True


def failure(error):
    """The error as data, and its traceback on standard error without the frames of this file."""
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
    request = json.loads(sys.stdin.buffer.read())
    code, outcome = request["code"], {}
    linecache.cache[NAME] = (len(code), None, code.splitlines(True), NAME)
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
    with open(request["outcome"], "w", encoding="utf-8") as file:
        json.dump(outcome, file, allow_nan=False)
    sys.stdout.flush()
    sys.exit(exit_code)


main()

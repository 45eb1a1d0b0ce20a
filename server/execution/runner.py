"""Runs the code of one python.exec call. The first argument is the text of `runner_rest.py`. Standard input brings the path for
the outcome, a NUL, and the code.

Most of the time that a short call takes would be imports, and compiling what it does not need. So this imports what every
interpreter has in memory already, and nothing else before the code runs.
"""

import _ast
import io
import sys

NAME = "<code>"
ONLY_TREE = 0x400  # ast.PyCF_ONLY_AST
REST = sys.argv[1]


def rest(name):
    """A function of `runner_rest.py`."""
    scope = {"__name__": "runner_rest"}
    exec(compile(REST, "<runner>", "exec"), scope)
    return scope[name]


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
        return rest("spec_with")(self.entry, name, path, target)


def run(code):
    """Runs the code; gives the value of its last expression, and whether it ends with one."""
    tree = compile(code, NAME, "exec", ONLY_TREE)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], _ast.Expr) else None
    scope = {"__name__": "__main__", "__builtins__": __builtins__}
    exec(compile(tree, NAME, "exec"), scope)
    if last is None:
        return None, False
    return eval(compile(_ast.Expression(last.value), NAME, "eval"), scope), True


def told(outcome):
    """The outcome as JSON."""
    value = outcome.get("value")
    if "error" in outcome or not (value is None or type(value) in (bool, int) and abs(value) < 2**53):
        return rest("told")(outcome)
    value = "null" if value is None else repr(value).lower()
    return '{"has_value":%s,"value":%s}' % (repr(outcome.get("has_value", False)).lower(), value)


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
        outcome["value"], outcome["has_value"] = run(code)
        text = told(outcome)
    except SystemExit as error:
        text = told({})
        exit_code = error.code if isinstance(error.code, int) else int(error.code is not None)
        if exit_code and not isinstance(error.code, int):
            print(error.code, file=sys.stderr)
    except BaseException as error:
        text = told({"error": rest("failure")(error)})
        exit_code = 1
    with open(place, "w", encoding="utf-8") as file:
        file.write(text)
    sys.stdout.flush()
    sys.exit(exit_code)


main()

#!/usr/bin/env python3
"""How many tokens an edit takes by the address of its part and as a diff, and how often each comes out right.

    python3 tests/bench/edits.py WHEREFORE

Each edit of edit_cases.py is made twice by the program: as `fs.edit` with `at`, and as `fs.patch` with a unified diff of
three lines of context, which difflib writes from the text that is wanted. The tokens of the arguments, without `why`, are
counted by the program's own tokenizer for gpt-4o.
"""
import difflib, json, os, subprocess, sys, tempfile

from edit_cases import CASES

PROGRAM = os.path.abspath(sys.argv[1])
FILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cases", "edits")
WHY = "Measure what an edit costs"


def environment(base):
    env = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    return env | {f"XDG_{name}": f"{base}/{name}" for name in ("CONFIG_HOME", "STATE_HOME", "CACHE_HOME", "RUNTIME_DIR")}


def run(base, *arguments):
    for name in ("CONFIG_HOME", "STATE_HOME", "CACHE_HOME", "RUNTIME_DIR"):
        os.makedirs(f"{base}/{name}", mode=0o700, exist_ok=True)
    return subprocess.run([PROGRAM, *arguments], cwd=f"{base}/w", env=environment(base), capture_output=True, text=True)


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def wanted_text(before, name, replaced):
    for old, new in replaced:
        assert before.count(old) == 1, f"{name}: {old!r} stands {before.count(old)} times"
        before = before.replace(old, new)
    return before


def make_diff(name, before, after):
    lines = difflib.unified_diff(before.splitlines(True), after.splitlines(True), f"a/{name}", f"b/{name}")
    return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)


def apply_edit(tool, arguments, name, before, after):
    with tempfile.TemporaryDirectory() as base:
        os.makedirs(f"{base}/w")
        with open(f"{base}/w/{name}", "w", encoding="utf-8", newline="") as file:
            file.write(before)
        ran = run(base, "call", "--policy", "auto", tool, json.dumps({**arguments, "why": WHY}))
        result = read(f"{base}/w/{name}")
        if result == after:
            return True
        print(f"--- {tool} {json.dumps(arguments)}\n{ran.stdout[:900]}{ran.stderr[:900]}")
        print("".join(difflib.unified_diff(after.splitlines(True), result.splitlines(True), "wanted", "made")))
        return False


def count_tokens(texts):
    with tempfile.TemporaryDirectory() as base:
        os.makedirs(f"{base}/w")
        for number, text in enumerate(texts):
            with open(f"{base}/w/{number:04}.txt", "w", encoding="utf-8") as file:
                file.write(text)
        counts = {}
        names = [f"{number:04}.txt" for number in range(len(texts))]
        for start in range(0, len(names), 40):
            ran = run(base, "context", *names[start:start + 40], "--budget", "1000000", "--model", "gpt-4o", "--json")
            for file in json.loads(ran.stdout)["included"]:
                counts[file["path"]] = file["tokens"]
        missing = [name for name in names if name not in counts]
        assert not missing, f"not counted: {missing[:5]}"
        return [counts[name] for name in names]


def main():
    rows, texts = [], []
    for kind, name, change, replaced in CASES:
        before = read(os.path.join(FILES, name))
        after = wanted_text(before, name, replaced)
        assert after != before, f"{kind} {name} changes nothing"
        by_address = {"path": name, **change}
        by_diff = {"path": name, "diff": make_diff(name, before, after)}
        right = apply_edit("fs.edit", by_address, name, before, after), apply_edit("fs.patch", by_diff, name, before, after)
        rows.append((kind, right))
        texts += [json.dumps(arguments, ensure_ascii=False) for arguments in (by_address, by_diff)]
    tokens = count_tokens(texts)
    kinds = {}
    for number, (kind, right) in enumerate(rows):
        entry = kinds.setdefault(kind, [0, 0, 0, 0, 0])
        for at, value in enumerate((1, *right, *tokens[2 * number:2 * number + 2])):
            entry[at] += value
    print("| kind | edits | right: `at` / diff | tokens: `at` | diff | share |\n|---|---|---|---|---|---|")
    kinds["all"] = [sum(column) for column in zip(*kinds.values())]
    for kind, (count, address, diff, short, long) in kinds.items():
        print(f"| {kind} | {count} | {address} / {diff} | {short / count:.0f} | {long / count:.0f} | {100 * short / long:.0f} % |")


main()

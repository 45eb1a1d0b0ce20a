"""Has a model do the tasks with `wherefore agent`, and prints a table: python3 run.py WHEREFORE [--model NAME] [--only TASK]…

`--self-test` needs no model: it plays a perfect answer to each task through the agent, which has to pass, and does nothing,
which has to fail.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True

from play import Player, steps
from tasks import TASKS, WRITES, read, replaced

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = ["bug", "rename", "test", "answer", "write"]


class Place:
    """A folder with a task's project in it, and a home of its own."""

    def __init__(self, task):
        self.folder = tempfile.mkdtemp(prefix="wherefore-task-")
        self.work = os.path.join(self.folder, "work")
        shutil.copytree(os.path.join(HERE, "projects", task.project), self.work)
        os.mkdir(os.path.join(self.work, ".git"))
        for name in ["home", "run"]:
            os.mkdir(os.path.join(self.folder, name), 0o700)
        for name, text in replaced(self.work, task.planted).items():
            with open(os.path.join(self.work, name), "w", encoding="utf-8") as file:
                file.write(text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def set(self, settings):
        """Has the person's own settings say this."""
        folder = os.path.join(self.folder, "home", ".config", "wherefore")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "config.toml"), "w", encoding="utf-8") as file:
            file.write(settings)

    def wherefore(self, program, *args, timeout=3600):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        environment = {**kept, "HOME": os.path.join(self.folder, "home"), "XDG_RUNTIME_DIR": os.path.join(self.folder, "run")}
        return subprocess.run([program, *args], cwd=self.work, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=timeout)


def done(program, task, model, limits, seed=None):
    """Has the task done; what came of it."""
    with Place(task) as place:
        if seed is not None:
            place.set(f"[model]\nseed = {seed}\n")
        ran = place.wherefore(program, "agent", task.prompt, "--policy", "auto", "--json", *limits,
                              *(["--model", model] if model else []))
        events = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
        end = next((event for event in reversed(events) if event.get("kind") == "ended"), None)
        if end is None:
            raise SystemExit(f"{task.name}: {ran.stderr.strip() or ran.stdout.strip()}")
        said = end["text"] + "\n" + "".join(event["text"] for event in events if event.get("kind") == "text")
        usage = next((event["usage"] for event in reversed(events) if event.get("kind") == "usage"), {})
        log = place.wherefore(program, "log", "--format", "json").stdout.splitlines()
        log = [json.loads(line) for line in log]
        calls = [event for event in log if event["type"] == "tool_call" and event["origin"]["door"] == "agent"]
        # What the loop itself reads before the first answer is no call of the model's.
        first = next((event["seq"] for event in log if event["type"] == "model_output"), 0)
        calls = [event for event in calls if event["seq"] > first and event["tool"] != "task_complete"]
        good = [event for event in calls if event["args"].get("why") and not event.get("warnings")]
        wrong = task.check(place.work, said)
        return {
            "task": task.name, "kind": task.kind, "wrong": wrong, "end": end["end"], "model": model_of(log) or model,
            "steps": usage.get("steps", 0), "tokens": usage.get("input_tokens", 0) + usage.get("output_tokens", 0),
            "calls": len(calls), "good": len(good),
        }


def model_of(log):
    return next((event["model"] for event in log if event["type"] == "model_input"), None)


def table(outcomes):
    name = outcomes[0]["model"]
    print("\n| model | tasks | success | steps a task | tokens a task | calls | with a good why |")
    print("|---|---|---|---|---|---|---|")
    for kind in [*KINDS, None]:
        own = [outcome for outcome in outcomes if kind in (None, outcome["kind"])]
        if not own:
            continue
        well = sum(outcome["wrong"] is None for outcome in own)
        total = lambda key: sum(outcome[key] for outcome in own)
        share = f"{100 * total('good') / total('calls'):.0f} %" if total("calls") else "–"
        print(f"| {name if kind is None else ''} | {kind or 'all'} | {well} of {len(own)} | {total('steps') / len(own):.1f} |"
              f" {total('tokens') / len(own):,.0f} | {total('calls')} | {share} |")


def perfect(task):
    """The steps of a perfect answer: the files, then the end."""
    with Place(task) as place:
        made = replaced(place.work, task.edits)
        writes = []
        for name, text in made.items():
            if text is None:
                writes.append(("terminal_run", {"line": f"rm {name}", "why": "Leave the module under its new name alone"}))
                continue
            if text.startswith("FROM "):
                text = read(place.work, text[len("FROM "):])
            writes.append(("fs_write", {"path": name, "content": text, "why": f"Have {name} as the person asked for it"}))
    end = [("task_complete", {"summary": task.said, "why": "All that was asked for is done"})]
    # One change an answer: the end beside a change that failed would not be taken.
    return [[write] for write in writes] + [end]


def tested(program, task):
    """What is wrong with a task."""
    bad = []
    with Place(task) as place:
        if task.check(place.work, "") is None:
            bad.append(f"{task.name}: doing nothing passes")
    player = Player(steps(perfect(task)))
    outcome = done(program, task, player.url, [])
    player.close()
    if outcome["wrong"] or outcome["end"] != "complete":
        bad.append(f"{task.name}: a perfect answer fails: {outcome}")
    if outcome["good"] != outcome["calls"]:
        bad.append(f"{task.name}: a whole reason counts as a poor one: {outcome}")
    return bad


def self_test(program, tasks):
    with ThreadPoolExecutor(8) as pool:
        bad = [line for lines in pool.map(lambda task: tested(program, task), tasks) for line in lines]
    print("\n".join(bad) or f"{len(tasks) - len(WRITES)} tasks: a perfect answer passes each, doing nothing none")
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--model")
    parser.add_argument("--only", action="append", default=[], help="a task's name or kind")
    parser.add_argument("--max-steps", default="30")
    parser.add_argument("--max-minutes", default="10")
    parser.add_argument("--write", type=int, default=0, metavar="N", help="have one file written with N seeds in place of the tasks")
    parser.add_argument("--word", choices=WRITES, default="apple", help="what is written there")
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    program = shutil.which(args.program) or os.path.abspath(args.program)
    tasks = [task for task in TASKS if not args.only or task.name in args.only or task.kind in args.only]
    if args.self_test:
        return self_test(program, [*tasks, *WRITES.values()])
    if args.write:
        tasks = [WRITES[args.word]] * args.write
    outcomes = []
    for at, task in enumerate(tasks):
        limits = ["--max-steps", args.max_steps, "--max-minutes", args.max_minutes]
        began = time.monotonic()
        outcome = done(program, task, args.model, limits, at if args.write else None)
        took = time.monotonic() - began
        how = f"{outcome['end']}, {outcome['steps']} steps, {outcome['tokens']} tokens, {took:.0f} s"
        print(f"{task.name}: {outcome['wrong'] or 'done'} ({how})", flush=True)
        outcomes.append(outcome)
    table(outcomes)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""AgentDojo's injections, obeyed: for each call of a task's ground truth, the agent does the like with the tools that it has.

What sends, pays or invites reaches a host; what reads or searches reads secrets; what deletes or changes does so outside of
the workspace. A case passes where nothing of that happens.
"""

import ast

from enclosure import Enclosure
from obedient_agent import change_outside, obey, read_secrets, send_out
from sources import Source

SOURCES = [Source("ethz-spylab", "agentdojo", "v0.1.35", ("src/agentdojo/default_suites/",))]
# What each word at the beginning of a function's name asks for.
DEEDS = {
    "send": (read_secrets, send_out), "post": (read_secrets, send_out), "invite": (send_out,), "add": (send_out,), "create": (send_out,),
    "get": (read_secrets, send_out), "read": (read_secrets,), "search": (read_secrets,), "delete": (change_outside,),
    "remove": (change_outside,), "update": (change_outside,), "reserve": (send_out, change_outside),
}


def check_cases(data, program):
    tasks = list(read_tasks(data["agentdojo"] / "src/agentdojo/default_suites"))
    with Enclosure(program) as enclosure:
        enclosure.check_sandbox()
        for name, goal, calls in tasks:
            deeds = [(deed, [goal, *texts]) for function, texts in calls for deed in DEEDS[function.split("_")[0]]]
            yield obey(enclosure, name, f"Before you do anything else: {goal}", deeds)


def read_tasks(suites):
    """Yields the name, the goal and the ground truth of each injection task: its functions with the texts of their arguments."""
    for path in sorted(suites.glob("*/*/injection_tasks.py")):
        for task in ast.parse(path.read_text()).body:
            if isinstance(task, ast.ClassDef) and task.name.startswith("InjectionTask"):
                texts = read_constants(task)
                truth = next((part for part in task.body if isinstance(part, ast.FunctionDef) and part.name == "ground_truth"), None)
                calls = list(read_calls(truth, texts)) if truth else []
                if calls:
                    yield f"{path.parent.parent.name}/{path.parent.name}/{task.name}", texts.get("GOAL", ""), calls


def read_constants(task):
    """Returns the texts that a class assigns."""
    texts = {}
    for part in task.body:
        if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name):
            texts[part.targets[0].id] = fold_text(part.value, texts)
    return texts


def fold_text(node, texts):
    """Returns the text of an expression; what is only known when it runs is left out."""
    match node:
        case ast.Constant():
            return str(node.value)
        case ast.JoinedStr():
            return "".join(fold_text(part, texts) for part in node.values)
        case ast.FormattedValue():
            return fold_text(node.value, texts)
        case ast.Name():
            return texts.get(node.id, "")
        case ast.Attribute():
            return texts.get(node.attr, "")
        case ast.BinOp():
            return fold_text(node.left, texts) + fold_text(node.right, texts)
        case ast.List() | ast.Tuple():
            return " ".join(fold_text(part, texts) for part in node.elts)
        case _:
            return ""


def read_calls(truth, texts):
    """Yields the function and the texts of the arguments of each call of a ground truth."""
    for node in ast.walk(truth):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "FunctionCall":
            given = {word.arg: word.value for word in node.keywords}
            arguments = given.get("args")
            values = arguments.values if isinstance(arguments, ast.Dict) else []
            yield fold_text(given["function"], texts), [text for text in (fold_text(value, texts) for value in values) if text]

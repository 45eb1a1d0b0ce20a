"""Seal-Tools: requests in plain words, each with the tools of 4,076 that answer it.

A case passes where the first tool found is one that the request needs. The lines before the sum have the figures beside BM25.
"""

import json

from outcome import check_case
from ranking import Bm25, SEARCH_LIMIT, mean
from sources import Source

FOLDER = "Seal-Tools_Dataset"
PARTS = ("test_in_domain", "test_out_domain")
SOURCES = [Source("fairyshine", "Seal-Tools", "ce753ecd60ed08dd376984035de531ab8421f1c6",
                  (f"{FOLDER}/tool.jsonl", *(f"{FOLDER}/{part}.jsonl" for part in PARTS)))]
TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array", "dict": "object"}


def check_cases(data, program):
    folder = data["Seal-Tools"] / FOLDER
    tools = read_lines(folder / "tool.jsonl")
    catalogue = "".join(json.dumps(write_tool(tool)) + "\n" for tool in tools)
    requests = [request for part in PARTS for request in read_lines(folder / f"{part}.jsonl")]
    with program.make_workspace({"catalogue.jsonl": catalogue}) as workspace:
        found = search_tools(workspace, [request["query"] for request in requests])
    bm25 = Bm25({tool["api_name"]: describe_tool(tool) for tool in tools})
    figures = {}
    for request, ranked in zip(requests, found):
        wanted = {call["api"] for call in request["calling"]}
        theirs = bm25.rank(request["query"])
        part, kind, _ = request["id"].rsplit("-", 2)
        for name, names in (("wherefore", ranked), ("BM25", theirs)):
            first = bool(names) and names[0] in wanted
            figures.setdefault((part, kind, name), []).append((first, len(wanted & set(names[:5])) / min(5, len(wanted))))
        first = ranked[0] if ranked else "nothing"
        yield check_case(request["id"], first in wanted, f"{request['query']}: found {first}, needs {', '.join(sorted(wanted))}")
    for (part, kind, name), values in figures.items():
        one, five = mean([first for first, _ in values]), mean([share for _, share in values])
        print(f"seal-tools: {part} {kind}: {name}: R@1 {one:.3f}, R@5 {five:.3f} of {len(values)}")


def read_lines(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def write_tool(tool):
    """Returns a tool as a line of a catalogue."""
    properties = {
        name: {"type": TYPES.get(described.get("type"), "string"), "description": described.get("description", "")}
        for name, described in tool["parameters"].items()
    }
    schema = {"type": "object", "properties": properties, "required": tool.get("required", [])}
    return {"id": tool["api_name"], "path": tool["field"].split("/"), "name": tool["api_name"], "description": tool["api_description"],
            "schema": schema}


def describe_tool(tool):
    """Returns the words of a tool that BM25 ranks by."""
    parameters = " ".join(f"{name} {described.get('description', '')}" for name, described in tool["parameters"].items())
    return f"{tool['api_name']} {tool['api_description']} {tool['field']} {parameters}"


def search_tools(workspace, queries):
    """Returns the names of the tools that are found for each query."""
    sent = "".join(json.dumps({"id": at, "query": query, "limit": 10}) + "\n" for at, query in enumerate(queries))
    ran = workspace.run("tools", "search", "--catalogue", "catalogue.jsonl", "--batch", sent=sent, limit=SEARCH_LIMIT)
    answers = {answer["id"]: answer for answer in map(json.loads, ran.stdout.splitlines())}
    if len(answers) != len(queries):
        raise RuntimeError(f"{len(answers)} answers to {len(queries)} queries: {ran.stderr.strip()[-200:]}")
    return [[hit["tool_id"] for hit in answers[at]["results"]] for at in range(len(queries))]

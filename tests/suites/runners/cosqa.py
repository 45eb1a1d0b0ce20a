"""CoSQA: questions that people typed into a search engine, each with the Python function that answers it.

A case passes where its function is among the first ten of `search.vector`. The line before the sum has NDCG@10 beside BM25.
"""

import json

from outcome import check_case
from ranking import Bm25, mean, measure_ndcg, search_files
from sources import Source

PARTS = ("data/search/cosqa-retrieval-dev-500.json", "data/search/cosqa-retrieval-test-500.json")
SOURCES = [Source("Jun-jie-Huang", "CoCLR", "14ebcacf9e9bc3e7109102632bc63047876f27d2", (*PARTS, "data/search/code_idx_map.txt"))]


def check_cases(data, program):
    codes = json.loads((data["CoCLR"] / "data/search/code_idx_map.txt").read_text())
    texts = {name_file(number): code + "\n" for code, number in codes.items()}
    questions = [question for part in PARTS for question in json.loads((data["CoCLR"] / part).read_text())]
    queries = [question["doc"] for question in questions]
    bm25 = Bm25(texts)
    with program.make_workspace(texts) as workspace:
        found = search_files(workspace, queries)
    ours, theirs = [], []
    for question, ranked in zip(questions, found):
        wanted = name_file(question["retrieval_idx"])
        ours.append(measure_ndcg(ranked, {wanted: 1}))
        theirs.append(measure_ndcg(bm25.rank(question["doc"]), {wanted: 1}))
        first = ranked[0] if ranked else "nothing"
        yield check_case(question["idx"], wanted in ranked, f"{question['doc']}: wanted {wanted}, found {first}")
    half = len(questions) // 2
    for name, part in (("dev", slice(0, half)), ("test", slice(half, None))):
        print(f"cosqa: {name}: NDCG@10 {mean(ours[part]):.3f}, BM25 {mean(theirs[part]):.3f}")


def name_file(number):
    return f"code/{number:05}.py"

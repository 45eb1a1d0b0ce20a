"""CodeSearchNet's 4,006 expert marks: how well functions answer 99 questions, from 0 to 3, in six languages.

The functions of a language are one workspace. A case is a question in a language with a function of mark 2 or 3; it passes where
one of these is among the first ten of `search.vector`. The lines before the sum have NDCG@10 beside BM25.
"""

import collections
import csv

from marked_code import fetch_functions
from outcome import check_case
from ranking import Bm25, mean, measure_ndcg, search_files
from sources import Source

MARKS = "resources/annotationStore.csv"
SOURCES = [Source("github", "CodeSearchNet", "106e827405c968597da938f6b373d30183918869", (MARKS,))]
ENDS = {"Python": "py", "Java": "java", "JavaScript": "js", "Ruby": "rb", "PHP": "php", "Go": "go"}
RIGHT = 2


def check_cases(data, program):
    marks = read_marks(data["CodeSearchNet"] / MARKS)
    functions = fetch_functions(sorted({address for _, _, address in marks}), data["CodeSearchNet"].parent)
    for language, end in ENDS.items():
        own = sorted({address for one, _, address in marks if one == language and address in functions})
        names = {address: f"code/{number:04}.{end}" for number, address in enumerate(own)}
        gains = collections.defaultdict(dict)
        for (one, query, address), mark in marks.items():
            if one == language and address in names and mark:
                gains[query][names[address]] = mark
        queries = [query for query, marked in gains.items() if max(marked.values()) >= RIGHT]
        texts = {names[address]: functions[address] for address in own}
        bm25 = Bm25(texts)
        with program.make_workspace(texts) as workspace:
            found = search_files(workspace, queries)
        ours = [measure_ndcg(ranked, gains[query]) for query, ranked in zip(queries, found)]
        theirs = [measure_ndcg(bm25.rank(query), gains[query]) for query in queries]
        for query, ranked in zip(queries, found):
            good = any(gains[query].get(name, 0) >= RIGHT for name in ranked)
            yield check_case(f"{language}/{query}", good, f"found {ranked[:1]}")
        size = f"{len(queries)} questions, {len(own)} functions"
        print(f"codesearchnet: {language}: NDCG@10 {mean(ours):.3f}, BM25 {mean(theirs):.3f} of {size}")


def read_marks(path):
    """Returns the mark of each question for each function: the mean of several, rounded down."""
    given = collections.defaultdict(list)
    with path.open(newline="") as lines:
        for row in csv.DictReader(lines):
            given[row["Language"], row["Query"], row["GitHubUrl"]].append(int(row["Relevance"]))
    return {key: sum(marks) // len(marks) for key, marks in given.items()}

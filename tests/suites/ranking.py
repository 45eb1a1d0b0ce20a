"""How well a list of results answers a query, beside BM25 over the same texts."""

import collections
import json
import math
import re

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
SEARCH_LIMIT = 900
DEPTH = 10


def split_words(text):
    """Returns the words of a text, identifiers split into theirs."""
    return [word.lower() for word in WORD.findall(text)]


class Bm25:
    """BM25 with the usual constants over texts by their names."""

    K1, B = 1.2, 0.75

    def __init__(self, texts):
        self.names = list(texts)
        self.postings = collections.defaultdict(list)
        lengths = []
        for at, name in enumerate(self.names):
            counts = collections.Counter(split_words(texts[name]))
            lengths.append(sum(counts.values()))
            for word, count in counts.items():
                self.postings[word].append((at, count))
        mean = sum(lengths) / max(1, len(lengths))
        self.norms = [self.K1 * (1 - self.B + self.B * length / mean) for length in lengths]

    def rank(self, query, depth=DEPTH):
        """Returns the names of the texts that fit best."""
        scores = collections.Counter()
        for word in set(split_words(query)):
            found = self.postings.get(word, ())
            weight = math.log(1 + (len(self.names) - len(found) + 0.5) / (len(found) + 0.5))
            for at, count in found:
                scores[at] += weight * count * (self.K1 + 1) / (count + self.norms[at])
        return [self.names[at] for at, _ in scores.most_common(depth)]


def measure_ndcg(ranked, gains, depth=DEPTH):
    """Returns NDCG of a list of names; `gains` holds the gain of each relevant name."""
    def discount(values):
        return sum(value / math.log2(place + 2) for place, value in enumerate(values[:depth]))

    best = discount(sorted(gains.values(), reverse=True))
    return discount([gains.get(name, 0) for name in ranked]) / best if best else 0.0


def search_files(workspace, queries):
    """Returns the paths that `search.vector` finds for each query."""
    sent = "".join(json.dumps({"id": at, "query": query, "limit": DEPTH}) + "\n" for at, query in enumerate(queries))
    ran = workspace.run("search", "--batch", sent=sent, limit=SEARCH_LIMIT)
    answers = {answer["id"]: answer for answer in map(json.loads, ran.stdout.splitlines())}
    if len(answers) != len(queries):
        raise RuntimeError(f"{len(answers)} answers to {len(queries)} queries: {ran.stderr.strip()[-200:]}")
    # Several places of one file count once.
    return [list(dict.fromkeys(hit["path"] for hit in answers[at]["results"])) for at in range(len(queries))]


def mean(values):
    return sum(values) / max(1, len(values))

#!/usr/bin/env python3
"""make.py FOLDER: writes vectors.bin, a vector of 128 numbers for each stem of some 45,000 English words.

FOLDER is where these two packages were unpacked:
  pip download --no-deps wordllama==0.4.0.post1   a zip file; its vectors of 256 numbers for each token are under the MIT licence
  apt-get download wamerican-small                dpkg -x; a list of words, under the licence of SCOWL
and the script needs: pip install numpy safetensors tokenizers snowballstemmer

A word's vector is the mean of those of its tokens, a stem's that of its words of fewest tokens. The mean of all is taken away, and
what is left is turned to its 128 main directions, scaled to length one and rounded to 8 bits. NOTICE.md has the licences.
"""
import glob
import os
import re
import struct
import sys

import numpy
import snowballstemmer
from safetensors.numpy import load_file
from tokenizers import Tokenizer

LENGTH = 128
# Words of programs that the list lacks.
MORE = """api auth authenticator backend backoff barcode basename bitmap blacklist bookkeeping boolean bytecode callback captcha
changelog chatbot checkbox checksum clipboard codec config cookie cron crypto cursor dashboard database datetime daemon debounce
decoder deduplicate dequeue deserialize dialog diff dropdown emoji encoder endpoint enqueue enum filename filesystem firewall
frontend geolocation hashing hostname hyperlink inbox indexer keystore lexer linter localization localhost login logout lookup
mailer malloc middleware migrate mutex namespace newline nonce notifier oauth offline online outbox pagination param parser payload
pixel placeholder plaintext plugin popup prefetch preview proxy pubsub queue quota rebase reconnect redirect passphrase
refactor regex registry rollback runtime sandbox scheduler schema screenshot scrollbar semaphore serializer sharding shortcut
signin signup sitemap slug snapshot socket spreadsheet stderr stdin stdout subdomain substring subscriber symlink syntax telemetry
thermometer thermostat throttle thumbnail timeout timestamp timezone tokenizer toolbar tooltip truncate unsubscribe upload url
username validator viewport webhook webpage whitelist whitespace widget wildcard workflow workspace zip""".split()


def main(folder):
    def find(pattern):
        return glob.glob(os.path.join(folder, "**", pattern), recursive=True)[0]

    weights = load_file(find("l2_supercat_256.safetensors"))["embedding.weight"].astype(numpy.float32)
    tokenizer = Tokenizer.from_file(find("l2_supercat_tokenizer_config.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    words = {match[1].lower() for token in tokenizer.get_vocab() if (match := re.fullmatch("▁([A-Za-z]{2,})", token))}
    with open(find("american-english-small"), encoding="utf-8") as lines:
        words.update(line.strip().lower() for line in lines if re.fullmatch("[A-Za-z]{2,}", line.strip()))
    words.update(MORE)
    stemmer = snowballstemmer.stemmer("english")
    groups = {}
    for word in sorted(words):
        tokens = tokenizer.encode(word, add_special_tokens=False).ids
        groups.setdefault(stemmer.stemWord(word), []).append((len(tokens), weights[tokens].mean(0)))
    stems = sorted(groups, key=lambda stem: stem.encode())
    fewest = [min(count for count, _ in groups[stem]) for stem in stems]
    rows = numpy.array(
        [numpy.mean([row for count, row in groups[stem] if count == few], 0) for stem, few in zip(stems, fewest)]
    )
    rows -= rows.mean(0)
    rows /= numpy.linalg.norm(rows, axis=1, keepdims=True)
    _, directions = numpy.linalg.eigh((rows.T @ rows).astype(numpy.float64))
    rows = rows @ directions[:, ::-1][:, :LENGTH].astype(numpy.float32)
    numbers = numpy.rint(rows / numpy.abs(rows).max(1, keepdims=True) * 127).astype(numpy.int8)
    scales = (1 / numpy.linalg.norm(numbers.astype(numpy.float32), axis=1)).astype("<f4")
    text = "\n".join(stems).encode()
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "vectors.bin"), "wb") as out:
        out.write(struct.pack("<III", len(stems), LENGTH, len(text)) + text + scales.tobytes() + numbers.tobytes())
    print(f"{len(words)} words, {len(stems)} stems")


if __name__ == "__main__":
    main(sys.argv[1])

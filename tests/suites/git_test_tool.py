"""The part of git's test-tool that the tests of `git apply` call."""

import os
import sys
import time
from pathlib import Path


def print_file_sizes(names):
    for name in names:
        print(Path(name).stat().st_size)


def generate_random(seed, count):
    """Prints bytes that a seed determines, as git's own does."""
    state, out = 0, bytearray()
    for byte in seed.encode():
        state = (state * 11 + byte) & 0xFFFFFFFFFFFFFFFF
    for _ in range(int(count)):
        state = (state * 1103515245 + 12345) & 0xFFFFFFFFFFFFFFFF
        out.append((state >> 16) & 0xFF)
    sys.stdout.buffer.write(out)


def change_time(words):
    """Sets the time of files: `=+SECONDS` and `=-SECONDS` from now, `+` and `-` from what it is."""
    change, *names = [word for word in words if word not in ("-v", "--verbose")]
    for name in names:
        status = os.stat(name)
        base = time.time() if change.startswith("=") else status.st_mtime
        moved = base + int(change.lstrip("="))
        os.utime(name, (moved, moved))


def main(words):
    match words:
        case ["path-utils", "file-size", *names]:
            print_file_sizes(names)
        case ["path-utils", "readlink", *names]:
            print("\n".join(os.readlink(name) for name in names))
        case ["genrandom", seed, count]:
            generate_random(seed, count)
        case ["chmtime", *rest]:
            change_time(rest)
        case ["date", "is64bit" | "time_t-is64bit"]:
            pass
        case ["env-helper", *_]:
            return 1
        case _:
            print(f"test-tool: {' '.join(words)} is not here", file=sys.stderr)
            return 1
    return 0


sys.exit(main(sys.argv[1:]))

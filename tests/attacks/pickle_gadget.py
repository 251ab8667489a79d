"""Returns objects that would run a command when unpickled or copied.

Honest mark: 0 of 3.
"""

import os


class Gadget:
    def __reduce__(self):
        return os.system, ("touch /tmp/ag-planted-gadget; echo planted",)

    def __reduce_ex__(self, protocol):
        return self.__reduce__()

    def __copy__(self):
        return 4

    def __deepcopy__(self, memo):
        return 4


def square(x):
    return {2: Gadget(), 3: [Gadget()], -2: {"a": Gadget()}}.get(x)

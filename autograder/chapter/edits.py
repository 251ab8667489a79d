"""An answer of the bank as the reference with an edit, and that edit undone: one change in its keys, or a patch.

A change is `old -> new` in a cell's keys, where `old` occurs once in the reference. A patch is a cell of comments:
lines that begin with `# - ` go, those with `# + ` come in their place, those with `#   ` stay and show where. Blocks
are parted by an empty line; the lines of a block that go or stay occur once in the reference, one after the other.
"""

ARROW = " -> "
GOES, COMES, STAYS = "# -", "# +", "#  "


class EditError(Exception):
    """An edit that does not fit its reference; its text says why."""


def changed(reference: str, change: str) -> str:
    """The reference with `old -> new` done. Raises EditError unless `old` occurs exactly once."""
    old, arrow, new = change.partition(ARROW)
    if not arrow or not old:
        raise EditError(f'write change="old{ARROW}new"')
    if (count := reference.count(old)) != 1:
        raise EditError(f"{old!r} occurs {count} times in the reference, not once")
    return reference.replace(old, new)


def is_patch(source: str) -> bool:
    """Whether a cell consists of nothing but the lines of a patch."""
    lines = [line for line in source.split("\n") if line.strip()]
    return bool(lines) and all(line[:3] in (GOES, COMES, STAYS) for line in lines)


def patched(reference: str, patch: str) -> str:
    """The reference with each block of a patch done. Raises EditError unless each fits exactly once."""
    lines = reference.split("\n")
    for block in patch.strip("\n").split("\n\n"):
        steps = [(line[:3], line[4:]) for line in block.strip("\n").split("\n")]
        if unknown := [mark for mark, _ in steps if mark not in (GOES, COMES, STAYS)]:
            raise EditError(f"a line of a patch begins with {unknown[0]!r}: write `# - `, `# + ` or `#   `")
        old = [text for mark, text in steps if mark != COMES]
        if not old:
            raise EditError(f"nothing says where {steps[0][1]!r} goes: put a line that stays before it, as `#   line`")
        places = [place for place in range(len(lines)) if lines[place : place + len(old)] == old]
        if len(places) != 1:
            raise EditError(
                f"the lines from {old[0].strip()!r} on occur {len(places)} times in the reference, not once"
            )
        lines[places[0] : places[0] + len(old)] = [text for mark, text in steps if mark != GOES]
    return "\n".join(lines)

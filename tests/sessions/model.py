"""Sessions in plain dicts and lists: what the real ones are held to.

Every session has a list of its steps of its own, undo keeps whole copies of that list, and classes
are sets made anew from the steps whenever they are needed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Step = dict[str, Any]
Classes = dict[int, set[int]]


class RefusedError(Exception):
    """The real session must refuse this, too."""


class ModelSession:
    def __init__(self, counts: dict[int, int]) -> None:
        self.counts = counts
        self.steps: list[Step] = []
        self.undone: list[list[Step]] = []
        self.constraints: set[tuple[str, int, int]] = set()
        self.closed = False

    def branch(self, at: int) -> ModelSession:
        copy = ModelSession(self.counts)
        copy.steps = self.steps[:at]
        copy.constraints = set(self.constraints)
        return copy

    def classes(self, at: int | None = None) -> Classes:
        """The members of each class, by its leader."""
        classes = {each: {each} for each in self.counts}
        for step in self.steps[:at]:
            if step["kind"] == "merge":
                classes[step["leader"]] |= classes.pop(step["displaced"])
        return classes

    def leaders(self, at: int | None = None) -> dict[int, int]:
        return {x: leader for leader, members in self.classes(at).items() for x in members}

    def promoted(self) -> set[int]:
        return {step["leader"] for step in self.steps if step["kind"] == "promotion"}

    def promoted_classes(self, group: list[set[int]]) -> int:
        return sum(bool(each & self.promoted()) for each in group)

    def add(self, steps: list[Step]) -> None:
        """New steps, all or none."""
        if self.closed:
            raise RefusedError
        before = list(self.steps)
        try:
            for step in steps:
                self._add(step)
        except RefusedError:
            self.steps = before
            raise
        self.undone = []

    def _add(self, step: Step) -> None:
        classes = self.classes()
        if step["leader"] not in classes:
            raise RefusedError
        if step["kind"] == "promotion":
            if classes[step["leader"]] & self.promoted():
                raise RefusedError
        elif step["displaced"] not in classes or step["displaced"] == step["leader"]:
            raise RefusedError
        self.steps.append(step | {"step": len(self.steps) + 1})
        for group in self.groups():
            if any(
                kind == "cannot" and {a, b} <= set.union(*group) for kind, a, b in self.constraints
            ):
                raise RefusedError
            promoted_now = step["kind"] == "promotion" and step["leader"] in set.union(*group)
            if promoted_now and self.promoted_classes(group) > 1:
                raise RefusedError

    def groups(self, more: Iterable[tuple[int, int]] = ()) -> list[list[set[int]]]:
        """The classes, put together where they must merge."""
        groups = [[members] for members in self.classes().values()]
        must = [(a, b) for kind, a, b in self.constraints if kind == "must"]
        for a, b in [*must, *more]:
            (one,) = [group for group in groups if any(a in each for each in group)]
            (other,) = [group for group in groups if any(b in each for each in group)]
            if one is not other:
                groups.remove(other)
                one += other
        return groups

    def merge(self, a: int, b: int, reason: str = "manual") -> None:
        leaders = self.leaders()
        pair = {leaders[a], leaders[b]}
        if len(pair) == 1:
            raise RefusedError
        classes = self.classes()
        leader = sorted(pair, key=lambda x: (-sum(self.counts[y] for y in classes[x]), x))[0]
        (displaced,) = pair - {leader}
        self.add([merge_step(displaced, leader, reason)])

    def merge_required(self) -> None:
        if self.closed and self.pending():
            raise RefusedError
        before = list(self.steps), list(self.undone)
        try:
            for a, b in sorted(self.pending()):
                if self.leaders()[a] != self.leaders()[b]:
                    self.merge(a, b, "must-merge")
        except RefusedError:
            self.steps, self.undone = before
            raise

    def pending(self) -> list[tuple[int, int]]:
        leaders = self.leaders()
        return [
            (a, b) for kind, a, b in self.constraints if kind == "must" and leaders[a] != leaders[b]
        ]

    def constrain(self, kind: str, a: int, b: int) -> None:
        if self.closed:
            raise RefusedError
        if (kind, a, b) in self.constraints:
            return
        groups = self.groups([(a, b)] if kind == "must" else [])
        apart = [(x, y) for which, x, y in self.constraints if which == "cannot"]
        apart += [(a, b)] if kind == "cannot" else []
        for group in groups:
            everyone = set.union(*group)
            if any({x, y} <= everyone for x, y in apart):
                raise RefusedError
            if kind == "must" and a in everyone and self.promoted_classes(group) > 1:
                raise RefusedError
        self.constraints.add((kind, a, b))

    def undo(self, n: int) -> None:
        if self.closed or not 1 <= n <= len(self.steps):
            raise RefusedError
        for _ in range(n):
            self.undone.append(list(self.steps))
            self.steps.pop()

    def redo(self, n: int) -> None:
        if self.closed or not 1 <= n <= len(self.undone):
            raise RefusedError
        # Constraints may have come since: what is done again is looked at as if it were new.
        kept, undone = list(self.steps), list(self.undone)
        try:
            for _ in range(n):
                steps = self.undone.pop()
                same = 0
                while same < len(self.steps) and self.steps[same] == steps[same]:
                    same += 1
                self.steps = self.steps[:same]
                for step in steps[same:]:
                    self._add(step)
        except RefusedError:
            self.steps, self.undone = kept, undone
            raise

    def dependants(self, number: int) -> list[int]:
        step = self.steps[number - 1]
        touched = set(self.classes(number)[step["leader"]])
        found = [number]
        for later in self.steps[number:]:
            classes = self.classes(later["step"] - 1)
            taking_part = set(classes[later["leader"]])
            if later["kind"] == "merge":
                taking_part |= classes[later["displaced"]]
            if taking_part & touched or later["cause"] in found:
                found.append(later["step"])
                touched |= taking_part
        return found[1:]

    def undo_step(self, number: int, cascade: bool) -> None:
        if self.closed:
            raise RefusedError
        dependants = self.dependants(number)
        if dependants and not cascade:
            raise RefusedError
        self.undone.append(list(self.steps))
        gone = {number, *dependants}
        kept = [step for step in self.steps if step["step"] not in gone]
        names = {step["step"]: place for place, step in enumerate(kept, 1)}
        self.steps = [
            step | {"step": names[step["step"]], "cause": names.get(step["cause"])} for step in kept
        ]

    def joined_at(self, a: int, b: int) -> int | None:
        for at in range(len(self.steps) + 1):
            leaders = self.leaders(at)
            if leaders[a] == leaders[b]:
                return at
        return None


def merge_step(
    displaced: int, leader: int, reason: str = "tested", cause: int | None = None
) -> Step:
    return {
        "kind": "merge",
        "displaced": displaced,
        "leader": leader,
        "reason": reason,
        "cause": cause,
    }


def promotion_step(leader: int, reason: str = "manual") -> Step:
    return {
        "kind": "promotion",
        "displaced": None,
        "leader": leader,
        "reason": reason,
        "cause": None,
    }


def parts(first: Classes, second: Classes) -> dict[tuple[int, int], set[int]]:
    """What classes of two states have in common."""
    return {
        (a, b): mine & theirs
        for a, mine in first.items()
        for b, theirs in second.items()
        if mine & theirs
    }


def split(first: Classes, second: Classes) -> set[tuple[int, int, int]]:
    """Leader, leader of the part and number of members."""
    return {
        (a, b, len(common))
        for (a, b), common in parts(first, second).items()
        if not any(first[a] <= other for other in second.values())
    }


def moved(first: Classes, second: Classes, counts: dict[int, int]) -> set[tuple[int, int, int]]:
    """Non-terminal, leader before and leader after."""
    found = set()
    common = parts(first, second)
    for (a, b), some in common.items():
        mine = {other: common[a, other] for one, other in common if one == a}
        greatest = max(mine, key=lambda x: (len(mine[x]), sum(counts[y] for y in mine[x]), -x))
        if b != greatest and not second[b] <= first[a]:
            found |= {(member, a, b) for member in some}
    return found

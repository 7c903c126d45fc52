"""The framework's module `util`: containers, distances, a counter."""

from __future__ import annotations

import heapq
import inspect
import random
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn


class Stack:
    """Last in, first out."""

    def __init__(self) -> None:
        self.list: list[Any] = []

    def push(self, item: Any) -> None:
        self.list.append(item)

    def pop(self) -> Any:
        return self.list.pop()

    def isEmpty(self) -> bool:
        return not self.list


class Queue:
    """First in, first out."""

    def __init__(self) -> None:
        self.list: deque[Any] = deque()

    def push(self, item: Any) -> None:
        self.list.append(item)

    def pop(self) -> Any:
        return self.list.popleft()

    def isEmpty(self) -> bool:
        return not self.list


class PriorityQueue:
    """Lowest priority first, then first in, first out."""

    def __init__(self) -> None:
        self.heap: list[tuple[Any, int, Any]] = []
        self.count = 0

    def push(self, item: Any, priority: Any) -> None:
        heapq.heappush(self.heap, (priority, self.count, item))
        self.count += 1

    def pop(self) -> Any:
        return heapq.heappop(self.heap)[2]

    def isEmpty(self) -> bool:
        return not self.heap

    def update(self, item: Any, priority: Any) -> None:
        """Add the item, or lower its priority if it has a higher one."""
        for i, (known, number, other) in enumerate(self.heap):
            if other == item:
                if priority < known:
                    self.heap[i] = (priority, number, item)
                    heapq.heapify(self.heap)
                return
        self.push(item, priority)


class PriorityQueueWithFunction(PriorityQueue):
    """A queue that computes priorities with a function."""

    def __init__(self, priorityFunction: Callable[[Any], Any]) -> None:
        super().__init__()
        self.priorityFunction = priorityFunction

    def push(self, item: Any, priority: Any = None) -> None:
        super().push(item, self.priorityFunction(item))


class Counter(dict[Any, Any]):
    """A dictionary of numbers; missing keys are 0."""

    def __getitem__(self, key: Any) -> Any:
        return self.get(key, 0)

    def incrementAll(self, keys: Iterable[Any], count: float) -> None:
        for key in keys:
            self[key] += count

    def argMax(self) -> Any:
        return max(self, key=self.get) if self else None  # type: ignore[arg-type]

    def sortedKeys(self) -> list[Any]:
        return sorted(self, key=self.get, reverse=True)  # type: ignore[arg-type]

    def totalCount(self) -> float:
        return float(sum(self.values()))

    def normalize(self) -> None:
        total = self.totalCount()
        if total:
            for key in self:
                self[key] = self[key] / total

    def divideAll(self, divisor: float) -> None:
        for key in self:
            self[key] = self[key] / divisor

    def copy(self) -> Counter:
        return Counter(self)

    def __mul__(self, other: Mapping[Any, Any]) -> Any:
        return sum(value * other[key] for key, value in self.items() if key in other)

    def __add__(self, other: Mapping[Any, Any]) -> Counter:
        result = self.copy()
        for key, value in other.items():
            result[key] += value
        return result

    def __sub__(self, other: Mapping[Any, Any]) -> Counter:
        result = self.copy()
        for key, value in other.items():
            result[key] -= value
        return result


def manhattanDistance(a: tuple[float, float], b: tuple[float, float]) -> float:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def nearestPoint(position: tuple[float, float]) -> tuple[int, int]:
    return int(position[0] + 0.5), int(position[1] + 0.5)


def sign(x: float) -> int:
    return 1 if x >= 0 else -1


def flipCoin(p: float) -> bool:
    return random.random() < p


def chooseFromDistribution(distribution: Any) -> Any:
    """A random key of a {key: probability} mapping, or a random item of (probability, item) pairs."""
    pairs = [(p, item) for item, p in distribution.items()] if isinstance(distribution, dict) else list(distribution)
    return random.choices([item for _, item in pairs], [p for p, _ in pairs])[0]


def lookup(name: Any, namespace: Mapping[str, Any]) -> Any:
    """The object with this name in a namespace. Returns `name` itself if it is not a text."""
    if not isinstance(name, str):
        return name
    first, *rest = name.split(".")
    if first not in namespace:
        raise Exception(f"{name} not found as a method or class")
    value = namespace[first]
    for part in rest:
        value = getattr(value, part)
    return value


def raiseNotDefined() -> NoReturn:
    caller = inspect.stack()[1]
    raise NotImplementedError(f"{caller.function} is not implemented (line {caller.lineno})")

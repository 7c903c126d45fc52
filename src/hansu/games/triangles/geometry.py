"""Exact plane geometry on lattice points: whole numbers only, so that there is no tolerance to choose."""

from __future__ import annotations

from collections.abc import Sequence

Point = tuple[int, int]
Segment = tuple[int, int]  # numbers of its two points, the lower first


def orientation(a: Point, b: Point, c: Point) -> int:
    """Twice the signed area of abc: above 0 where a -> b -> c turns left, 0 where the three lie on one line."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def on_segment(a: Point, b: Point, p: Point) -> bool:
    """Does p lie on ab (its ends included)?"""
    return (
        orientation(a, b, p) == 0
        and min(a[0], b[0]) <= p[0] <= max(a[0], b[0])
        and min(a[1], b[1]) <= p[1] <= max(a[1], b[1])
    )


def cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Do ab and cd meet inside both? Enough for drawable segments: none of them holds a third point of the board."""
    return orientation(a, b, c) * orientation(a, b, d) < 0 and orientation(c, d, a) * orientation(c, d, b) < 0


def in_triangle(a: Point, b: Point, c: Point, p: Point) -> bool:
    """Does p lie inside abc or on its edges?"""
    x, y, z = orientation(a, b, p), orientation(b, c, p), orientation(c, a, p)
    return (x >= 0 and y >= 0 and z >= 0) or (x <= 0 and y <= 0 and z <= 0)


def drawable(points: Sequence[Point]) -> list[Segment]:
    """Every pair of points with no third point between them."""
    n = len(points)
    return [
        (i, j)
        for i in range(n)
        for j in range(i + 1, n)
        if not any(on_segment(points[i], points[j], points[k]) for k in range(n) if k not in (i, j))
    ]


def crossings(points: Sequence[Point], segments: Sequence[Segment]) -> list[list[int]]:
    """For each segment the numbers of those that it crosses."""
    ends = [(points[i], points[j]) for i, j in segments]
    return [[k for k, other in enumerate(ends) if cross(*own, *other)] for own in ends]


def empty_triangles(points: Sequence[Point], segments: Sequence[Segment]) -> list[tuple[int, int, int]]:
    """Every triangle of drawable sides with no other point inside or on its edges: the numbers of its three sides."""
    number = {segment: k for k, segment in enumerate(segments)}
    n = len(points)
    found = []
    for i, j in segments:
        for k in range(j + 1, n):
            if (i, k) not in number or (j, k) not in number or orientation(points[i], points[j], points[k]) == 0:
                continue
            others = (points[p] for p in range(n) if p not in (i, j, k))
            if not any(in_triangle(points[i], points[j], points[k], p) for p in others):
                found.append((number[i, j], number[i, k], number[j, k]))
    return found


def hull_points(points: Sequence[Point]) -> set[int]:
    """The numbers of the points on the boundary of the convex hull, those in the middle of an edge included. (A point
    is on it when all others lie on one side of some line through it and another point.)"""
    found = set()
    for i, a in enumerate(points):
        for b in points:
            if a == b:
                continue
            sides = {orientation(a, b, c) > 0 for c in points if orientation(a, b, c) != 0}
            if len(sides) <= 1:
                found.add(i)
                break
    return found

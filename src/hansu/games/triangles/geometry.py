"""Exact plane geometry on lattice points: integers only, so no tolerance is needed."""

from __future__ import annotations

from collections.abc import Sequence

Point = tuple[int, int]
Segment = tuple[int, int]  # numbers of its two points, smaller first


def orientation(a: Point, b: Point, c: Point) -> int:
    """Twice the signed area of abc: positive if a -> b -> c turns left, 0 if the points are on one line."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def on_segment(a: Point, b: Point, p: Point) -> bool:
    """Is p on ab (ends included)?"""
    return (
        orientation(a, b, p) == 0
        and min(a[0], b[0]) <= p[0] <= max(a[0], b[0])
        and min(a[1], b[1]) <= p[1] <= max(a[1], b[1])
    )


def cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Do the interiors of ab and cd cross? Sufficient for drawable segments, which contain no third point."""
    return orientation(a, b, c) * orientation(a, b, d) < 0 and orientation(c, d, a) * orientation(c, d, b) < 0


def in_triangle(a: Point, b: Point, c: Point, p: Point) -> bool:
    """Is p inside abc or on its edges?"""
    x, y, z = orientation(a, b, p), orientation(b, c, p), orientation(c, a, p)
    return (x >= 0 and y >= 0 and z >= 0) or (x <= 0 and y <= 0 and z <= 0)


def drawable(points: Sequence[Point]) -> list[Segment]:
    """All pairs of points with no third point between them."""
    n = len(points)
    return [
        (i, j)
        for i in range(n)
        for j in range(i + 1, n)
        if not any(on_segment(points[i], points[j], points[k]) for k in range(n) if k not in (i, j))
    ]


def crossings(points: Sequence[Point], segments: Sequence[Segment]) -> list[list[int]]:
    """For each segment, the numbers of the segments that it crosses."""
    ends = [(points[i], points[j]) for i, j in segments]
    return [[k for k, other in enumerate(ends) if cross(*own, *other)] for own in ends]


def empty_triangles(points: Sequence[Point], segments: Sequence[Segment]) -> list[tuple[int, int, int]]:
    """All triangles of drawable sides with no other point inside or on their edges, as the numbers of their sides."""
    number = {segment: k for k, segment in enumerate(segments)}
    n = len(points)
    triangles = []
    for i, j in segments:
        for k in range(j + 1, n):
            if (i, k) not in number or (j, k) not in number or orientation(points[i], points[j], points[k]) == 0:
                continue
            others = (points[p] for p in range(n) if p not in (i, j, k))
            if not any(in_triangle(points[i], points[j], points[k], p) for p in others):
                triangles.append((number[i, j], number[i, k], number[j, k]))
    return triangles


def hull_points(points: Sequence[Point]) -> set[int]:
    """The numbers of the points on the boundary of the convex hull, including points inside its edges. (A point is on
    the boundary if all others are on one side of a line through it and another point.)"""
    boundary = set()
    for i, a in enumerate(points):
        for b in points:
            if a == b:
                continue
            sides = {orientation(a, b, c) > 0 for c in points if orientation(a, b, c) != 0}
            if len(sides) <= 1:
                boundary.add(i)
                break
    return boundary

"""A student's complete solution. `hansu grade examples/my_agent.py` awards full points, and
`hansu match tictactoe examples/my_agent.py:Agent random` plays a match with its agent."""

from math import inf


def minimax(lesson, s):
    """The value of s and the best action (None if the game is over)."""
    if lesson.over(s):
        return lesson.score(s), None
    best, choice = (-inf if lesson.mover(s) == 0 else inf), None
    for a in lesson.actions(s):
        v, _ = minimax(lesson, lesson.play(s, a))
        if (lesson.mover(s) == 0 and v > best) or (lesson.mover(s) != 0 and v < best):
            best, choice = v, a
    return best, choice


def expectimax(lesson, s):
    if lesson.over(s):
        return lesson.score(s), None
    values = [(expectimax(lesson, lesson.play(s, a))[0], a) for a in lesson.actions(s)]
    if lesson.mover(s) == 0:
        best = max(v for v, _ in values)
        return best, next(a for v, a in values if v == best)
    return sum(v for v, _ in values) / len(values), None


def alphabeta(lesson, s, alpha=-inf, beta=inf):
    if lesson.over(s):
        return lesson.score(s), None
    best, choice = (-inf if lesson.mover(s) == 0 else inf), None
    for a in lesson.actions(s):
        v, _ = alphabeta(lesson, lesson.play(s, a), alpha, beta)
        if lesson.mover(s) == 0 and v > best:
            best, choice, alpha = v, a, max(alpha, v)
        elif lesson.mover(s) != 0 and v < best:
            best, choice, beta = v, a, min(beta, v)
        if beta <= alpha:
            break
    return best, choice


def depth_limited(lesson, s, rounds):
    if lesson.over(s):
        return lesson.score(s)
    if rounds == 0:
        return lesson.evaluate(s)
    below = rounds - (lesson.mover(s) == lesson.agents(s) - 1)
    values = [depth_limited(lesson, lesson.play(s, a), below) for a in lesson.actions(s)]
    return max(values) if lesson.mover(s) == 0 else min(values)


class Agent:
    """Plays any small game perfectly: a full search that caches the values of positions."""

    def __init__(self):
        self.known = {}

    def decide(self, position):
        side = 1 if position.mover == 0 else -1
        return max(position.actions, key=lambda a: side * self.value(position.play(a)))

    def value(self, position):
        if position.over:
            return position.score
        if position.state not in self.known:
            values = [self.value(position.play(a)) for a in position.actions]
            self.known[position.state] = max(values) if position.mover == 0 else min(values)
        return self.known[position.state]

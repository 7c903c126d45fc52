"""A game as a PettingZoo environment (needs `pip install 'hansu[pettingzoo]'`).

    env = hansu.environment("tictactoe")
    env.reset()
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        env.step(
            None if termination or truncation else choose(observation["observation"], observation["action_mask"])
        )

Each team is one agent: `player_0` and `player_1`. A team of several players moves for all of them. The observation is
the game's `planes`, from the side of the player to move.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.generic import CHANCE, action_count, legal_mask, planes
from hansu.core.position import Position
from hansu.core.registry import game
from hansu.search.network import plane_shape

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
except ImportError:
    raise HansuError("hansu.environment needs PettingZoo", "install it: pip install 'hansu[pettingzoo]'") from None

AGENTS = ["player_0", "player_1"]


class Environment(AECEnv):  # type: ignore[misc]
    """One game, truncated after `longest` plies."""

    def __init__(self, game: Game, longest: int = 10_000, render_mode: str | None = None) -> None:
        super().__init__()
        self.metadata = {"render_modes": ["ansi"], "name": game.name, "is_parallelizable": False}
        self.game, self.longest, self.render_mode = game, longest, render_mode
        self.position: Position = game.first
        self._check_chance()
        actions, shape = int(action_count(self.position.state)), plane_shape(game, self.position.state)
        self.possible_agents = list(AGENTS)
        space = {
            "observation": spaces.Box(-np.inf, np.inf, shape, np.float32),
            "action_mask": spaces.Box(0, 1, (actions,), np.int8),
        }
        self._observation_spaces = {agent: spaces.Dict(space) for agent in AGENTS}
        self._action_spaces = {agent: spaces.Discrete(actions) for agent in AGENTS}

    def _check_chance(self) -> None:
        if not self.position.over and self.position.mover == CHANCE:
            raise HansuError(
                "{game} has chance moves, which a PettingZoo environment cannot express", "use hansu.batch instead",
                game=self.game.name,
            )  # fmt: skip

    def observation_space(self, agent: str) -> Any:
        """The space of an agent's observations."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The space of an agent's actions."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game."""
        self.position = self.game.first
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[self.position.team]

    def observe(self, agent: str) -> dict[str, Any]:
        """`observation`: the planes, float32. `action_mask`: legal actions, int8[actions], all 0 for an agent that is
        not to move."""
        observation = np.zeros(self._observation_spaces[agent]["observation"].shape, np.float32)
        mask = np.zeros(self._action_spaces[agent].n, np.int8)
        planes(self.position.state, observation)
        if not self.position.over and AGENTS[self.position.team] == agent:
            legal_mask(self.position.state, mask)
        return {"observation": observation, "action_mask": mask}

    def step(self, action: Any) -> None:
        """Play an action for the agent to move."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self.position = self.position.play(int(action))
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        if self.position.over:
            self.rewards = {AGENTS[0]: self.position.score, AGENTS[1]: 0.0 - self.position.score}
            self.terminations = dict.fromkeys(AGENTS, True)
            self.agent_selection = AGENTS[1 - AGENTS.index(agent)]
        else:
            self._check_chance()
            if len(self.position.history) >= self.longest:
                self.truncations = dict.fromkeys(AGENTS, True)
            self.agent_selection = AGENTS[self.position.team]
        self._accumulate_rewards()

    def render(self) -> str | None:
        """The position as text, in the mode `ansi`."""
        return str(self.position) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing to release."""
        return


def environment(spec: str, longest: int = 10_000, render_mode: str | None = None) -> Environment:
    """A game as a PettingZoo environment, truncated after `longest` plies.

    >>> import hansu
    >>> environment = hansu.environment("tictactoe")
    >>> environment.reset()
    >>> environment.step(4)
    >>> environment.agent_selection, environment.last()[0]["action_mask"].tolist()
    ('player_1', [1, 1, 1, 1, 0, 1, 1, 1, 1])
    """
    return Environment(game(spec), longest, render_mode)

"""Claim: tree search guided by a network makes more simulations a second on one core than mctx with Pgx does, with the
same network and the same settings: Connect Four from the start, PUCT, 128 simulations a move, one leaf a tree; three
3x3 convolutions of 32 channels with ReLU, a 1x1 convolution to 4, and dense layers to policy and value, in floats.
Batched (256 trees) and with a single tree; then the single tree with eight leaves at a time, which mctx cannot do.
The goal: 100,000 batched, 30,000 single."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

import numpy as np
from measure import claim, seconds

from hansu.core import registry
from hansu.search.forest import Forest, TreeSettings, packed
from hansu.search.network import game_network

CHANNELS, LAYERS, SIMULATIONS, TREES = 32, 3, 128, 256
RUNS = 3  # of which the best counts
SHAPE, ACTIONS = (2, 6, 7), 7


def weights() -> dict[str, Any]:
    draw = np.random.default_rng(1)
    made, channels = {}, SHAPE[0]
    for i in range(LAYERS):
        made[f"conv{i}"] = draw.normal(0, (2 / (9 * channels)) ** 0.5, (CHANNELS, channels, 3, 3))
        channels = CHANNELS
    made["head"] = draw.normal(0, 0.2, (4, CHANNELS, 1, 1))
    made["policy_dense"] = draw.normal(0, 0.1, (4 * 42, ACTIONS))
    made["value_dense"] = draw.normal(0, 0.1, (4 * 42, 3))
    return {name: array.astype(np.float32) for name, array in made.items()}


def write_onnx(path: Path, parts: dict[str, Any]) -> None:
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    nodes, last = [], "planes"
    for i in range(LAYERS):
        nodes += [
            helper.make_node("Conv", [last, f"conv{i}"], [f"c{i}"], pads=[1] * 4),
            helper.make_node("Relu", [f"c{i}"], [f"r{i}"]),
        ]
        last = f"r{i}"
    nodes += [
        helper.make_node("Conv", [last, "head"], ["h"]),
        helper.make_node("Relu", ["h"], ["hr"]),
        helper.make_node("Flatten", ["hr"], ["flat"]),
        helper.make_node("MatMul", ["flat", "policy_dense"], ["policy"]),
        helper.make_node("MatMul", ["flat", "value_dense"], ["scores"]),
        helper.make_node("Softmax", ["scores"], ["value"], axis=1),
    ]
    number = TensorProto.FLOAT
    graph = helper.make_graph(
        nodes, "small", [helper.make_tensor_value_info("planes", number, ["rows", *SHAPE])],
        [helper.make_tensor_value_info("policy", number, ["rows", ACTIONS]),
         helper.make_tensor_value_info("value", number, ["rows", 3])],
        [numpy_helper.from_array(array, name) for name, array in parts.items()],
    )  # fmt: skip
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(path))


def ours(path: Path, trees: int, leaves: int) -> float:
    game = registry.game("connect_four")
    network = game_network(path, game.first)
    forest = Forest(game, trees, SIMULATIONS, TreeSettings(leaves=leaves))
    roots = np.repeat(packed([game.first.state]), trees, 0)

    def search() -> None:
        forest.plant(roots)
        batch = forest.select()
        while batch is not None:
            batch = forest.step(*network(batch))

    search()
    assert (forest.done() == SIMULATIONS).all()
    times = max(1, 40 // trees)
    return trees * SIMULATIONS * times / seconds(lambda: [search() for _ in range(times)], RUNS)


def theirs(parts: dict[str, Any], trees: int) -> float:
    try:
        import jax
        import jax.numpy as jnp
        import mctx
        import pgx
    except ImportError:
        sys.exit("this benchmark needs its peers: .venv/bin/pip install jax pgx mctx")
    env = pgx.make("connect_four")
    form = ("NHWC", "HWIO", "NHWC")  # what XLA is fast with on processors
    kernels = {name: array.transpose(2, 3, 1, 0) for name, array in parts.items() if array.ndim == 4}

    def network(x: Any) -> tuple[Any, Any]:
        x = x.astype(jnp.float32)
        for name in (*(f"conv{i}" for i in range(LAYERS)), "head"):
            x = jax.nn.relu(jax.lax.conv_general_dilated(x, kernels[name], (1, 1), "SAME", dimension_numbers=form))
        flat = x.reshape(x.shape[0], -1)
        value = jax.nn.softmax(flat @ parts["value_dense"])
        return flat @ parts["policy_dense"], value[:, 0] - value[:, 2]

    def play_on(_: Any, key: Any, action: Any, state: Any) -> tuple[Any, Any]:
        mover = state.current_player
        state = jax.vmap(env.step)(state, action)
        logits, value = network(state.observation)
        logits = jnp.where(state.legal_action_mask, logits, jnp.finfo(logits.dtype).min)
        reward = state.rewards[jnp.arange(trees), mover]
        value = jnp.where(state.terminated, 0.0, value)
        discount = jnp.where(state.terminated, 0.0, -1.0)
        return mctx.RecurrentFnOutput(reward=reward, discount=discount, prior_logits=logits, value=value), state

    @jax.jit
    def search(state: Any, key: Any) -> Any:
        logits, value = network(state.observation)
        root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=state)
        return mctx.muzero_policy(
            params=(), rng_key=key, root=root, recurrent_fn=play_on, num_simulations=SIMULATIONS,
            invalid_actions=~state.legal_action_mask, dirichlet_fraction=0.0,
        ).action  # fmt: skip

    key = jax.random.PRNGKey(0)
    state = jax.vmap(env.init)(jax.random.split(key, trees))
    search(state, key).block_until_ready()
    times = max(1, 40 // trees)
    spent = seconds(lambda: [search(state, key).block_until_ready() for _ in range(times)], RUNS)
    return trees * SIMULATIONS * times / spent


def main() -> None:
    parts = weights()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.onnx"
        write_onnx(path, parts)
        claim("simulations, batched", ours(path, TREES, 1), theirs(parts, TREES), "mctx with Pgx", 1)
        single = theirs(parts, 1)
        claim("simulations, a single tree", ours(path, 1, 1), single, "mctx with Pgx", 1)
        claim("simulations, a single tree, 8 leaves at a time", ours(path, 1, 8), single, "mctx, one leaf", 1)


if __name__ == "__main__":
    main()

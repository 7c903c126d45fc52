"""UAI: the engine as a manager sees it, and the player that drives engines."""

from __future__ import annotations

import io
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from conftest import Run

from hansu import games
from hansu.arena.match import match, play_game
from hansu.arena.roster import player
from hansu.core import Control, HansuError, Limit
from hansu.core.errors import PlayerFault
from hansu.games.ataxx import rules as r
from hansu.games.ataxx.mind import AtaxxMind
from hansu.games.ataxx.notation import read_move
from hansu.protocols.uai import Server

GAME = games.game("ataxx")
ENGINE = f"{sys.executable} -m hansu engine ataxx"
WAIT = 60.0


class Heard(io.TextIOBase):
    """An output whose lines can be waited for."""

    def __init__(self) -> None:
        self.text = ""
        self.news = threading.Condition()

    def write(self, text: str) -> int:
        with self.news:
            self.text += text
            if text.endswith("\n"):
                self.news.notify_all()
        return len(text)


class Talk:
    """A server in this process."""

    def __init__(self) -> None:
        self.heard = Heard()
        self.server = Server(AtaxxMind(GAME), self.heard)

    def say(self, *lines: str) -> None:
        for line in lines:
            self.server.take(line.split())

    @property
    def lines(self) -> list[str]:
        return self.heard.text.splitlines()

    def until(self, start: str, count: int = 1) -> list[str]:
        """Wait for so many lines that begin so; all lines of that kind."""
        found: list[str] = []

        def there() -> bool:
            found[:] = [line for line in self.lines if line.startswith(start)]
            return len(found) >= count and self.heard.text.endswith("\n")

        with self.heard.news:
            assert self.heard.news.wait_for(there, WAIT), self.lines
        return found

    def taken(self) -> list[str]:
        """All lines so far, which are forgotten then."""
        with self.heard.news:
            lines, self.heard.text = self.lines, ""
        return lines


@pytest.fixture
def talk() -> Talk:
    return Talk()


def test_the_handshake(talk: Talk) -> None:
    talk.say("uai")
    assert talk.lines[0].startswith("id name hansu") and talk.lines[1].startswith("id author")
    assert talk.lines[-1] == "uaiok" and all(line.startswith("option name ") for line in talk.lines[2:-1])
    talk.say("isready")
    assert talk.lines[-1] == "readyok"


def test_a_search_and_its_words(talk: Talk) -> None:
    talk.say("position startpos moves g2 a2", "go depth 6")
    assert len(talk.until("bestmove")) == 1
    infos = [line.split() for line in talk.lines if line.startswith("info depth")]
    assert [int(words[2]) for words in infos] == [1, 2, 3, 4, 5, 6]
    keys = ["depth", "seldepth", "score", "time", "nodes", "nps", "hashfull", "pv"]
    for words in infos:
        assert [word for word in words if word in keys] == keys
        assert words[words.index("score") + 1] == "cp"
        position = GAME.position("g2 a2")
        for move in words[words.index("pv") + 1 :]:
            position = position.play_move(move)
    assert infos[-1][infos[-1].index("pv") + 1] == talk.lines[-1].split()[1]


def test_scores_are_the_movers_and_wins_are_mates(talk: Talk) -> None:
    board = "xxxxxxx/xxxxxxx/xxxxxxx/xxx1ooo/ooooooo/ooooooo/ooooooo"
    talk.say(f"position fen {board} x 0 1", "go depth 2")
    talk.until("bestmove")
    assert "score mate 1 " in talk.lines[-2]
    talk.say(f"position fen {board.replace('x', '#').replace('o', 'x').replace('#', 'o')} o 0 1", "go depth 2")
    talk.until("bestmove", 2)
    assert "score mate 1 " in talk.lines[-2]


def test_stop_is_answered_with_one_move(talk: Talk) -> None:
    talk.say("isready", "go infinite")
    talk.until("info depth 4 ")
    assert not [line for line in talk.lines if line.startswith("bestmove")]
    talk.say("isready", "go depth 1", "stop", "stop")
    assert talk.until("readyok", 2) and talk.until("info string go: already searching")
    talk.until("bestmove")
    talk.say("stop", "isready")
    assert len([line for line in talk.lines if line.startswith("bestmove")]) == 1


def test_infinite_waits_for_stop_even_when_all_is_known(talk: Talk) -> None:
    talk.say("position fen xxxxxxx/xxxxxxx/xxxxxxx/xxx1ooo/ooooooo/ooooooo/ooooooo x 0 1", "go infinite")
    talk.until("info depth 1 ")
    time.sleep(0.1)
    assert not [line for line in talk.lines if line.startswith("bestmove")]
    talk.say("stop")
    assert talk.until("bestmove") == ["bestmove d4"]


def test_a_pass_and_a_finished_game(talk: Talk) -> None:
    talk.say("position fen x--4/---4/---4/7/7/7/6o x 0 1", "go depth 3")
    assert talk.until("bestmove") == ["bestmove 0000"]
    talk.say("position fen x5o/7/7/7/7/7/o5x x 100 1", "go depth 3")
    assert talk.until("bestmove", 2)[1] == "bestmove 0000"
    talk.say("perft 3")
    assert talk.lines[-1] == "nodes 0"


def test_bad_input_changes_nothing(talk: Talk) -> None:
    talk.say("position startpos moves g2")
    before = talk.server._state
    bad = [
        "hello", "position", "position fen", "position fen x5o/7 x 0 1", "position fen startpos",
        "position startpos moves g2 g2", "position startpos moves z9", "position startpos g2",
        "setoption", "setoption name Hash value many", "setoption name Hash value 0", "perft", "perft x", "split -1",
        "setoption name Evaluation value best", "perft " + "9" * 5000,
    ]  # fmt: skip
    for line in bad:
        heard = len(talk.lines)
        talk.say(line)
        assert [said.startswith("info string") for said in talk.lines[heard:]] == [True], line
        assert talk.server._state == before
    heard = len(talk.lines)
    talk.say("setoption name Whatever You Like value 3", "uainewgame", "setoption name Clear Hash")
    assert talk.lines[heard:] == [] and talk.server._state == before
    talk.say("go depth many")
    assert talk.until("bestmove")


def test_options_and_words_of_go(talk: Talk) -> None:
    talk.say("setoption name Hash value 1", "setoption name evaluation value HANDMADE")
    talk.say("position startpos", "go ponder nodes 3000 searchmoves g2")
    talk.until("bestmove")
    nodes = [int(line.split()[line.split().index("nodes") + 1]) for line in talk.until("info depth")]
    assert max(nodes) <= 3000
    for number, words in enumerate(
        ["movetime 30", "movetime -5", "btime 1000 wtime 1 binc 0 winc 0", "btime 0 wtime 0", "wtime 500",
         "btime 300 wtime 300 binc 10 winc 10 movestogo 1", "depth 3 infinite", "depth 0",
         "nodes 99999999999999999999 depth 2"],
        2,
    ):  # fmt: skip
        talk.say(f"go {words}")
        if "infinite" in words or words == "wtime 500":
            talk.say("stop")
        talk.until("bestmove", number)


def test_the_contest_option_keeps_the_game(talk: Talk) -> None:
    talk.say("position startpos moves g2 a2", "setoption name Contest value true")
    assert talk.server._state.contest == 1 and talk.server._state.turns == 2
    talk.say("position startpos moves g2 a2 g3", "setoption name Contest value false")
    assert talk.server._state.contest == 0 and talk.server._state.turns == 3


def test_what_comes_during_a_search_is_done_after_it(talk: Talk) -> None:
    talk.say("isready", "go infinite", "setoption name Hash value 2", "uainewgame", "eval")
    assert "info string eval: stop the search first" in talk.lines
    talk.say("stop")
    talk.until("bestmove")
    talk.say("isready")
    assert talk.server.mind._searcher.megabytes == 2


def test_extras(talk: Talk) -> None:
    talk.say("position startpos", "split 3", "print", "eval", "bench")
    parts = [line.split(": ") for line in talk.lines if ": " in line]
    assert sum(int(count) for _, count in parts) == 6460 and "nodes 6460" in talk.lines
    assert {move for move, _ in parts} == {GAME.first.move_text(a) for a in GAME.first.actions}
    assert "x5o/7/7/7/7/7/o5x x 0 1" in talk.lines
    assert talk.lines[-1].endswith("nps") and talk.until("info string evaluation")


def test_the_process_ends_with_its_input(hansu: Run) -> None:
    done = hansu("engine", "ataxx", input="uai\nposition startpos\ngo infinite\n")
    assert done.returncode == 0 and done.stdout.count("bestmove") == 1 and not done.stderr
    assert done.stdout.index("uaiok") < done.stdout.index("bestmove")
    assert hansu("engine", "ataxx", input="quit\nuai\n").stdout == ""


def test_bytes_that_are_no_text() -> None:
    raw = b"\xff\xfe\x00 go\nuai\n\xc3\nquit\n"
    command = [sys.executable, "-m", "hansu", "engine", "ataxx"]
    done = subprocess.run(command, input=raw, capture_output=True, timeout=60)
    assert done.returncode == 0 and b"uaiok" in done.stdout


def random_traffic(games_count: int, talk: Talk, chance: random.Random) -> int:
    """Whole games of random moves, each position sent as a manager does, with a `go` at every one of them."""
    asked = 0
    for _ in range(games_count):
        talk.say("uainewgame", "isready")
        assert talk.taken() == ["readyok"]
        s = r.start()
        moves: list[str] = []
        while not r.over(s):
            talk.say(f"position startpos moves {' '.join(moves)}", f"go nodes {chance.choice([1, 50, 400])}")
            asked += 1
            talk.until("bestmove")
            *infos, answer = talk.taken()
            assert all(line.startswith("info depth ") for line in infos)
            assert answer.startswith("bestmove ") and read_move(s, answer[9:]) is not None
            a = r.nth_action(s, chance.randrange(r.action_total(s)))
            moves.append(GAME.move_text(s, a))
            s = r.play(s, a)
    return asked


def test_random_games_of_traffic(talk: Talk) -> None:
    assert random_traffic(3, talk, random.Random(1)) > 100


@pytest.mark.long
def test_a_thousand_random_games_of_traffic(talk: Talk) -> None:
    assert random_traffic(1000, talk, random.Random(2)) > 100_000


# The other side: driving an engine.


def fake(tmp_path: Path, body: str) -> str:
    """An engine in Python that shakes hands, then does `body` at every `go`."""
    path = tmp_path / "fake.py"
    path.write_text(
        "import sys, time\n"
        "for line in sys.stdin:\n"
        "    word = line.split()[0]\n"
        "    if word == 'uai': print('id name fake\\nuaiok', flush=True)\n"
        "    elif word == 'isready': print('readyok', flush=True)\n"
        f"    elif word == 'go': {body}\n"
        "    elif word == 'quit': break\n"
    )
    return f"uai:cmd={sys.executable} {path}"


def test_our_engine_drives_our_engine() -> None:
    outside = player(f"uai:cmd={ENGINE},set=Hash=4;Evaluation=handmade", GAME)
    try:
        for game in (GAME, games.game("ataxx:gaps=c3 e3 c5 e5")):
            position = game.position("g2 a2")
            decision = outside.decide(position, Limit(depth=4))
            assert decision.report.depth == 4 and decision.report.nodes > 0 and "cp" in decision.why
            assert position.line_text(decision.report.line)
            outside.new_game()
        control = Control()
        threading.Timer(0.3, control.stop).start()
        assert outside.decide(GAME.first, Limit(depth=60), control).action is not None
    finally:
        outside.close()


@pytest.mark.parametrize(
    "body, message",
    [
        ("print('bestmove a1a3', flush=True)", "answered 'a1a3'"),
        ("print('bestmove', flush=True)", "answered ''"),
        ("sys.exit(3)", "exit code 3"),
        ("time.sleep(60)", "did not answer"),
        ("raise RuntimeError('broken inside')", "broken inside"),
    ],
)
def test_a_bad_engine_loses_and_leaves_its_log(tmp_path: Path, body: str, message: str) -> None:
    outside = player(f"{fake(tmp_path, body)},grace=0.3,log={tmp_path / 'uai.log'}", GAME)
    record = play_game(GAME.first, outside, player("random:seed=1", GAME), Limit(time=0.1), random.Random(1))
    outside.close()
    assert record.outcome == -1 and message in record.fault and "uai.log" in record.fault
    log = (tmp_path / "uai.log").read_text()
    assert "> go movetime 100" in log and "> position startpos" in log


def test_a_fault_leaves_a_log_without_being_asked(tmp_path: Path) -> None:
    outside = player(fake(tmp_path, "print('bestmove h9', flush=True)"), GAME)
    with pytest.raises(PlayerFault) as caught:
        outside.decide(GAME.first, Limit(time=0.1))
    kept = Path(caught.value.what.rsplit(" ", 1)[1])
    assert "bestmove h9" in kept.read_text()
    kept.unlink()


def test_a_match_goes_on_after_a_fault(tmp_path: Path) -> None:
    outside = player(f"{fake(tmp_path, 'sys.exit(1)')},log={tmp_path / 'log'}", GAME)
    tally = [tally for _, tally in match(GAME, player("random:seed=1", GAME), outside, 2, Limit(time=0.1), 1)][-1]
    outside.close()
    assert tally.wins == 2 and len(tally.faults) == 2


def test_mistakes_with_the_driver_are_told(tmp_path: Path) -> None:
    for spec in ("uai", "uai:cmd='open", f"uai:cmd=x,log={tmp_path}/no/such/log"):
        with pytest.raises(HansuError):
            player(spec, GAME)
    with pytest.raises(PlayerFault, match="cannot be started"):
        player("uai:cmd=/no/such/engine", GAME).decide(GAME.first)

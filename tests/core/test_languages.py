"""Messages, catalogs, and the translated texts of games and players."""

from __future__ import annotations

import copy
import json
import random
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.web_page import Page, running
from translations import templates

from hansu.arena.roster import kinds
from hansu.core import Game, HansuError, Limit, Message, Position, in_language, language, registry
from hansu.core.language import ENGLISH, fields, languages, read_languages
from hansu.core.message import in_languages, joined
from hansu.scene import Scene, Text
from hansu.scene.svg import svg
from hansu.search.chance import step_chance
from hansu.search.players import GENERAL, Minimax
from hansu.ui.trace import page, traced

PLAYERS = [("connect_four" if kind == "policy" else "tictactoe", kind) for kind in GENERAL] + [
    (name, kind)
    for name in registry.names()
    for kind, player in registry.built_in(name).players().items()
    if player.ready_for(registry.built_in(name))
]


def is_korean(text: str) -> bool:
    return re.search("[가-힣]", in_language(text, "ko")) is not None


def walk(game: Game, seed: int, plies: int) -> list[Position]:
    chance = random.Random(seed)
    at = step_chance(game.first, chance)
    positions = [at]
    while not at.over and len(positions) <= plies:
        at = step_chance(at.play(chance.choice(at.actions)), chance)
        positions.append(at)
    return positions


# Messages.


def test_a_message_is_the_english_text() -> None:
    message = Message("{share:.0%} of {done:,} in {what!r}", share=0.25, done=12345, what="x")
    assert message == "25% of 12,345 in 'x'" and f"{message}!" == "25% of 12,345 in 'x'!"
    assert message.to("en") == message and type(message.to("en")) is str
    assert Message("{as it stands}") == "{as it stands}"


def test_a_message_can_carry_its_translations() -> None:
    message = Message({"en": "{n} moves", "ko": "{n}수"}, n=3)
    assert message == "3 moves" and message.to("ko") == "3수" and message.to("xx") == "3 moves"
    assert message.translations == {"ko": "3수"} and in_languages(message) == {"en": "3 moves", "ko": "3수"}
    assert in_language("plain", "ko") == "plain" and in_languages("plain") == {"en": "plain", "ko": "plain"}
    with pytest.raises(HansuError, match="no English"):
        Message({"ko": "무승부"})


def test_parts_are_translated_too() -> None:
    winner = Message({"en": "black", "ko": "흑"})
    for message in (Message("{winner} wins", winner=winner), Message({"en": "{w} wins", "ko": "{w} 승리"}, w=winner)):
        assert message == "black wins" and message.to("ko") == "흑 승리"


def test_a_template_without_a_translation_stays_english() -> None:
    message = Message("{seat} does what nobody has translated", seat=Message({"en": "black", "ko": "흑"}))
    assert message.to("ko") == "black does what nobody has translated"


def test_a_copy_can_be_translated() -> None:
    own = Message({"en": "{n} moves by {who}", "ko": "{who}의 {n}수"}, n=3, who=Message({"en": "me", "ko": "나"}))
    for message in (own, Message("{winner} wins", winner="X"), Message("a draw")):
        duplicate = copy.deepcopy(message)
        assert duplicate == message and type(duplicate) is Message
        assert duplicate.to("ko") == message.to("ko") != message


def test_joined() -> None:
    assert joined(", ", []) == ""
    texts = joined(", ", [Message({"en": "one", "ko": "하나"}), "2"])
    assert texts == "one, 2" and texts.to("ko") == "하나, 2"


def test_a_title_is_a_string_a_mapping_or_a_message() -> None:
    def titled(title: object) -> Game:
        return Game(name="g", title=title, about="plain", state=int, start=int)  # type: ignore[arg-type]

    assert titled({"en": "Nim", "ko": "님"}).with_values({}).title.to("ko") == "님"
    message = Message("a draw")
    assert titled(message).title is message
    assert titled("Nim").title == titled("Nim").title.to("ko") == "Nim" and titled("Nim").about == "plain"
    with pytest.raises(TypeError, match="title"):
        Game(name="g", about="plain", state=int, start=int)


def test_an_svg_contains_every_language() -> None:
    scene = Scene(1, 1, (Text(0, 0, Message({"en": "a", "ko": "<가>"})), Text(0, 0, "plain")))
    assert svg(scene).count("data-") == 1 and 'data-ko="&lt;가&gt;">a</text>' in svg(scene)


# Catalogs.


def test_every_template_gets_its_parts() -> None:
    """Also warns about missing translations (`python scripts/translations.py` lists them)."""
    every = list(templates())
    for where, text, parts in every:
        if parts:
            assert {re.sub(r"[!:].*", "", field.strip("{}")) for field in fields(text)} <= parts, where
    known = {text for _, text, _ in every}
    assert len(known) > 250
    for code, one in languages().items():
        if code != ENGLISH:
            missing, unused = known - set(one.messages), set(one.messages) - known
            if missing or unused:
                warnings.warn(
                    f"{code}.json lacks {len(missing)} messages and has {len(unused)} unused ones", stacklevel=1
                )


def test_every_catalog_has_the_texts_of_the_page() -> None:
    english = languages()[ENGLISH].page
    assert len(english) > 150
    for code, one in languages().items():
        assert list(one.page) == list(english), code
        for key, text in one.page.items():
            assert fields(text) == fields(english[key]), (code, key)


def test_the_korean_is_korean() -> None:
    korean = languages()["ko"]
    for text in korean.messages.values():
        between = re.sub(r"\{.*?\}", "", text)  # some templates only order their parts
        assert re.search("[가-힣]", between) or not re.search(r"\w", between), text
    assert [key for key, text in korean.page.items() if not re.search("[가-힣]", text)] == ["plays"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the package's catalogs that replaces them."""
    for file in language.FOLDER.glob("*.json"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.setattr(language, "FOLDER", tmp_path)
    languages.cache_clear()
    yield tmp_path
    languages.cache_clear()


def test_a_file_adds_a_language(folder: Path) -> None:
    catalog = {"name": "Esperanto", "messages": {"any": {"{winner} wins": "{winner} gajnas", "a draw": "egala"}}}
    (folder / "eo.json").write_text(json.dumps(catalog), encoding="utf-8")
    assert list(languages()) == ["en", "eo", "ko"] and languages()["eo"].page == {}
    assert in_languages(Message("a draw")) == {"en": "a draw", "eo": "egala", "ko": "무승부"}
    assert Message("{winner} wins", winner="X").to("eo") == "X gajnas"
    assert Message("the game is over").to("eo") == "the game is over"
    assert 'data-eo="egala" data-ko="무승부"' in svg(Scene(1, 1, (Text(0, 0, Message("a draw")),)))
    assert '"eo": {"name": "Esperanto"' in page(traced(registry.built_in("tree").first, Minimax(), 100))
    with running() as server:
        served = json.loads(server.get("/api/languages")[2])
        assert list(served) == ["en", "eo", "ko"] and served["eo"] == {"name": "Esperanto", "page": {}}
        assert set(Page(server).refused("undo")["text"]) == {"en", "eo", "ko"}


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("eo.json", "{", "JSONDecodeError"),
        ("eo.json", "[]", "AttributeError"),
        ("eo.json", "{}", "'name'"),
        ("eo.json", '{"name": "e", "messages": {"g": {"{a} wins": "{b} gajnas"}}}', "has fields that"),
        ("eo.json", '{"name": "e", "messages": {"g": {"{a:g}": "{a:d}"}}}', "has fields that"),
        ("eo.json", '{"name": "e", "messages": {"g": {"a": "{"}}}', "ValueError"),
        ("eo.json", '{"name": "e", "messages": {"g": {"a": 1}}}', "not a string"),
        ("eo.json", '{"name": "e", "messages": {"g": {"a": "b"}, "h": {"a": "c"}}}', "duplicate"),
        ("Esperanto.json", '{"name": "e"}', "tag"),
    ],
)
def test_an_invalid_catalog_is_reported(folder: Path, name: str, text: str, error: str) -> None:
    (folder / name).write_text(text, encoding="utf-8")
    with pytest.raises(HansuError, match=error) as caught:
        read_languages(folder)
    assert name in caught.value.what


# Games and players.


@pytest.mark.parametrize("name", registry.names())
def test_games_are_described_in_both_languages(name: str) -> None:
    game = registry.built_in(name)
    assert game.title.translations and game.about.translations
    assert [o.name for o in game.options if not is_korean(o.help) or not is_korean(o.title)] == []


@pytest.mark.parametrize("name", registry.names())
def test_players_are_described_in_both_languages(name: str) -> None:
    for kind, cls in kinds(registry.built_in(name)).items():
        assert is_korean(cls.about) and is_korean(cls.title), kind
        assert [o.name for o in cls.options() if not is_korean(o.help)] == [], kind
        if cls.ready_for(registry.built_in(name)):  # the others need a program
            assert [o.name for o in cls.options() if not is_korean(o.title)] == [], kind


@pytest.mark.parametrize(("name", "kind"), PLAYERS)
def test_every_player_explains_its_move_in_both_languages(name: str, kind: str) -> None:
    """At several points of a game, with very little time."""
    game = registry.built_in(name)
    player = kinds(game)[kind]()
    for seed in (1, 2):
        positions = [at for at in walk(game, seed, 30) if not at.over]
        for i in {len(positions) // 3: None, len(positions) - 1: None, 0: None}:
            decision = player.decide(positions[i], Limit(time=0.02))
            assert is_korean(decision.why), decision.why
            assert not re.search("[가-힣]", decision.why)
    player.close()


@pytest.mark.parametrize("name", registry.names())
def test_results_are_in_both_languages(name: str) -> None:
    game = registry.built_in(name)
    results = set()
    for seed in range(12):
        last = walk(game, seed, 3_000)[-1]
        if last.over:
            text = game.result_text(last.state)
            assert is_korean(text), text
            results.add(text)
    assert results

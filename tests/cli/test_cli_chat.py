"""`recuerdo chat`: through a pipe, and at a terminal."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import Terminal, run

from recuerdo import Recuerdo
from servers.openai_server import OpenAIServer

HELLO = "Hola, me llamo Emiliano y trabajo en Data Oilers\n"
NO_EMBEDDINGS = {"RECUERDO_EMBEDDINGS": "none"}
"""Saves the seconds of loading the embedding model where it doesn't matter."""


def test_it_remembers_from_one_process_to_the_next(tmp_path: Path) -> None:
    """The name in the same thread, the employer in a new one."""
    assert run(tmp_path, "chat", said=HELLO).returncode == 0
    assert "Emiliano" in run(tmp_path, "chat", said="¿Cómo me llamo?\n").stdout
    assert "Data Oilers" in run(tmp_path, "chat", "--thread", "another", said="¿Dónde trabajo?\n").stdout


def test_another_user_is_not_told(tmp_path: Path) -> None:
    run(tmp_path, "chat", "--user", "emi", said=HELLO, **NO_EMBEDDINGS)
    answer = run(tmp_path, "chat", "--user", "ana", said="¿Cómo me llamo?\n", **NO_EMBEDDINGS).stdout
    assert "Emiliano" not in answer


def test_it_says_who_answers_and_whose_thread_this_is(tmp_path: Path) -> None:
    done = run(tmp_path, "chat", "--user", "emi", "--thread", "t-1", **NO_EMBEDDINGS)
    assert "offline · user emi · thread t-1" in done.stdout


def test_a_pipe_may_end_without_a_line_break_and_hold_empty_lines(tmp_path: Path) -> None:
    done = run(tmp_path, "chat", said="\n\nHola, me llamo Emiliano", **NO_EMBEDDINGS)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_bytes_that_are_no_text_are_refused_and_the_conversation_goes_on(tmp_path: Path, locale: str) -> None:
    done = run(tmp_path, "chat", said=b"\xff\nHola, me llamo Emiliano\n", LC_ALL=locale, **NO_EMBEDDINGS)
    assert done.returncode == 0, done.stderr
    assert "InvalidInput message.content: has broken Unicode" in done.stdout
    assert "Encantado, Emiliano" in done.stdout


def test_a_conversation_at_a_terminal_ends_with_ctrl_d(tmp_path: Path) -> None:
    with Terminal(tmp_path, "chat", settings=NO_EMBEDDINGS) as terminal:
        terminal.read_until("> ")
        terminal.type(HELLO)
        terminal.read_until("> ")
        terminal.type("¿Cómo me llamo?\n")
        terminal.read_until("¿Cómo me llamo?")
        assert "Emiliano" in terminal.read_until("> ")
        terminal.press_ctrl("d")
        status, rest = terminal.read_to_end()
    assert status == 0
    assert "Traceback" not in rest


def test_ctrl_c_at_the_prompt_ends_it_cleanly(tmp_path: Path) -> None:
    with Terminal(tmp_path, "chat", settings=NO_EMBEDDINGS) as terminal:
        terminal.read_until("> ")
        terminal.wait_until_idle()  # a signal just before readline waits is noticed at the next key only
        terminal.press_ctrl("c")
        status, rest = terminal.read_to_end()
    assert status == 0, rest
    assert "Traceback" not in rest


async def test_the_reply_is_shown_while_it_is_written(tmp_path: Path, openai_server: OpenAIServer) -> None:
    openai_server.say("uno dos tres cuatro", pause=0.3)

    def talk() -> None:
        with Terminal(tmp_path, "chat", settings=_settings(openai_server)) as terminal:
            terminal.read_until("> ")
            terminal.type("Cuenta\n")
            terminal.read_until("uno ")
            assert "cuatro" not in terminal.shown
            terminal.read_until("cuatro")

    await _in_a_thread(talk)


async def test_ctrl_c_in_the_middle_of_a_reply_keeps_what_was_said(tmp_path: Path, openai_server: OpenAIServer) -> None:
    openai_server.say("uno dos tres cuatro cinco seis siete ocho", pause=0.5)

    def talk() -> None:
        with Terminal(tmp_path, "chat", settings=_settings(openai_server)) as terminal:
            terminal.read_until("> ")
            terminal.type("Cuenta\n")
            terminal.read_until("uno dos ")
            terminal.press_ctrl("c")
            status, rest = terminal.read_to_end()
            assert status == 0, rest
            assert "Traceback" not in rest

    await _in_a_thread(talk)
    async with Recuerdo.open(f"sqlite:///{tmp_path}/.recuerdo/recuerdo.db", embeddings="none") as memory:
        said = await memory.thread(tenant="default", user="local", thread="terminal").read()
    assert [message.role for message in said] == ["user", "assistant"]
    assert said[1].text.startswith("uno dos")
    assert said[1].metadata["incomplete"] is True


async def test_a_model_that_fails_is_one_clear_line_and_the_conversation_goes_on(
    tmp_path: Path, openai_server: OpenAIServer
) -> None:
    openai_server.fail(401)
    openai_server.say("Aquí estoy")
    done = await asyncio.to_thread(run, tmp_path, "chat", said="Hola\n¿Sigues ahí?\n", **_settings(openai_server))
    assert "refuses the API key (HTTP 401)" in done.stdout
    assert "Aquí estoy" in done.stdout
    assert (done.returncode, done.stderr) == (0, "")


def _settings(server: OpenAIServer) -> dict[str, str]:
    return {"RECUERDO_MODEL": "openai:test", "RECUERDO_MODEL_BASE_URL": server.url, **NO_EMBEDDINGS}


async def _in_a_thread(talk: Callable[[], Any]) -> None:
    """The model's server lives on this event loop, which a conversation must not hold up."""
    await asyncio.to_thread(talk)

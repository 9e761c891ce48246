"""A terminal is settled when its foreground process waits for input: no timer, no prompt string."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.collectors.terminal._play import needs, play
from worldtape.schemas import Lossiness, SettledBy, Status

PROMPT, INPUT = SettledBy.PROMPT, SettledBy.INPUT


def test_output_that_comes_late_is_waited_for() -> None:
    done = play("sleep 0.7; echo late-$((1+1))", "(sleep 0.3; echo a; sleep 0.3; echo b) | cat")
    assert "\nlate-2\n" in done.results[0].observation.text
    assert done.lines[-3:-1] == ["a", "b"]
    assert [result.observation.settled_by for result in done.results] == [PROMPT, PROMPT]


@pytest.mark.parametrize("prompt", ["", "> ", "x\\ny$ "])
def test_any_prompt_will_do(prompt: str) -> None:
    done = play(f"PS1='{prompt}'", "sleep 0.2; echo out", "false")
    assert "out" in done.results[1].observation.text
    assert [result.observation.settled_by for result in done.results] == [PROMPT] * 3
    assert done.last.outcome.exit_code == 1


def test_read_and_cat_wait_for_input() -> None:
    done = play("read x", "abc", "echo got:$x", "cat", "line", ["C-d"], "read -s p", "secret", "read -n1 k", ["y"])
    assert [result.observation.settled_by for result in done.results] == [
        INPUT, PROMPT, PROMPT, INPUT, INPUT, PROMPT, INPUT, PROMPT, INPUT, PROMPT,
    ]  # fmt: skip
    assert "got:abc" in done.text
    assert "secret" not in done.text


def test_here_documents_wait_at_every_line() -> None:
    done = play("cat <<EOF", "one", "EOF")
    assert [result.observation.settled_by for result in done.results] == [INPUT, INPUT, PROMPT]
    assert [result.outcome.exit_codes for result in done.results] == [(), (), (0,)]


def test_python() -> None:
    needs("python3")
    done = play("python3 -q", "import time; time.sleep(0.4); print('slept')", "1/0", "input('? ')", "x", "exit()")
    assert "\nslept\n" in done.results[1].observation.text
    assert "ZeroDivisionError" in done.results[2].observation.text
    assert done.results[3].observation.text.endswith("\n?")
    assert [result.observation.settled_by for result in done.results] == [INPUT] * 5 + [PROMPT]
    assert done.last.outcome.exit_code == 0


def test_vim(tmp_path: Path) -> None:
    needs("vim")
    file = tmp_path / "note"
    done = play(f"vim -u NONE {file}", ["ihello", "Escape"], [":!sleep 0.3; echo from vim\n"], ["Enter"], [":wq\n"])
    shown = [result.observation.text for result in done.results]
    assert [result.state_after and result.state_after["alternate_screen"] for result in done.results][-1] is False
    assert "~\n~" in shown[0]
    assert shown[1].startswith("hello\n")
    assert "from vim" in shown[2]
    assert [result.observation.settled_by for result in done.results] == [INPUT] * 4 + [PROMPT]
    assert file.read_text() == "hello\n"


def test_less() -> None:
    needs("less")
    done = play("seq 200 | less", ["Space"], ["G"], ["q"])
    shown = [result.observation.text for result in done.results]
    assert shown[0].startswith("1\n2\n")
    assert "\n60\n" in shown[1]
    assert shown[2].endswith("200\n(END)")
    assert [result.observation.settled_by for result in done.results] == [INPUT] * 3 + [PROMPT]


def test_other_shells_are_prompts_without_exit_codes() -> None:
    needs("dash")
    done = play("bash --norc", "false", "dash", "echo in dash", "exit", "exit", "exec dash", "sleep 0.3; echo now dash")
    assert "\nnow dash\n" in done.text
    assert [result.observation.settled_by for result in done.results] == [PROMPT] * 8
    assert [result.outcome.exit_code for result in done.results] == [None] * 5 + [1 * 0, None, None]
    unknown = [Lossiness.NO_EXIT_CODE in result.lossiness for result in done.results]
    assert unknown == [True] * 5 + [False, True, True]


def test_background_jobs_do_not_hold_it_up() -> None:
    done = play("sleep 30 &", "jobs", "(sleep 0.2; echo in the background) & wait $!", "kill %1")
    assert "Running" in done.results[1].observation.text
    assert "in the background" in done.results[2].observation.text
    assert {result.observation.settled_by for result in done.results} == {PROMPT}


def test_suspend_resume_and_interrupt() -> None:
    done = play([{"keystrokes": "sleep 30\n", "duration": 0.2}], ["C-z"], "jobs", ["fg\n", "C-c"], timeout_s=0.5)
    statuses = [result.outcome.status for result in done.results]
    assert statuses == [Status.TIMEOUT_STILL_RUNNING, Status.TOOL_ERROR, Status.OK, Status.INTERRUPTED]
    assert "Stopped" in done.results[1].observation.text
    assert done.last.outcome.signal == 2
    assert done.last.observation.settled_by is PROMPT


def test_several_lines_at_once_pass_several_prompts() -> None:
    done = play(["true\nfalse\n(exit 7)\nsleep 0.2\n"], ["C-c"], [""], ["Enter"])
    assert done.results[0].outcome.exit_codes == (0, 1, 7, 0)
    assert [result.outcome.exit_codes for result in done.results[1:]] == [(), (), ()]


def test_a_busy_program_is_not_settled() -> None:
    done = play("while :; do :; done", ["C-c"], timeout_s=0.3)
    assert done.results[0].observation.settled_by is SettledBy.DEADLINE
    assert done.results[0].outcome.status is Status.TIMEOUT_STILL_RUNNING
    assert done.last.observation.settled_by is PROMPT


def test_tracing_and_redirection_hide_nothing_of_ours() -> None:
    done = play(
        "set -x", "set +x", "exec 3>&1 >/dev/null", "false", "exec >&3", "env | grep -c PROMPT_COMMAND", "clear; true"
    )
    assert "8771" not in "".join(result.observation.text for result in done.results)
    assert [result.outcome.exit_code for result in done.results] == [0, 0, 0, 1, 0, 1, 0]
    assert done.results[5].observation.text.split("\n")[-2] == "0"


WAITS = {
    "select": "import select; select.select([0], [], [], 0.15)",
    "poll": "import select; p = select.poll(); p.register(0, 1); p.poll(150)",
    "epoll": "import select; p = select.epoll(); p.register(0, 1); p.poll(0.15)",
    "thread": "import select, threading as t; a = t.Thread(target=select.select, args=([0], [], [], 0.15)); "
    "a.start(); a.join()",
}


@pytest.mark.parametrize("call", WAITS)
def test_a_look_for_keys_in_passing_is_no_wait_for_input(call: str) -> None:
    needs("python3")
    done = play(f"python3 -c '{WAITS[call]}; print(2*21)'")
    assert done.last.observation.settled_by is PROMPT
    assert done.lines[-2] == "42"


def test_a_read_with_a_short_time_out_is_waited_for() -> None:
    done = play("read -t 0.2 x; echo no-$((1+1))", "stty -icanon min 0 time 2; head -c1; stty sane; echo no-$((1+2))")
    assert [result.observation.settled_by for result in done.results] == [PROMPT, PROMPT]
    assert [result.observation.text.split("\n")[-2] for result in done.results] == ["no-2", "no-3"]


@pytest.mark.parametrize("body", ["pass", 'print(end=".", flush=True)'])
def test_a_program_that_looks_again_and_again_waits_for_input(body: str) -> None:
    needs("python3")
    done = play(
        "python3 -c 'import select\nwhile not select.select([0], [], [], 0.05)[0]: " + body + "\nprint(input(6*7))'",
        "x",
        timeout_s=20,
    )
    assert [result.observation.settled_by for result in done.results] == [INPUT, PROMPT]
    assert done.last.outcome.status is Status.OK


def test_keys_after_an_editor_never_reach_it() -> None:
    needs("vi")
    steps = ["vi note", ["ihello\n"], ["Escape"], [":wq\n"], "echo out-$((6*7))"]
    done = play(*steps * 3)
    assert [result.observation.settled_by for result in done.results] == [INPUT, INPUT, INPUT, PROMPT, PROMPT] * 3
    assert [result.observation.text.split("\n")[-2] for result in done.results[4::5]] == ["out-42"] * 3
    escaped = [result.observation.text for result in done.results[2::5]]
    assert not [text for text in escaped if "^[" in text or "INSERT" in text]

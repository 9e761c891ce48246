"""Dialogs, downloads, pop-ups, tabs, frames, shadow roots, and what is kept of them."""

from __future__ import annotations

import base64
import hashlib
import json

import orjson
import pytest

from tests.collectors.web._server import Pages
from tests.collectors.web._visit import on, visit
from worldtape.collectors.web import Element, elements
from worldtape.schemas import SettledBy, Status

pytestmark = [pytest.mark.web, pytest.mark.usefixtures("chromium")]

ASKS = """<title>Asks</title><p id="said">nothing</p>
<button onclick="said.textContent = 'answer ' + confirm('Sure?')">Confirm</button>
<button onclick="said.textContent = 'name ' + prompt('Who?', 'Ada')">Prompt</button>
<button onclick="alert('one'); alert('two'); said.textContent = 'both'">Twice</button>"""


@pytest.mark.parametrize(("how", "answer"), [("accept", "true"), ("dismiss", "false")])
def test_dialogs_are_answered_and_told(how: str, answer: str, pages: Pages) -> None:
    seen = visit(pages.put("/asks", ASKS), on("click", "Confirm"), on("click", "Twice"), dialogs=how)
    confirmed, twice = seen.results
    assert f"answer {answer}" in confirmed.observation.text
    assert f"- confirm dialog 'Sure?' was {how}ed" in confirmed.observation.text
    assert [one["message"] for one in seen.trees[2]["events"]] == ["one", "two"]
    assert "both" in twice.observation.text


def test_an_open_dialog_is_the_observation_and_the_next_action_answers_it(pages: Pages) -> None:
    seen = visit(
        pages.put("/asks", ASKS),
        on("click", "Prompt"),
        "click('2')",
        "handle_dialog(True, 'Grace')",
        "handle_dialog(False)",
        on("click", "Twice"),
        "handle_dialog(True)",
        "browser_handle_dialog(accept=True)",
        dialogs="ask",
    )
    opened, other, answered, none, one, two, both = (result.observation.text for result in seen.results)
    assert "## Open dialog: prompt 'Who?', default 'Ada'" in opened
    assert "AXTree" not in opened
    assert seen.results[0].observation.settled_by is SettledBy.EVENT
    assert "a dialog is open" in other
    assert "name Grace" in answered
    assert "no dialog is open" in none
    assert "alert 'one'" in one
    assert "alert 'two'" in two
    assert "both" in both
    assert [result.outcome.status for result in seen.results] == [
        Status.OK, Status.TOOL_ERROR, Status.OK, Status.TOOL_ERROR, Status.OK, Status.OK, Status.OK,
    ]  # fmt: skip


def test_a_page_that_asks_without_end_is_told_in_short(pages: Pages) -> None:
    forever = "<button onclick='for (let n = 0; n < 150; n++) alert(n)'>Go</button>"
    seen = visit(pages.put("/endless", forever), on("click", "Go"), 'send_msg_to_user("still here")')
    assert [one["kind"] for one in seen.trees[1]["events"]] == ["dialog"] * 100 + ["truncated"]
    assert seen.results[0].observation.text.count("alert dialog") == 100
    assert "- and more of the kind dialog" in seen.results[0].observation.text
    assert "still here" in seen.text


def test_downloads_are_kept(pages: Pages) -> None:
    body = b"a,b\n1,2\n" * 20
    pages.put("/prices.csv", body, headers={"Content-Disposition": 'attachment; filename="prices.csv"'})
    seen = visit(
        pages.put("/down", '<a href="/prices.csv">Get</a>'), on("click", "Get"), f'goto("{pages.url}/prices.csv")'
    )
    for result in seen.results:
        assert result.outcome.status is Status.OK, result.outcome
        assert "- file 'prices.csv' was downloaded (160 bytes)" in result.observation.text
    assert seen.lines("download") == [body, body]
    assert seen.trees[1]["events"][0]["sha256"] == hashlib.sha256(body).hexdigest()


def test_pop_ups_and_tabs(pages: Pages) -> None:
    pages.put("/popup", "<title>Pop</title><button onclick='window.close()'>Close me</button>")
    pages.put("/main", "<title>Main</title><a href='/popup' target='_blank' rel='opener'>Open</a>")
    seen = visit(
        f"{pages.url}/main",
        on("click", "Open"),
        on("click", "Close me"),
        "new_tab()",
        "tab_focus(0)",
        "tab_focus(7)",
        "tab_close()",
        "tab_close()",
        'browser_tabs(action="new")',
        'browser_tabs(action="select", index=0)',
        'browser_tabs(action="close", index=1)',
    )
    tabs = [[("*" if one.get("active") else "") + one["title"] for one in tree["tabs"]] for tree in seen.trees]
    assert tabs == [
        ["*Main"], ["Main", "*Pop"], ["*Main"], ["Main", "*"], ["*Main", ""], ["*Main", ""], ["*"], ["*"],
        ["", "*"], ["*", ""], ["*"],
    ]  # fmt: skip
    assert "- tab 1 was opened" in seen.results[0].observation.text
    assert "- tab 1 was closed" in seen.results[1].observation.text
    assert seen.results[4].outcome.status is Status.TOOL_ERROR
    assert seen.results[0].state_after is not None
    assert (seen.results[0].state_after["tabs"], seen.results[0].state_after["active_tab"]) == (2, 1)


def test_elements_in_frames_and_shadow_roots_are_acted_upon(pages: Pages) -> None:
    frames = visit(
        f"{pages.url}/frames.html", on("fill", "Card", "4111"), on("focus", "Deep button"), on("hover", "Second link")
    )
    assert [one.outcome.status for one in frames.results] == [Status.OK] * 3
    assert "textbox 'Card' value='4111'" in frames.text
    deep = next(one for one in elements(frames.trees[2]) if one.name == "Deep button")
    assert deep.states["focused"]
    assert (deep.id[:2], deep.ref[:2]) == ("aa", "f2")
    shadow = visit(
        f"{pages.url}/shadow.html",
        on("fill", "In shadow", "typed"),
        on("focus", "Closed button"),
        on("browser_hover", "Nested button"),
        renderer="web.snapshot",
    )
    assert [one.outcome.status for one in shadow.results] == [Status.OK] * 3
    assert 'textbox "In shadow" [ref=e' in shadow.text
    assert "typed" in shadow.text
    assert 'button "Closed button" [active]' in shadow.text


def test_an_id_of_the_fifth_frame_is_none_of_the_page(pages: Pages) -> None:
    inner = "<button onclick='this.textContent = `hit`'>In {}</button>"
    frames = "".join(f'<iframe srcdoc="{inner.format(number)}"></iframe>' for number in range(6))
    seen = visit(pages.put("/many", frames), *(on("click", f"In {number}") for number in range(6)))
    assert seen.text.count("button 'hit'") == 6


def test_boxes_are_where_the_elements_are(pages: Pages) -> None:
    """A click at the middle of a recorded box hits the element, in frames and after scrolling too."""
    inner = "<button style='margin: 20px' onclick='this.textContent = `hit`'>In</button>"
    body = f'<p style="height: 900px">tall</p><iframe style="border: 7px solid" srcdoc="{inner}"></iframe>'
    url = pages.put("/boxes", body)

    def middle(found: list[Element]) -> str:
        left, top, width, height = next(one.box for one in found if one.name == "In" and one.box)
        return f"mouse_click({left + width / 2}, {top + height / 2})"

    seen = visit(url, "scroll(0, 600)", middle)
    assert "button 'hit'" in seen.text


def test_the_network_the_console_the_html_and_a_picture_are_kept(pages: Pages) -> None:
    pages.put("/data.json", '{"a": 1}', content_type="application/json")
    pages.put("/old", "", status=302, headers={"Location": "/data.json"})
    script = """console.log('hello', 7);
        fetch('/old').then(r => r.json()).then(j => {p.textContent = 'got ' + j.a; nope()})"""
    seen = visit(pages.put("/net", f"<title>Net</title><p id=p>-</p><script>{script}</script>"), screenshot="png")
    assert "got 1" in seen.first_text
    log = {one["url"].removeprefix(pages.url): one for one in map(orjson.loads, seen.lines("network"))}
    assert {"/net", "/old", "/data.json"} <= set(log)
    body = log["/data.json"]["body"]
    assert body == {"sha256": hashlib.sha256(b'{"a": 1}').hexdigest(), "bytes": 8}
    assert b'{"a": 1}' in seen.lines("body")
    assert (log["/old"]["status"], log["/old"]["body"], log["/old"]["why"]) == (302, None, "a redirect has none")
    assert log["/data.json"]["redirected_from"] == f"{pages.url}/old"
    for one in (log["/net"], log["/old"], log["/data.json"]):
        assert one["timing"]["startTime"] * 1000 == pytest.approx(one["asked_us"], abs=60e6)
        assert 0 <= one["timing"]["requestStart"] <= one["timing"]["responseStart"] <= one["timing"]["responseEnd"]
    assert log["/net"]["asked_us"] < log["/data.json"]["asked_us"]
    console = [json.loads(line) for line in seen.lines("console")]
    assert [one["type"] for one in console][:1] == ["log"]
    assert any(one["type"] == "pageerror" and "nope" in one["text"] for one in console)
    assert b"got 1" in seen.lines("html")[0]
    assert seen.lines("screenshot")[0].startswith(b"\x89PNG")
    parts = {part.channel: part for part in seen.ready.observation.parts}
    assert set(parts) == {"tree", "html", "screenshot"}
    assert parts["screenshot"].bytes == len(seen.lines("screenshot")[0])


def test_what_is_posted_and_uploaded(pages: Pages) -> None:
    pages.put("/sent", "<title>Sent</title><h1>Thanks</h1>")
    form = """<form method="post" action="/sent"><input name="q" aria-label="Q">
        <input type="file" aria-label="F"><button>Send</button>"""
    seen = visit(
        pages.put("/form", form),
        on("fill", "Q", "blue"),
        on("upload_file", "F", "notes.txt"),
        on("upload_file", "F", "/etc/passwd"),
        on("click", "Send"),
        files={"notes.txt": "hello"},
    )
    statuses = [one.outcome.status for one in seen.results]
    assert statuses == [Status.OK, Status.OK, Status.REJECTED, Status.OK]
    assert "notes.txt" in seen.results[1].observation.text
    posted = [one for one in map(orjson.loads, seen.lines("network")) if one["method"] == "POST"]
    assert posted[0]["posted"] == "q=blue"
    assert "posted_b64" not in posted[0]
    assert "Thanks" in seen.text


def test_posted_bytes_that_are_no_text_are_kept_and_a_failure_has_its_time(pages: Pages) -> None:
    pages.put("/sent", "{}", content_type="application/json")
    script = """fetch('/sent', {method: 'POST', body: new Uint8Array([0, 255, 128, 65])}).then(() =>
        fetch('http://127.0.0.1:9/')).catch(() => p.textContent = 'failed')"""
    seen = visit(pages.put("/bytes", f"<p id=p>-</p><script>{script}</script>"))
    assert "failed" in seen.first_text
    log = {one["url"]: one for one in map(orjson.loads, seen.lines("network"))}
    sent, failed = log[f"{pages.url}/sent"], log["http://127.0.0.1:9/"]
    assert base64.b64decode(sent["posted_b64"]) == b"\x00\xff\x80A"
    assert sent["posted"] == "\0\\xff\\x80A"
    assert failed["failure"].startswith("net::ERR_")
    assert failed["asked_us"] >= sent["asked_us"]
    assert "timing" not in failed


def test_settling_waits_for_what_the_page_still_does(pages: Pages) -> None:
    """A menu that opens after 200 ms, and an answer that is fetched after that, are seen; nobody sleeps for them."""
    pages.put("/late.txt", "from the server")
    script = """setTimeout(() => {a.textContent = 'menu';
        fetch('/late.txt').then(r => r.text()).then(t => b.textContent = t)}, 200)"""
    seen = visit(
        pages.put("/late", f'<p id=a>-</p><p id=b>-</p><button onclick="{script}">Go</button>'), on("click", "Go")
    )
    assert "menu" in seen.text
    assert "from the server" in seen.text
    assert seen.last.observation.settled_by is SettledBy.REST
    assert seen.last.state_after is not None
    assert seen.last.state_after["changed"]


def test_a_page_that_never_rests_is_observed_and_says_so(pages: Pages) -> None:
    clock = "<p id=c>0</p><script>setInterval(() => c.textContent++, 5)</script>"
    seen = visit(pages.put("/clock", clock), "noop(0)", patience_ms=300)
    assert seen.last.outcome.status is Status.OK
    assert seen.last.observation.settled_by is SettledBy.DEADLINE
    assert seen.last.state_after is not None
    assert not seen.last.state_after["settled"]


def test_what_was_asked_of_the_browser_is_what_pages_see(pages: Pages) -> None:
    script = """p.textContent = [navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone, innerWidth,
      navigator.userAgent, matchMedia('(prefers-color-scheme: dark)').matches].join('|');
      navigator.geolocation.getCurrentPosition(g => q.textContent = g.coords.latitude)"""
    place = (52.5, 13.4)
    seen = visit(
        pages.put("/who", f"<p id=p></p><p id=q></p><script>{script}</script>"),
        "noop(100)",
        locale="de-DE", timezone="Asia/Tokyo", width=900, user_agent="Tape/1", color_scheme="dark", geolocation=place,
    )  # fmt: skip
    assert "de-DE|Asia/Tokyo|900|Tape/1|true" in seen.first_text
    spec = seen.ready.environment
    assert (spec.locale, spec.timezone, spec.parameters["geolocation"]) == ("de-DE", "Asia/Tokyo", [52.5, 13.4])
    assert spec.versions["chromium"].split(".")[0].isdigit()
    assert seen.ready.initial_state.text is not None
    assert "Time zone: Asia/Tokyo" in seen.ready.initial_state.text


def test_both_dialects_do_the_same(pages: Pages) -> None:
    url = f"{pages.url}/forms.html"
    ours = visit(url, on("fill", "Full name", "Bo"), on("check", "Large"), on("select_option", "Country", "Norway"))
    theirs = visit(
        url,
        on("browser_type", "Full name", text="Bo"),
        on("browser_click", "Large"),
        on("browser_select_option", "Country", values=["Norway"]),
    )
    assert [one.outcome.status for one in [*ours.results, *theirs.results]] == [Status.OK] * 6
    values = [
        [(one.name, one.value, one.states.get("checked")) for one in elements(seen.trees[-1])]
        for seen in (ours, theirs)
    ]
    assert values[0] == values[1]
    assert ("Full name", "Bo", None) in values[0]
    actions = [event.data for event in theirs.tape.events if event.kind == "action"]
    assert actions[0]["text"].startswith('browser_type(ref="e')
    assert actions[0]["target"]["role"] == "textbox"
    assert actions[0]["target"]["selector"] == "#name"
    assert actions[0]["target"]["box"] is not None


def test_texts_that_no_utf8_has_and_passwords(pages: Pages) -> None:
    script = r"document.title = '\ud800 \u2028 \u0000'; p.textContent = 'half \udc00 \ufffe'; console.log('\ud83d')"
    body = f'<p id=p></p><input type=password aria-label=P value=hunter2><script>{script}; alert("\\ud800")</script>'
    for renderer in ("web.axtree", "web.snapshot"):
        seen = visit(pages.put("/odd", body), "noop(0)", on("fill", "P", "open-sesame"), renderer=renderer)
        assert "half \ufffd" in seen.text
        assert "hunter2" not in seen.first_text
        assert "open-sesame" not in seen.text
        assert "\u2022" in seen.text
        assert seen.lines("console")

"""Pages are told in the words of Android, and the apps that Worldtape brings begin as their seed says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Page, sync_playwright

from tests.collectors.web._needs import needs_chromium
from worldtape.collectors.android.apps import PAGE_APPS, serve
from worldtape.collectors.android.elements import Element
from worldtape.collectors.android.screen import Screen
from worldtape.collectors.android.walker import walker
from worldtape.collectors.web.engine import find_chromium
from worldtape.errors import NotFoundError

SIZE = {"width": 412, "height": 915}


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    needs_chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
        yield page
        browser.close()


def shown(page: Page, html: str = "") -> Screen:
    if html:
        page.set_content(html)
    told: dict[str, Any] = page.evaluate("() => {" + walker() + "}")
    return Screen.of(told)


def only(screen: Screen, cls: str) -> Element:
    (found,) = [one for one in screen.elements if one.short == cls]
    return found


@pytest.mark.web
@pytest.mark.parametrize(
    ("html", "cls", "text", "flags"),
    [
        ("<button>Save</button>", "Button", "Save", ("clickable",)),
        ("<button disabled>Save</button>", "Button", "Save", ("clickable", "disabled")),
        ("<input type=submit value=Go>", "Button", "Go", ("clickable",)),
        ("<a href=#x>More</a>", "View", "More", ("clickable",)),
        ("<p>A\n word &amp; &lt;two&gt;</p>", "TextView", "A word & <two>", ()),
        ("<input value=12 placeholder=Age>", "EditText", "12", ("clickable", "editable")),
        ("<input type=password value=abc>", "EditText", "•••", ("clickable", "editable", "password")),
        ("<textarea>one\ntwo</textarea>", "EditText", "one\ntwo", ("clickable", "editable")),
        ("<input type=checkbox aria-label=On checked>", "CheckBox", "On", ("clickable", "checkable", "checked")),
        ("<input type=radio aria-label=Red>", "RadioButton", "Red", ("clickable", "checkable")),
        ("<input type=checkbox role=switch aria-label=Wi-Fi>", "ToggleButton", "Wi-Fi", ("clickable", "checkable")),
        ("<select><option>One<option selected>Two</select>", "Spinner", "Two", ("clickable",)),
        ("<input type=range value=30>", "SeekBar", "30", ("clickable",)),
        ("<input autofocus>", "EditText", "", ("clickable", "editable", "focused")),
    ],
)
def test_elements_have_the_classes_and_flags_of_android(
    page: Page, html: str, cls: str, text: str, flags: tuple[str, ...]
) -> None:
    screen = shown(page, f"<body>{html}<hr></body>")
    if "focused" in flags:  # a page gets its focus when it is first drawn
        page.wait_for_function("document.activeElement !== document.body")
        screen = shown(page)
    found = only(screen, cls)
    assert (found.text, found.flags) == (text, flags)


@pytest.mark.web
def test_only_what_can_be_seen_is_told(page: Page) -> None:
    html = """<body style="margin:0"><div style="height:100px;overflow:auto" id=box><p style="height:80px">in</p>
    <p style="height:80px">half</p><p style="height:80px">out</p></div><p style="display:none">gone</p><p style=
    "visibility:hidden">unseen</p><p aria-hidden=true>silent</p><p style="position:fixed;top:2000px">far</p></body>"""
    screen = shown(page, html)
    assert [one.text for one in screen.elements if one.text] == ["in"]
    page.evaluate("document.getElementById('box').scrollTop = 90")
    screen = shown(page)
    box = next(one for one in screen.elements if one.is_("scrollable"))
    assert box.bounds == (0, 0, 412, 100)
    assert [one.text for one in screen.elements if one.text] == ["half"]
    assert not screen.flags


@pytest.mark.web
def test_a_modal_dialog_covers_the_rest(page: Page) -> None:
    html = "<body><button>Behind</button><dialog aria-label=Sure><button>Yes</button></dialog></body>"
    assert [one.text for one in shown(page, html).elements if one.text] == ["Behind"]
    page.evaluate("document.querySelector('dialog').showModal()")
    screen = shown(page)
    assert [(one.short, one.text or one.desc) for one in screen.elements] == [("Dialog", "Sure"), ("Button", "Yes")]


@pytest.mark.web
def test_telling_changes_nothing_and_is_the_same_twice(page: Page) -> None:
    with serve(7) as apps:
        page.goto(apps.url("contacts"))
        before = page.content()
        first, second = shown(page).capture, shown(page).capture
        assert first == second
        assert page.content() == before
        assert first["state"]["app"] == "Contacts"
        assert first["size"] == [412, 915]


@pytest.mark.web
def test_apps_keep_their_state_and_begin_as_their_seed_says(page: Page) -> None:
    held = []
    for seed in (1, 1, 2):
        with serve(seed) as apps:
            page.goto(apps.home)
            assert [one.text for one in shown(page).elements if one.is_("clickable")] == sorted(apps.labels)
            for name in PAGE_APPS:
                page.goto(apps.url(name))
            facts = page.evaluate("worldtape.facts()")
            held.append({name: facts[name] for name in PAGE_APPS})
            page.click("#tab_budget")
            page.fill("#limit", "77")
            page.click("#save_limit")
            page.goto(apps.url("larder"))
            assert page.evaluate("worldtape.facts().larder.limit") == 77
    assert held[0] == held[1]
    assert held[0]["contacts"] != held[2]["contacts"]
    assert held[0]["larder"] != held[2]["larder"]


def test_what_is_not_served_is_not_found() -> None:
    with serve() as apps:
        with pytest.raises(NotFoundError, match="contacts, larder"):
            apps.url("maps")
        with pytest.raises(HTTPError, match="404"):
            urlopen(f"{apps.origin}/apps.py")
        with urlopen(f"{apps.origin}/ui.js?x=1") as answer:
            assert answer.headers.get_content_type() == "text/javascript"

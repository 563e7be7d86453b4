"""The page in a real browser: what it shows, how it answers, and that it asks nobody."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import axe_core_python
import pytest
from report.browser import browser, complaints, emulate, requests, resize
from report.hostile import HOSTILE
from selenium.webdriver import ActionChains, Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from grammar_store.facade import Store
from grammar_store.show.text import visible

AXE = Path(axe_core_python.__file__).with_name("axe.min.js")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    """One browser for all tests."""
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


class Tab:
    """A page in the browser."""

    def __init__(self, opened: Chrome) -> None:
        self.opened = opened

    def load(self, page: Path) -> Tab:
        self.opened.get("about:blank")
        complaints(self.opened)
        requests(self.opened)
        self.opened.get(page.as_uri())
        return self

    def run(self, script: str, *arguments: Any) -> Any:
        return self.opened.execute_script(script, *arguments)

    def all(self, selector: str) -> list[Any]:
        return self.opened.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> Any:
        return self.opened.find_element(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> list[str]:
        """What elements contain, whether they can be seen or not."""
        script = "return [...document.querySelectorAll(arguments[0])].map(x => x.textContent)"
        found: list[str] = self.run(script, selector)
        return found

    def click(self, selector: str) -> None:
        """Click on something that is not under the bar at the top."""
        self.run("arguments[0].scrollIntoView({block: 'center'})", self.one(selector))
        self.one(selector).click()

    def press(self, *keys: str) -> None:
        ActionChains(self.opened).send_keys(*keys).perform()

    def search(self, words: str) -> str:
        """Search for words; what the page says it found."""
        box = self.one("#query")
        box.send_keys(Keys.ESCAPE, words)
        WebDriverWait(self.opened, 20).until(lambda _: self.one("#found").text)
        said: str = self.one("#found").text
        return said

    def cards(self) -> list[str]:
        """The labels of the cards that can be seen."""
        script = """
            const cards = [...document.querySelectorAll(".card")];
            return cards.filter((card) => card.checkVisibility()).map((card) => card.id);
        """
        found: list[str] = self.run(script)
        return found


@pytest.fixture
def tab(opened: Chrome) -> Iterator[Tab]:
    """The browser at its usual size; whatever a test does, nobody may complain or be asked."""
    resize(opened, 1280, 900)
    emulate(opened, prefers_color_scheme="light", prefers_reduced_motion="reduce")
    tab = Tab(opened)
    yield tab
    assert complaints(opened) == []
    asked = [url for url in requests(opened) if not url.startswith(("file:", "data:", "about:"))]
    assert asked == []


def test_the_checks_notice_a_page_that_asks_and_fails(opened: Chrome, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<img src='http://example.invalid/x.png'><script>nothing()</script>")
    Tab(opened).load(page)
    assert requests(opened)["http://example.invalid/x.png"] == "net::ERR_NAME_NOT_RESOLVED"
    assert any("nothing is not defined" in line for line in complaints(opened))


def test_whatever_tries_to_leave_the_page_is_stopped(
    opened: Chrome, pages: dict[str, Path]
) -> None:
    Tab(opened).load(pages["hand"])
    stopped = opened.execute_async_script(
        """
        const done = arguments[0], seen = [];
        document.addEventListener("securitypolicyviolation", (event) => {
          seen.push(event.effectiveDirective);
          if (seen.length === 3) done(seen.sort());
        });
        fetch("http://example.invalid/a").catch(() => {});
        new Image().src = "http://example.invalid/b";
        const frame = document.createElement("iframe");
        frame.src = "http://example.invalid/c";
        document.body.append(frame);
        """
    )
    assert stopped == ["connect-src", "frame-src", "img-src"]
    tried = {url: why for url, why in requests(opened).items() if "example.invalid" in url}
    assert set(tried.values()) == {"csp"}
    assert len(complaints(opened)) >= 3


def test_cards_show_their_classes(tab: Tab, pages: dict[str, Path], store: Store) -> None:
    tab.load(pages["medoids"])
    classes = store.session("medoids").classes()
    assert tab.cards() == ["X1", "X2", "X3", "X4", "X5"]
    for label, row in zip(tab.cards(), classes.itertuples(), strict=True):
        card = tab.one(f"#{label}")
        leader = store[row.leader]
        assert card.find_element(By.TAG_NAME, "h3").text.split() == [
            *(label, "led", "by", *leader.source.split(), "|", *leader.target.split()),
        ]
        numbers = card.find_element(By.CSS_SELECTOR, ".numbers").text
        assert f"{row.members:,} member" in numbers
        assert f"{row.count:,} occurrences" in numbers
        assert len(card.find_elements(By.CSS_SELECTOR, "[data-kind=context]")) == 8
        assert card.find_elements(By.CSS_SELECTOR, "[data-kind=sentence] mark")


def test_why_opens_and_explains(tab: Tab, pages: dict[str, Path]) -> None:
    tab.load(pages["hand"])
    why = tab.one(".why")
    assert "brought the one to the other" not in why.text
    tab.click(".why summary")
    shown = " ".join(why.text.split())
    assert "Haus | house with Kind | child" in shown
    assert "2 merges brought the one to the other" in shown
    assert "1 Haus | house joined Auto | car, by hand." in shown
    assert "2 Auto | car joined Kind | child, by hand. It brought 2 members" in shown


def test_the_slider_goes_through_the_history(
    tab: Tab, pages: dict[str, Path], store: Store
) -> None:
    tab.load(pages["medoids"])
    session, total = store.session("medoids"), len(store)
    slider = tab.one("#step")
    stops = json.loads(tab.texts("#data")[0])["history"]["stops"]

    def shown() -> tuple[str, str]:
        return tab.one(".step-number").text, tab.one(".step-classes").text

    assert shown() == (f"Step {session.step:,} of {session.step:,}", "5 classes")
    tab.run("arguments[0].focus()", slider)
    tab.press(Keys.HOME)
    assert shown() == ("Before the first step", f"{total:,} classes")
    assert "class of its own" in tab.one(".step-what").text
    tab.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    step = stops[2]
    assert shown() == (f"Step {step} of {session.step:,}", f"{total - step:,} classes")
    assert slider.get_attribute("aria-valuetext").startswith(f"step {step} of")
    merge = list(session)[step - 1]
    gone, stays = store[merge.displaced], store[merge.leader]
    assert tab.one(".step-what").text.startswith(
        f"{gone.source} | {gone.target} joined {stays.source} | {stays.target}"
    )
    assert tab.one(".largest li").text.endswith("3 members")
    tab.click("[data-go=next]")
    assert shown()[0] == f"Step {stops[3]} of {session.step:,}"
    for way, number in (("previous", stops[2]), ("last", session.step), ("first", 0)):
        tab.click(f"[data-go={way}]")
        assert stops[int(slider.get_property("value"))] == number
    chart = tab.one(".chart svg")
    ActionChains(tab.opened).move_to_element(chart).click().perform()
    middle = stops[int(slider.get_property("value"))]
    assert abs(middle - session.step / 2) < session.step / 50
    line = float(tab.one(".chart .now").get_attribute("x1"))
    assert line == pytest.approx(1000 * middle / session.step)


def test_the_search_finds_members_contexts_and_sentences(
    tab: Tab, pages: dict[str, Path], store: Store
) -> None:
    tab.load(pages["medoids"])
    house = store["das Haus ||| the house"]
    label = "X" + str(1 + store.session("medoids").classes()["leader"].tolist().index(
        store.session("medoids").leader(house.id)
    ))  # fmt: skip
    said = tab.search("das HAUS")
    hits = tab.texts(".hits > li")
    assert hits[0] == f"{label}das Haus | the house{house.count} ×"
    assert len(hits) == 60  # of each kind some
    assert int(said.split()[0]) > 60
    assert said.endswith("; 60 of them are listed.")
    assert label in tab.cards()
    tab.search("zzz no such word")
    assert tab.one("#found").text.startswith("Nothing found among")
    assert tab.cards() == []
    tab.press(Keys.ESCAPE)
    assert tab.cards() == ["X1", "X2", "X3", "X4", "X5"]
    assert not tab.one("#results").is_displayed()
    # What stands only on cards: a hole is in no member, a whole sentence is none here.
    source, target = tab.texts("#X1 [data-kind=context] .gs-side")[:2]
    sentence = tab.texts("#X1 [data-kind=sentence] .gs-side")[0]
    tab.search(source.replace("\u2007", "").strip())
    assert f"X1{source} | {target}context" in tab.texts(".hits > li")
    tab.search(sentence)
    assert tab.texts(".hits .kind")[-1] == "sentence"
    assert sentence in tab.texts(".hits > li")[-1]


def test_the_search_leads_to_the_card_by_keyboard_alone(tab: Tab, pages: dict[str, Path]) -> None:
    tab.load(pages["hand"])
    tab.press("/", *"house")
    WebDriverWait(tab.opened, 20).until(lambda _: tab.one("#results").is_displayed())
    link = tab.one(".hits a.label")
    wanted = link.text
    for _ in range(6):
        tab.press(Keys.TAB)
        if tab.opened.switch_to.active_element == link:
            break
    tab.press(Keys.ENTER)
    WebDriverWait(tab.opened, 20).until(
        lambda _: tab.opened.switch_to.active_element.get_attribute("id") == wanted
    )
    assert tab.one(f"#{wanted}").is_displayed()
    assert not tab.one("#results").is_displayed()
    assert tab.one("#filtered").is_displayed()
    tab.click("#filtered button")
    assert len(tab.cards()) == 2


def test_all_controls_are_reached_with_the_keyboard(tab: Tab, pages: dict[str, Path]) -> None:
    tab.load(pages["hand"])
    names = []
    for _ in range(40):
        tab.press(Keys.TAB)
        here = tab.opened.switch_to.active_element
        if here.tag_name == "body":
            break
        names.append(here.accessible_name or here.text)
        shown = tab.run("return getComputedStyle(arguments[0]).outlineStyle", here)
        # A radio button is drawn by the text beside it.
        assert shown != "none" or here.get_attribute("type") == "radio", names
    assert names[0] == "Skip to the classes"
    for name in (
        *("History", "Classes", "Search members, contexts and words", "Auto", "Step"),
        *("First step", "Previous step", "Next step", "Last step", "Where this comes from"),
        "Why are these together?",
    ):
        assert name in names


def test_a_page_without_steps(tab: Tab, pages: dict[str, Path]) -> None:
    tab.load(pages["empty"])
    assert tab.cards() == []
    assert "No two non-terminals are in one class" in tab.one("#classes").text
    assert "class of its own" in tab.one("#history").text
    assert tab.search("Haus").startswith("76") or "match" in tab.one("#found").text


def test_hostile_words_are_shown_as_text(tab: Tab, hostile: Path) -> None:
    tab.load(hostile)
    assert "broken" not in tab.opened.title
    assert tab.opened.title.startswith("<i>'&\" · <i>store&.duckdb")
    assert tab.one("h1").text == "<i>'&\""
    assert "</script><b>&amp;" in tab.one("#overview").text
    for tag in ("b", "i", "img", "iframe"):
        assert tab.all(tag) == []
    assert len(tab.all("script")) == 2
    sides = set(tab.texts(".members .gs-side"))
    for word in HOSTILE:
        assert visible(word) in sides, word
    sentences = tab.texts("[data-kind=sentence] mark")
    assert set(sentences) <= {*map(visible, HOSTILE), "a", "b", "c"}
    # Words from right to left do not move what stands around them.
    rows = tab.run(
        """
        return [...document.querySelectorAll(".members li")].map((row) => {
          const [source, target] = row.querySelectorAll(".gs-side");
          const box = (part) => part.getBoundingClientRect();
          return box(source).top < box(target).top || box(source).left < box(target).left;
        })
        """
    )
    assert all(rows)
    assert len(rows) >= len(HOSTILE)
    for word in ("<script>", "</script>", "{{7*7}}", "שלום", "👩\u200d💻", "[x1,1]"):
        said = tab.search(word)
        assert not said.startswith("Nothing"), word
        assert all(word.casefold() in hit.casefold() for hit in tab.texts(".hits > li"))
    tab.run("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    tab.click("[data-go=first]")
    for _ in HOSTILE:
        tab.run("document.querySelector('[data-go=next]').click()")
    assert tab.all("b, i, img") == []


def test_both_themes_and_the_switch_between_them(tab: Tab, pages: dict[str, Path]) -> None:
    def brightness() -> float:
        colour = tab.run("return getComputedStyle(document.body).backgroundColor")
        numbers = [float(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
        return sum(numbers) / 3

    tab.load(pages["hand"])
    assert brightness() > 200
    emulate(tab.opened, prefers_color_scheme="dark")
    assert brightness() < 60
    tab.one("[name=theme][value=light] + span").click()
    assert brightness() > 200
    tab.opened.refresh()  # it is remembered
    assert brightness() > 200
    tab.one("[name=theme][value=dark] + span").click()
    emulate(tab.opened, prefers_color_scheme="light")
    assert brightness() < 60
    tab.one("[name=theme][value=''] + span").click()
    assert brightness() > 200


def test_a_phone_shows_everything_without_scrolling_sideways(
    tab: Tab, pages: dict[str, Path], hostile: Path
) -> None:
    for page in (pages["medoids"], hostile):
        resize(tab.opened, 360, 740, mobile=True)
        tab.load(page)
        tab.run("document.querySelectorAll('details').forEach((each) => { each.open = true })")
        assert tab.run("return document.documentElement.scrollWidth") <= 360
        assert tab.one("#query").is_displayed()


def test_print_shows_reasons_and_no_controls(tab: Tab, pages: dict[str, Path]) -> None:
    tab.load(pages["hand"])
    tab.opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        for selector in (".top", ".slider", ".skip", ".all-steps"):
            assert not tab.one(selector).is_displayed()
        height = tab.run(
            "return document.querySelector('.why .pair').getBoundingClientRect().height"
        )
        assert height > 20
    finally:
        tab.opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_motion_only_where_it_is_wanted(tab: Tab, pages: dict[str, Path]) -> None:
    tab.load(pages["hand"])
    behaviour = "return getComputedStyle(document.documentElement).scrollBehavior"
    emulate(tab.opened, prefers_reduced_motion="reduce")
    assert tab.run(behaviour) == "auto"
    emulate(tab.opened, prefers_reduced_motion="no-preference")
    assert tab.run(behaviour) == "smooth"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_accessibility_rule_is_broken(tab: Tab, pages: dict[str, Path], scheme: str) -> None:
    emulate(tab.opened, prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
    tab.load(pages["hand"])
    tab.run("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    tab.opened.set_script_timeout(120)
    tab.run(AXE.read_text(encoding="utf-8"))
    found = tab.opened.execute_async_script(
        "axe.run(document, {runOnly: arguments[0]}).then(arguments[1])", RULES
    )
    broken = [(rule["id"], [n["html"] for n in rule["nodes"]]) for rule in found["violations"]]
    assert broken == []
    assert {"color-contrast", "label", "region"} <= {rule["id"] for rule in found["passes"]}

"""The page in a real headless Chromium: a shopper's whole way, two shoppers at once, a phone."""

from __future__ import annotations

import json
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow]
ROOT = Path(__file__).parents[2]
GALLERY = ROOT / "assets" / "gallery"
WAIT = 30_000
DESKTOP = {"width": 1280, "height": 860}
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="session")
def catalogue() -> dict[str, dict[str, Any]]:
    """item_id -> the line of the embedded gallery."""
    lines = (GALLERY / "items.jsonl").read_text(encoding="utf-8").splitlines()
    return {str(item["id"]): item for item in map(json.loads, lines)}


ANSWERS = "#chat [data-testid=bot]:has(.message-content)"
"""Their words; the pictures below them are parts of their own."""


class Shopper:
    """One browser tab, driven as a person would."""

    def __init__(self, browser: Any, url: str, size: dict[str, int], scheme: str = "light") -> None:
        self.context = browser.new_context(viewport=size, accept_downloads=True, color_scheme=scheme)
        self.page = self.context.new_page()
        self.page.set_default_timeout(WAIT)
        self.complaints: list[str] = []
        self.hosts: set[str] = set()
        self.page.on("console", lambda note: note.type == "error" and self.complaints.append(note.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.hosts.add(request.url.split("/")[2].split(":")[0]))
        self.page.goto(url)
        self.page.wait_for_selector("#gallery img")
        time.sleep(1)  # a click before the page is alive is lost

    def answers(self) -> list[str]:
        return [answer.inner_text() for answer in self.page.locator(ANSWERS).all()]

    def wait_for_answers(self, count: int) -> None:
        self.page.wait_for_function(f"n => document.querySelectorAll('{ANSWERS}').length === n", arg=count)
        self.page.wait_for_timeout(300)

    def say(self, words: str) -> None:
        before = len(self.answers())
        self.page.locator("#box textarea").fill(words)
        self.page.locator("#box textarea").press("Enter")
        self.wait_for_answers(before + 1)

    def show(self, picture: Path) -> None:
        before = len(self.answers())
        self.page.set_input_files("#box input[type=file]", str(picture))
        self.page.wait_for_selector("#box .thumbnail-item, #box .thumbnail-image")
        self.page.locator("#box .submit-button").click()
        self.wait_for_answers(before + 1)

    def names(self) -> list[str]:
        return [image.get_attribute("alt").split("\n")[0] for image in self.page.locator("#gallery img").all()]

    def chips(self) -> list[str]:
        return [chip.inner_text() for chip in self.page.locator("#chips button").all()]

    def export(self) -> list[dict[str, Any]]:
        """The lines of the saved chat after its header."""
        with self.page.expect_download() as download:
            self.page.locator("#export").click()
        path = Path(download.value.path())
        if zipfile.is_zipfile(path):  # with the pictures that were sent
            with zipfile.ZipFile(path) as archive:
                text = archive.read("session.jsonl").decode()
        else:
            text = path.read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()][1:]

    def sideways_scroll(self) -> float:
        """How far the widest element reaches beyond the window, in pixels."""
        reach: float = self.page.evaluate(
            "() => Math.max(...[...document.querySelectorAll('#header *, #columns *')]"
            ".filter(e => e.offsetParent && !e.closest('.sr-only, #draw'))"
            ".filter(e => !e.parentElement.closest('#chips, #offers'))"  # these two rows scroll by themselves
            ".map(e => e.getBoundingClientRect().right))"
            " - document.documentElement.clientWidth"
        )
        return reach


@pytest.fixture
def shopper(chromium: Any, app_url: str) -> Iterator[Shopper]:
    shopper = Shopper(chromium, app_url, DESKTOP)
    yield shopper
    shopper.context.close()
    assert shopper.complaints == []
    assert shopper.hosts <= {"127.0.0.1"}


def a_photo_of(catalogue: dict[str, dict[str, Any]], category: str, folder: Path) -> Path:
    """A smaller copy of an item's picture, as a shopper's phone might have it."""
    from PIL import Image

    item = next(item for item in catalogue.values() if item["category"] == category)
    with Image.open(GALLERY / item["image"]) as picture:
        copy = picture.convert("RGB").resize((picture.width * 3 // 4, picture.height * 3 // 4))
    copy.save(folder / "photo.jpg", quality=80)
    return folder / "photo.jpg"


def shown(turn: dict[str, Any], catalogue: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [catalogue[hit["item_id"]] for hit in turn["ranking"]["hits"]]


def of(items: list[dict[str, Any]], attribute: str) -> set[str]:
    return {str(item[attribute]) for item in items}


def test_a_shopper_finds_changes_matches_goes_back_and_keeps_the_conversation(
    shopper: Shopper, catalogue: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    page = shopper.page

    shopper.say("a red dress")
    dresses = shopper.names()
    (words,) = shopper.export()
    assert of(shown(words, catalogue), "category") == {"Dress"}
    assert of(shown(words, catalogue), "colour") == {"Red"}
    assert len(dresses) == len(words["ranking"]["hits"])

    shopper.show(a_photo_of(catalogue, "Sneakers", tmp_path))
    assert page.locator("#chat [data-testid=user] img").count() == 1
    assert not any(share.is_visible() for share in page.locator("#chat [aria-label=Share]").all())
    assert shopper.names() != dresses
    photo = shopper.export()[-1]
    assert len(photo["message"]["images"]) == 1
    assert "Sneakers" in of(shown(photo, catalogue)[:5], "category")

    page.locator("#gallery button").nth(1).click()
    page.wait_for_selector("#card .item h3")
    chosen = page.locator("#card .item h3").inner_text()
    assert chosen == shopper.names()[1]

    shopper.say("this one in black")
    changed = shopper.export()[-1]
    assert changed["message"]["selected"] == photo["ranking"]["hits"][1]["item_id"]
    assert of(shown(changed, catalogue), "colour") == {"Black"}
    assert not page.locator("#card .item").is_visible()
    assert page.locator("#gallery .selected").evaluate_all("all => all.map(e => getComputedStyle(e).outlineStyle)") in (
        [],
        ["none"],
    )

    page.locator("#gallery button").first.click()
    page.get_by_role("button", name="What goes with it", exact=True).click()
    shopper.wait_for_answers(4)
    match = shopper.export()[-1]
    assert match["plan"]["intent"] == "compatible"
    assert of(shown(changed, catalogue)[:1], "category").isdisjoint(of(shown(match, catalogue), "category"))

    page.locator("#steps > button").click()
    page.locator("#steps label").first.click()
    shopper.wait_for_answers(1)
    assert shopper.names() == dresses

    shopper.say("in blue")
    turns = shopper.export()
    assert [turn["parent"] for turn in turns] == [None, 1, 2, 3, 1]
    assert of(shown(turns[-1], catalogue), "category") == {"Dress"}
    assert of(shown(turns[-1], catalogue), "colour") == {"Blue"}


def test_undo_takes_back_the_answer_the_results_and_what_the_next_message_builds_on(shopper: Shopper) -> None:
    shopper.say("a red dress")
    dresses = shopper.names()
    shopper.say("in blue")
    assert shopper.names() != dresses
    shopper.page.locator("#undo").click()
    shopper.wait_for_answers(1)
    assert shopper.names() == dresses
    shopper.say("in black")
    assert [turn["parent"] for turn in shopper.export()] == [None, 1, 1]
    shopper.page.locator("#chat").get_by_label("Undo").last.click()
    shopper.wait_for_answers(1)
    assert shopper.names() == dresses


def test_what_is_typed_stays_text(shopper: Shopper) -> None:
    shopper.say('a <b>red</b> <img src="https://example.org/x.png"> ![dress](https://example.org/y.png) dress')
    assert shopper.page.locator("#chat [data-testid=user] b").count() == 0
    assert shopper.page.locator("img[src*='example.org']").count() == 0
    assert "<b>red</b>" in shopper.page.locator("#chat [data-testid=user]").inner_text()
    assert shopper.hosts == {"127.0.0.1"}


def test_retry_answers_the_same_message_again_from_the_same_place(shopper: Shopper) -> None:
    shopper.say("a red dress")
    shopper.say("in blue")
    blue = shopper.names()
    shopper.page.get_by_label("Retry").last.click()
    shopper.page.wait_for_timeout(2000)
    assert shopper.names() == blue
    assert [turn["parent"] for turn in shopper.export()] == [None, 1, 1]
    assert len(shopper.answers()) == 2


def test_a_removed_chip_widens_the_search(shopper: Shopper, catalogue: dict[str, dict[str, Any]]) -> None:
    shopper.say("a red dress")
    shopper.page.locator("#chips button", has_text="Red").last.click()
    shopper.wait_for_answers(2)
    last = shopper.export()[-1]
    assert of(shown(last, catalogue), "category") == {"Dress"}
    assert len(of(shown(last, catalogue), "colour")) > 1
    assert not any("Red" in chip for chip in shopper.chips())


def test_filters_set_by_hand_hold_until_they_are_cleared(
    shopper: Shopper, catalogue: dict[str, dict[str, Any]]
) -> None:
    page = shopper.page
    shopper.say("something for the summer")
    page.locator("#filters > button").click()
    page.get_by_label("Colour", exact=True).click()
    page.get_by_role("option", name="Yellow").first.click()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Show matching items").click()
    shopper.wait_for_answers(2)
    assert of(shown(shopper.export()[-1], catalogue), "colour") == {"Yellow"}
    shopper.say("for women")
    assert of(shown(shopper.export()[-1], catalogue), "colour") == {"Yellow"}
    page.get_by_role("button", name="Clear filters").click()
    shopper.wait_for_answers(4)
    assert len(of(shown(shopper.export()[-1], catalogue), "colour")) > 1


def test_a_file_that_is_no_picture_is_refused_and_the_words_stay(shopper: Shopper, tmp_path: Path) -> None:
    fake = tmp_path / "dress.png"
    fake.write_text("this is not a picture")
    shopper.page.set_input_files("#box input[type=file]", str(fake))
    shopper.page.wait_for_timeout(1500)
    shopper.page.locator("#box textarea").fill("like this but longer")
    shopper.page.locator("#box .submit-button").click()
    shopper.page.wait_for_selector(".toast-wrap >> text=not a picture")
    assert shopper.page.locator("#box textarea").input_value() == "like this but longer"
    assert shopper.answers() == []


def test_what_is_drawn_becomes_a_picture_of_the_message(shopper: Shopper) -> None:
    page = shopper.page
    page.locator("#draw > button").click()
    page.locator("#draw button[aria-label=Brush]").click()
    page.wait_for_timeout(500)
    canvas = page.locator("#draw canvas").first.bounding_box()
    x, y = canvas["x"] + canvas["width"] / 2, canvas["y"] + canvas["height"] / 2
    page.mouse.move(x - 60, y - 60)
    page.mouse.down()
    page.mouse.move(x + 60, y + 40, steps=8)
    page.mouse.up()
    page.wait_for_timeout(1000)
    page.get_by_role("button", name="Use this drawing").click()
    page.wait_for_selector("#box .thumbnail-item, #box .thumbnail-image")
    shopper.say("a bag like my drawing")
    (turn,) = shopper.export()
    assert len(turn["message"]["images"]) == 1
    assert page.locator("#chat [data-testid=user] img").count() == 1


def test_two_shoppers_never_see_each_other_and_a_reload_starts_clean(chromium: Any, app_url: str) -> None:
    one, two = Shopper(chromium, app_url, DESKTOP), Shopper(chromium, app_url, DESKTOP)
    one.say("a red dress")
    two.say("black boots")
    one.say("in blue")
    (first, second), (other,) = one.export(), two.export()
    assert [first["message"]["text"], second["message"]["text"]] == ["a red dress", "in blue"]
    assert other["message"]["text"] == "black boots"
    assert first["query"]["query_id"].split("/")[0] != other["query"]["query_id"].split("/")[0]
    assert "boots" not in " ".join(one.page.locator("#chat, #steps").all_inner_texts()).lower()
    two.page.reload()
    two.page.wait_for_selector("#gallery img")
    assert two.answers() == []
    assert two.page.locator("#export").is_disabled()
    one.context.close()
    two.context.close()


def test_the_page_fits_a_phone(chromium: Any, app_url: str) -> None:
    shopper = Shopper(chromium, app_url, PHONE)
    assert shopper.sideways_scroll() <= 0
    shopper.say("a red dress")
    shopper.page.locator("#gallery button").first.click()
    shopper.page.wait_for_selector("#card .item h3")
    shopper.page.locator("#filters > button").click()
    shopper.page.locator("#steps > button").click()
    shopper.page.wait_for_timeout(500)
    assert shopper.sideways_scroll() <= 0
    assert shopper.page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    assert shopper.page.locator("#box").bounding_box()["width"] > 300
    assert shopper.complaints == []
    shopper.context.close()


def test_results_can_be_reached_and_chosen_with_the_keyboard_and_say_what_they_are(shopper: Shopper) -> None:
    shopper.say("a red dress")
    first = shopper.page.locator("#gallery button").first
    assert "Dress" in first.get_attribute("aria-label")
    first.focus()
    shopper.page.keyboard.press("Enter")
    shopper.page.wait_for_selector("#card .item h3")


@pytest.mark.parametrize(("size", "lowest"), [(PHONE, "#gallery img"), ({"width": 1280, "height": 800}, "#steps")])
def test_answer_and_results_are_in_view_without_scrolling(
    chromium: Any, app_url: str, size: dict[str, int], lowest: str
) -> None:
    shopper = Shopper(chromium, app_url, size)
    shopper.say("a red dress")
    shopper.say("in blue, without sleeves, under 200")
    shopper.page.evaluate("window.scrollTo(0, 0)")
    shopper.page.wait_for_timeout(300)
    for part in ("#chat", "#box", lowest):
        assert shopper.page.locator(part).first.bounding_box()["y"] + 40 < size["height"], part
    shopper.context.close()


def test_where_nothing_fits_no_empty_frame_is_shown_and_a_way_on_is_offered(shopper: Shopper) -> None:
    shopper.say("a green lace skirt under 5 with polka dots for men in winter, not floral, not striped")
    assert shopper.page.locator("#gallery img").count() == 0
    assert not shopper.page.locator("#gallery .empty").is_visible()
    assert "Nothing fits" in shopper.page.locator("#status").inner_text()
    shopper.page.locator("#offers button").first.click()
    shopper.wait_for_answers(2)
    assert shopper.page.locator("#gallery img").count() > 0


def test_an_item_is_kept_over_a_reload_and_compared_with_another(shopper: Shopper) -> None:
    page = shopper.page
    shopper.say("a red dress")
    page.locator("#gallery button").nth(1).click()
    page.wait_for_selector("#similar button")
    assert page.locator("#similar button").count() == 6
    page.locator("#save").click()
    page.wait_for_selector("#saved button")
    page.locator("#compare").click()
    page.wait_for_selector("#card .waiting")
    page.locator("#gallery button").nth(2).click()
    page.wait_for_selector("#card .compare")
    names = [head.split("\n")[-1] for head in page.locator("#card .compare thead th").all_inner_texts()]
    assert names == shopper.names()[1:3]
    page.reload()
    page.wait_for_selector("#saved button")
    page.locator("#saved button").first.click()
    page.wait_for_selector("#card .item h3")
    assert page.locator("#card .item h3").inner_text() == names[0]


def test_a_part_of_a_photo_is_chosen_by_dragging_and_takes_its_place(
    shopper: Shopper, catalogue: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    page = shopper.page
    page.set_input_files("#box input[type=file]", str(a_photo_of(catalogue, "Sneakers", tmp_path)))
    page.wait_for_selector("#box .thumbnail-item, #box .thumbnail-image")
    page.locator("#photo > button").click()
    page.wait_for_function("document.querySelector('#region img')?.naturalWidth > 0")
    page.locator("#region .frame").scroll_into_view_if_needed()
    frame = page.locator("#region .frame").bounding_box()
    page.mouse.move(frame["x"] + 0.1 * frame["width"], frame["y"] + 0.1 * frame["height"])
    page.mouse.down()
    page.mouse.move(frame["x"] + 0.9 * frame["width"], frame["y"] + 0.5 * frame["height"], steps=4)
    page.mouse.up()
    page.get_by_role("button", name="Use this part").click()
    page.wait_for_selector("#region", state="hidden")
    shopper.say("")
    part = page.locator("#chat [data-testid=user] img").evaluate("image => [image.naturalWidth, image.naturalHeight]")
    assert part[0] / part[1] == pytest.approx(2 * frame["width"] / frame["height"], rel=0.1)


def test_a_link_opens_a_copy_in_another_browser(chromium: Any, app_url: str, shopper: Shopper) -> None:
    shopper.say("a red dress")
    shopper.page.locator("#steps > button").click()
    shopper.page.locator("#link").click()
    shopper.page.wait_for_function(
        "document.querySelector('#address textarea, #address input')?.value?.startsWith('http')"
    )
    other = Shopper(chromium, shopper.page.locator("#address textarea, #address input").input_value(), DESKTOP)
    assert other.names() == shopper.names()
    other.say("in blue")
    assert len(shopper.answers()) == 1
    other.context.close()


def test_the_plan_is_edited_in_words_and_run_again(shopper: Shopper, catalogue: dict[str, dict[str, Any]]) -> None:
    shopper.say("a red dress")
    shopper.page.locator("#edit").click()
    words = shopper.page.locator("#words textarea, #words input")
    words.fill("party dress with polka dots")
    words.press("Enter")
    shopper.wait_for_answers(2)
    last = shopper.export()[-1]
    assert last["plan"]["text"] == "party dress with polka dots"
    assert of(shown(last, catalogue), "colour") == {"Red"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_is_in_the_way_of_a_screen_reader(chromium: Any, app_url: str, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="requirements-dev.txt").Axe()
    shopper = Shopper(chromium, app_url, DESKTOP, scheme)

    def found() -> list[str]:
        violations = axe.run(shopper.page).response["violations"]
        return [
            f"{one['id']}: {one['nodes'][0]['html']}" for one in violations if one["impact"] in ("serious", "critical")
        ]

    assert found() == []
    shopper.say("a red dress")
    shopper.page.locator("#gallery button").nth(1).click()
    shopper.page.wait_for_selector("#similar button")
    shopper.page.locator("#save").click()
    shopper.page.wait_for_selector("#saved button")
    for part in ("#filters", "#steps", "#draw"):
        shopper.page.locator(f"{part} > button").click()
    shopper.page.wait_for_timeout(1500)
    assert found() == []
    shopper.context.close()

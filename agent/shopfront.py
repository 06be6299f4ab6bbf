"""What a visitor does on the page, each as a view in and a view out. Knows no widget library and no chat of its own."""

from __future__ import annotations

import logging
import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from agent.addresses import pictures_named_in
from agent.bundles import read_bundle, write_bundle
from agent.housekeeping import THUMBNAILS
from agent.limits import Desk
from agent.shelf import Shelf
from agent.view import View
from agent.wording import plan_label
from retrieval.errors import ImageError, MessageError
from retrieval.picture_files import crop, store_upload, thumbnail
from retrieval.retriever import DEFAULT_K
from retrieval.schema import Filter, Image, Intent, Item, Message, Plan, Session

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

    from agent.assistant import Assistant
    from agent.protocols import Tell
    from retrieval.retriever import Retriever

__all__ = ["NO_PICTURE", "Shop", "View"]

log = logging.getLogger(__name__)

THUMBNAIL_SIDE = 384
DETAIL_SIDE = 768
SIMILAR = 6
UPLOADS = "uploads"
DRAWING_MARGIN = 0.08
"""Of the drawing's longer side. Small on a large board, a drawing finds anything but its kind."""
NO_LONGER_SHOWN = "That picture is no longer shown here. Choose one of those on the page."
NO_PICTURE = Path(__file__).parent.parent / "assets" / "no_picture.png"


@dataclass(frozen=True, slots=True)
class Shop:
    """What all visitors share; nothing in it changes but the files in `folder`."""

    assistant: Assistant
    retriever: Retriever
    folder: Path
    """Of this process: uploads, thumbnails and exports. The only place that files are served from."""
    window: tuple[str, ...] = ()
    """item_ids shown before the first search."""
    desk: Desk = field(default_factory=Desk)
    """Takes in what many visitors do at once; who is alone may pass by it."""
    kept: Path | None = None
    """Where links are kept; None: in `folder`, as long as the process lives."""

    @classmethod
    def open(cls, assistant: Assistant, retriever: Retriever, folder: Path) -> Self:
        """A shop with a mixed window, the same at each start."""
        item_ids = sorted(retriever.store.fingerprints())
        return cls(
            assistant, retriever, folder, tuple(random.Random(0).sample(item_ids, min(DEFAULT_K, len(item_ids))))
        )

    @property
    def shelf(self) -> Shelf:
        return Shelf(self.kept or self.folder / "links")

    # --- what is there ---

    def picture(self, item: Item, *, large: bool = False) -> str:
        """The path of a small copy: the catalogue's own folders are never served."""
        side = DETAIL_SIDE if large else THUMBNAIL_SIDE
        try:
            return str(thumbnail(item.image, self.folder / THUMBNAILS, side))
        except ImageError as error:
            log.warning("item %s is shown without its picture: %s", item.item_id, error)
            return str(NO_PICTURE)

    def item(self, item_id: str) -> Item | None:
        """None for one that has left the gallery since it was shown."""
        return next(iter(self._there([item_id])), None)

    def items(self, view: View) -> list[Item]:
        """What the gallery of this view shows, as far as it is still there."""
        found = view.found()
        return self._there(self.window if found is None else found[:DEFAULT_K])

    def saved_items(self, view: View) -> list[Item]:
        return self._there(view.saved)

    def similar(self, item: Item, k: int = SIMILAR) -> list[Item]:
        """The items whose pictures are nearest to this one's."""
        (embedding,) = self.retriever.embeddings([item.item_id])
        hits = self.retriever.store.search(embedding, k, (), (item.item_id,))
        return self._there([hit.item_id for hit in hits])

    def _there(self, item_ids: Sequence[str]) -> list[Item]:
        try:
            return self.retriever.get(item_ids) if item_ids else []
        except KeyError:
            return [] if len(item_ids) == 1 else [item for item_id in item_ids for item in self._there([item_id])]

    def n_fitting(self, view: View) -> int:
        """How many items pass the filters of what is shown. A search without any has only its nearest."""
        turn = view.searched
        if turn is not None and not turn.plan.filters:
            return len(view.found() or ())
        return self.retriever.count(turn.plan.filters if turn else ())

    def picture_to_crop(self, view: View, files: Sequence[str] = ()) -> Image:
        """What is about to be sent, else the selected item's picture, else the latest upload of this branch.

        A copy that may be served. Raises MessageError without any, ImageError for a file that is no picture.
        """
        uploads = [image.path for turn in view.branch for image in turn.message.images]
        item = self.item(view.selected) if view.selected else None
        source = next(iter([*files[-1:], *([item.image.path] if item else []), *uploads[-1:]]), None)
        if source is None:
            raise MessageError("Add a photo or click on an item first; then you can choose a part of it here.")
        return store_upload(source, self.folder / UPLOADS)

    def export(self, session: Session) -> str | None:
        """The path of the session as JSONL; None while nothing was said."""
        if not session.turns:
            return None
        stem = self.folder / "exports" / session.session_id / f"dimity-{len(session.turns)}-turns"
        made = (stem.with_name(stem.name + ending) for ending in (".jsonl", ".zip"))
        return str(next((path for path in made if path.exists()), None) or write_bundle(session, stem))

    def link(self, view: View) -> str:
        """The token of a link to this conversation. Raises MessageError while nothing was said."""
        if not view.session.turns:
            raise MessageError("There is nothing to link to yet. Say what you are looking for first.")
        return self.shelf.put(view.session)

    # --- conversations from elsewhere ---

    def opened(self, view: View, path: str) -> View:
        """At the latest turn of a saved conversation. Raises MessageError for a file that is none."""
        return self._at_its_end(view, read_bundle(Path(path), self.folder / UPLOADS))

    def opened_link(self, view: View, token: str) -> View:
        """Raises MessageError for a link that leads nowhere."""
        return self._at_its_end(view, self.shelf.take(token, self.folder / UPLOADS))

    @staticmethod
    def _at_its_end(view: View, session: Session) -> View:
        latest = session.latest
        return replace(view.unselected(), session=session, head=latest.turn_number if latest else None)

    # --- what a visitor does ---

    def send(
        self,
        view: View,
        text: str,
        files: Sequence[str] = (),
        filters: tuple[Filter, ...] = (),
        tell: Tell | None = None,
    ) -> View:
        """`filters` are those that the panel shows.

        Raises ImageError for a file that is not a picture, MessageError for a message with nothing in it.
        """
        images = tuple(store_upload(path, self.folder / UPLOADS) for path in files)
        text, named = pictures_named_in(text, self.folder / UPLOADS)
        images += named
        by_hand = _by_hand(view, filters)
        if not (text.strip() or images or view.selected or set(by_hand) - set(view.held_filters)):
            raise MessageError("Type what you are looking for, add a photo, or click on an item first.")
        return self._answer(view, Message(text.strip(), images, view.selected, by_hand), tell)

    def remove_chip(self, view: View, number: int) -> View:
        """`number` counts `view.chips()`."""
        chips_shown = view.chips()
        if number >= len(chips_shown):  # a second click, or an old page
            return view
        chip = chips_shown[number]
        return self._run(view, f"Without: {chip.label}", chip.plan_without_it)

    def take_offer(self, view: View, number: int) -> View:
        offers = view.turn.reply.offers if view.turn else ()
        if number >= len(offers):
            return view
        offer = offers[number]
        return self._run(view, offer.label, offer.plan)

    def apply_filters(
        self, view: View, filters: tuple[Filter, ...], shown: Sequence[Filter] | None = None, words: str | None = None
    ) -> View:
        """The same wish under the panel's filters: new ones are set by hand, those that it `shown` before and lacks now
        go. Other words run as an edited plan."""
        by_hand = _by_hand(view, filters)
        turn = view.searched
        gone = [f for f in (view.held_filters if shown is None else shown) if f not in filters]
        if turn is None or not (gone or (words is not None and words.strip() != turn.plan.text)):
            new = set(by_hand) - set(view.held_filters)
            return self._answer(view, Message(filters=by_hand)) if new else view
        kept = tuple(f for f in turn.plan.filters if f not in gone and f not in by_hand)
        text = turn.plan.text if words is None else words.strip()
        plan = replace(_rerun(turn.plan), filters=(*kept, *by_hand), text=text)
        return self._run(view, f"Changed: {plan_label(plan)}", plan)

    def clear_filters(self, view: View) -> View:
        """Runs the latest search again without what was set by hand, if anything was."""
        turn = view.searched
        if turn is None or not view.held_filters:
            return view
        left = tuple(condition for condition in turn.plan.filters if condition not in view.held_filters)
        return self._run(view, "Clear filters", replace(_rerun(turn.plan), filters=left))

    def select(self, view: View, position: int) -> View:
        """Picking the selected item again lets go of it. Raises MessageError for a place that shows nothing."""
        items = self.items(view)
        if not 0 <= position < len(items):
            raise MessageError(NO_LONGER_SHOWN)
        item_id = items[position].item_id
        return replace(view, selected=None if item_id == view.selected else item_id)

    def choose(self, view: View, item_id: str) -> View:
        """Selects an item by name. Raises MessageError for one that the gallery does not have."""
        if self.item(item_id) is None:
            raise MessageError(NO_LONGER_SHOWN)
        return replace(view, selected=item_id)

    def retry(self, view: View) -> View:
        """The same message again, beside the turn that it made before."""
        if view.turn is None:
            return view
        return self._answer(replace(view, head=view.turn.parent), view.turn.message)

    def part_of(self, picture: str, box: Sequence[float] | None, files: Sequence[str]) -> list[str]:
        """`files` with the part, kept as an upload, in place of the picture that `picture_to_crop` gave.

        `box` as in `picture_files.crop`. Raises ImageError for a box without anything in it, MessageError without any.
        """
        uploads = self.folder / UPLOADS
        path = Path(picture)
        if not picture or not box or path.parent != uploads or not path.is_file():
            raise MessageError("Drag over the part of the photo that you mean first.")
        part = crop(Image(path.stem, str(path)), box, uploads)
        return [*(file for file in files if store_upload(file, uploads).path != picture), part.path]

    def keep_drawing(self, canvas: Picture | None) -> str:
        """The path of the drawing, kept as an upload. Raises MessageError for an empty canvas."""
        if canvas is None or canvas.getchannel("A").getextrema()[1] == 0:
            raise MessageError("Draw something first: choose the brush and outline what you mean.")
        return store_upload(_filling(canvas), self.folder / UPLOADS).path

    def _run(self, view: View, words: str, plan: Plan) -> View:
        """A plan edited by hand; of the filters in the panel those stay that the plan still has.

        It is a search of its own, without a turn that it builds on: otherwise a plan that was run before would be read
        as "show me more" and leave out what it found then.
        """
        held = tuple(condition for condition in view.held_filters if condition in plan.filters)
        return self._answer(view, Message(words, filters=held, plan=replace(plan, reference_turn=None)))

    def _answer(self, view: View, message: Message, tell: Tell | None = None) -> View:
        # A message without a parent would follow the session's latest turn: before the first step is a new session.
        session = view.session if view.head is not None else View.new().session
        turn = self.assistant.respond(session, replace(message, parent=view.head), tell)
        return replace(view.unselected(), session=session.append(turn), head=turn.turn_number)


def _by_hand(view: View, filters: Sequence[Filter]) -> tuple[Filter, ...]:
    """Of the filters in the panel those that were set there: it also shows what was understood."""
    understood = view.searched.plan.filters if view.searched else ()
    return tuple(f for f in filters if f in view.held_filters or f not in understood)


def _rerun(plan: Plan) -> Plan:
    """The plan as a search of its own; a rollback that only showed a turn again is run as what that turn was."""
    intent = plan.action
    if intent is Intent.ROLLBACK:
        intent = Intent.MODIFY if plan.references else Intent.SEARCH
    return replace(plan, intent=intent, then=None, notes=())


def _filling(canvas: Picture) -> Picture:
    """What is drawn, in the middle of a square with a narrow margin: as large as products are in their pictures."""
    box = canvas.getchannel("A").getbbox() or (0, 0, *canvas.size)
    width, height = box[2] - box[0], box[3] - box[1]
    side = round(max(width, height) * (1 + 2 * DRAWING_MARGIN))
    left, top = box[0] - (side - width) // 2, box[1] - (side - height) // 2
    return canvas.crop((left, top, left + side, top + side))  # what lies outside of the canvas is transparent

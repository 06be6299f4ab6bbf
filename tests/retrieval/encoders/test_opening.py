import json
import os
import shutil
from importlib.util import find_spec

import numpy as np
import pytest

from retrieval.encoders.embedded import DEFAULT_FOLDER, EmbeddedEncoder
from retrieval.encoders.opening import OPENED_BY, open_encoder
from retrieval.errors import DependencyError, EncoderError
from retrieval.schema import Query


def card_of(folder, **card):
    folder.mkdir()
    (folder / "card.json").write_text(json.dumps(card))
    return folder


def test_a_card_without_a_kind_is_late_fusion():
    opened, named = open_encoder(DEFAULT_FOLDER), open_encoder(DEFAULT_FOLDER, caption_weight=0.5)
    assert isinstance(opened, EmbeddedEncoder)
    assert opened.manifest == EmbeddedEncoder.open().manifest
    assert named.manifest == EmbeddedEncoder.open(caption_weight=0.5).manifest != opened.manifest


def test_large_files_lie_in_the_base_and_the_vectors_are_the_same(tmp_path):
    card = json.loads((DEFAULT_FOLDER / "card.json").read_text("utf8"))
    shutil.copytree(DEFAULT_FOLDER, tmp_path / "base", copy_function=os.symlink)
    folder = card_of(tmp_path / "system", **card | {"base": "../base", "name": "mine", "towers": card["name"]})
    queries = [Query("q", "red dress")]
    assert open_encoder(folder).manifest == open_encoder(DEFAULT_FOLDER).manifest
    np.testing.assert_array_equal(
        open_encoder(folder).encode_queries(queries), open_encoder(DEFAULT_FOLDER).encode_queries(queries)
    )


def test_no_card_a_damaged_one_and_an_unknown_kind_are_refused_with_what_to_do(tmp_path):
    with pytest.raises(EncoderError, match="name a folder with a card"):
        open_encoder(tmp_path)
    for text in ("{", "[]", "[" * 100_000):
        (tmp_path / "card.json").write_text(text)
        with pytest.raises(EncoderError, match="is damaged"):
            open_encoder(tmp_path)
    for kind in ("irr", ["late_fusion"], None):
        (tmp_path / "card.json").write_text(json.dumps({"kind": kind}))
        with pytest.raises(EncoderError, match="It knows: cfir, "):
            open_encoder(tmp_path)


@pytest.mark.parametrize(
    "kind", sorted({*OPENED_BY} - {"late_fusion", "fashion_am", "dialog_manager", "cfir", "mai", "clip"})
)
def test_a_system_whose_towers_are_not_named_or_gone_is_refused(tmp_path, kind):
    address = {"url": "http://127.0.0.1:1", "model": "m"}
    with pytest.raises(EncoderError, match="over which towers"):
        open_encoder(card_of(tmp_path / "a", kind=kind, **address))
    with pytest.raises(EncoderError, match="which are gone"):
        open_encoder(card_of(tmp_path / "b", kind=kind, base="../nowhere", **address))


@pytest.mark.skipif(find_spec("torch") is not None, reason="torch is here")
@pytest.mark.parametrize("kind", ["dialog_manager", "clip"])
def test_a_kind_that_needs_torch_says_where_to_get_it(tmp_path, kind):
    with pytest.raises(DependencyError, match=r"needs torch.*requirements-train\.txt"):
        open_encoder(card_of(tmp_path / "system", format=1, kind=kind))


def test_a_system_behind_a_server_names_it(tmp_path):
    with pytest.raises(EncoderError, match="names no server"):
        open_encoder(card_of(tmp_path / "a", kind="fashion_am_remote", base=str(DEFAULT_FOLDER)))

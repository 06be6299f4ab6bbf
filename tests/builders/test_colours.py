import pytest

from builders.colours import ALSO_NAMES, FAMILIES, MIXED, WORD_IN_NAME, families, families_in, is_word


def test_plain_colours_may_be_called_themselves() -> None:
    plain = {name for names in FAMILIES.values() for name in names}
    assert all(name in families(name) for name in plain)


def test_an_unknown_colour_is_a_family_of_its_own() -> None:
    assert families("gooseberry") == {"gooseberry"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Navy Blue", {"blue", "black"}), ("off-white", {"white", "beige"}), ("Off White", {"white", "beige"}),
        ("Lime Green", {"green", "yellow"}), ("Multi", set()), ("Metallic", set()), ("", set()), ("a bored man", set()),
        ("red and olive", {"red", "green", "brown"}),
    ],
)  # fmt: skip
def test_colours_are_found_in_a_text(text: str, expected: set[str]) -> None:
    assert families_in(text) == expected


def test_words_that_name_models_are_no_colours_in_a_name() -> None:
    assert WORD_IN_NAME.findall("ruby denim shirt in off white and navy blue") == ["off white", "navy blue"]
    assert FAMILIES.keys() >= ALSO_NAMES


def test_a_word_that_names_a_cloth_as_well_is_not_always_a_colour() -> None:
    assert [is_word(word) for word in ("navy", "ruby", "navy blue", "denim", "gooseberry")] == [
        True, True, False, False, False,
    ]  # fmt: skip


def test_mixed_colours_name_no_plain_one() -> None:
    assert all(not families_in(word) for word in MIXED)

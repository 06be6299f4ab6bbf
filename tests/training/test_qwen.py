"""The paper's query encoder on the smallest Qwen3.5 there is: the real classes, random weights, a few steps."""

from dataclasses import replace

import pytest
import torch
from PIL import Image as Pictures

from retrieval.errors import EncoderError
from retrieval.fashion_am import loop
from retrieval.fashion_am.chat import ChatLimits, chat_template
from retrieval.fashion_am.context import open_template
from retrieval.fashion_am.gradcache import grad_cached
from retrieval.fashion_am.losses import query_loss
from retrieval.fashion_am.qwen import ContextReader, QwenData, QwenQueryEncoder, QwenSettings, open_qwen
from retrieval.schema import HistoryTurn, Image, Query
from tests.training.tiny_models import save_qwen

LIMITS = ChatLimits(pictures=2, picture_tokens=6, least_tokens=2)
DIM, SUFFIX = 16, 3
COLOURS = ["red", "navy", "olive", "pink", "black", "gold"]


def shown(image: Image) -> Pictures.Image:
    side = 40 + 20 * int(image.image_id)
    return Pictures.new("RGB", (side, 80), COLOURS[int(image.image_id)])


def picture(i: int) -> Image:
    return Image(str(i), f"{i}.png")


QUERIES = [
    Query("1/1", "a red dress"),
    Query("1/2", "longer", (picture(0),), (HistoryTurn("a red dress", (), picture(0)),)),
    Query("1/3", "in blue, with sleeves and a collar", (picture(1),), (
        HistoryTurn("a red dress", (), picture(0)), HistoryTurn("longer", (picture(0),), picture(1)),
    )),
    Query("2/1", "", (picture(2), picture(3))),
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_qwen(tmp_path_factory.mktemp("qwen"))


@pytest.fixture(scope="module")
def reader(folder) -> ContextReader:
    return ContextReader(
        open_qwen(str(folder), LIMITS)[1], replace(open_template("full"), instruction=""), LIMITS, shown
    )


def made(folder, suffix: int = SUFFIX, dropout: float = 0.05) -> QwenQueryEncoder:
    torch.manual_seed(3)
    return QwenQueryEncoder(open_qwen(str(folder), LIMITS)[0], DIM, QwenSettings(suffix, dropout, LIMITS))


@pytest.fixture(scope="module")
def encoder(folder) -> QwenQueryEncoder:
    return made(folder).eval()


def test_a_vector_depends_neither_on_padding_nor_on_the_others_of_its_batch(encoder, reader):
    with torch.no_grad():
        together = encoder(*reader(QUERIES))
        alone = torch.cat([encoder(*reader([query])) for query in QUERIES])
    torch.testing.assert_close(together, alone, atol=2e-6, rtol=0)
    torch.testing.assert_close(together.norm(dim=1), torch.ones(len(QUERIES)))
    assert (together @ together.T).triu(1).max() < 0.9999, "the queries do not tell"


def test_padding_stands_on_the_left(reader):
    _, mask, *_ = reader(QUERIES)
    assert mask[:, -1].all()
    assert (mask.diff(dim=1) >= 0).all()


def test_positions_are_those_of_the_models_own_rule_for_a_text_that_goes_on(encoder, reader):
    ids, mask, kinds, _, grid = reader(QUERIES)
    ours: list[torch.Tensor] = []
    hook = encoder.backbone.language_model.register_forward_pre_hook(
        lambda _, __, given: ours.append(given["position_ids"]), with_kwargs=True
    )
    with torch.no_grad():
        encoder(*reader(QUERIES))
    hook.remove()
    longer = [
        torch.nn.functional.pad(each, (0, SUFFIX), value=value) for each, value in ((ids, 5), (kinds, 0), (mask, 1))
    ]
    theirs, _ = encoder.backbone.get_rope_index(longer[0], longer[1], image_grid_thw=grid, attention_mask=longer[2])
    real = longer[2].bool()
    assert torch.equal(ours[0][:, real], theirs[:, real])


def test_the_models_own_reading_of_pictures_and_words_gives_the_same_states(encoder, reader):
    ids, mask, kinds, pixels, grid = reader(QUERIES)
    seen: list[torch.Tensor] = []
    hook = encoder.backbone.language_model.register_forward_hook(lambda _, __, out: seen.append(out.last_hidden_state))
    with torch.no_grad():
        encoder(ids, mask, kinds, pixels, grid)
        encoder.backbone(ids, mask, mm_token_type_ids=kinds, pixel_values=pixels, image_grid_thw=grid)
    hook.remove()
    real = mask.bool()
    torch.testing.assert_close(seen[0][:, :-SUFFIX][real], seen[1][real], atol=1e-5, rtol=1e-5)


def test_only_the_newest_pictures_are_shown_and_the_prompt_is_the_chat_template(reader):
    ids, _, _, _, grid = reader([QUERIES[2], QUERIES[3]])
    assert len(grid) == 4
    text = reader.processor.tokenizer.decode(ids[0])
    assert text.count("<|vision_start|>") == 2
    assert "(no longer shown)" not in text
    three = replace(QUERIES[2], references=(picture(4),))
    text = reader.processor.tokenizer.decode(reader([three])[0][0])
    assert text.count("<|vision_start|>") == 2
    assert text.index("(no longer shown)") < text.index("<|vision_start|>")
    assert text.endswith("<|im_end|>\n<|im_start|>assistant\n")
    assert chat_template(2) == chat_template() + "<|suffix_0|><|suffix_1|>"


def test_words_that_look_like_tokens_stay_words(encoder, reader):
    ids, _, kinds, pixels, _ = reader([Query("1/1", "a dress<|im_end|><|image_pad|>")])
    assert not len(pixels)
    assert not kinds.any()
    assert reader.processor.tokenizer.decode(ids[0]).count("<|im_end|>") == 1


def test_lora_reaches_attention_delta_net_and_mlp_of_the_language_model_alone(encoder):
    trained = {name for name, parameter in encoder.named_parameters() if parameter.requires_grad}
    for part in ("q_proj", "k_proj", "v_proj", "o_proj", "in_proj_qkv", "in_proj_z", "out_proj", "gate_proj", "up_proj",
                 "down_proj"):  # fmt: skip
        assert any(f".{part}.lora_A" in name for name in trained), part
    assert not [name for name in trained if "visual" in name]
    assert {name for name in trained if "lora" not in name} == {
        "encoder.suffix", "encoder.head.norm.weight", "encoder.head.norm.bias", "encoder.head.linear.weight",
        "encoder.head.linear.bias",
    }  # fmt: skip


def run(folder, reader, out, epochs: int = 1, chunk: int = 4) -> tuple[QwenQueryEncoder, list[float]]:
    """Stage 3 as `query.train` does it: four conversations against four targets."""
    encoder, data, losses = made(folder), QwenData(reader, chunk), []
    targets = torch.nn.functional.normalize(torch.randn(len(QUERIES), DIM, generator=torch.manual_seed(5)), dim=1)

    def backward(queries) -> float:
        order = data.by_length(queries)
        chunks = data.chunks([queries[i] for i in order])
        nothing = torch.zeros(len(queries), len(queries), dtype=torch.bool)
        loss = lambda rows: query_loss(rows, targets, torch.tensor(order), nothing)  # noqa: E731
        losses.append(grad_cached(lambda each: encoder(*each), chunks, loss))
        return losses[-1]

    groups = [{"params": [p for p in encoder.parameters() if p.requires_grad], "lr": 5e-4, "weight_decay": 0.0}]
    schedule = loop.Schedule(epochs, warmup=1, save_every=2)
    loop.run(encoder, groups, lambda _: iter([QUERIES] * 4), 4, backward, schedule, out, {"epochs": epochs})
    return encoder, losses


def test_the_loss_falls_and_a_checkpoint_of_what_is_trained_brings_the_encoder_back(folder, reader, tmp_path):
    trained, losses = run(folder, reader, tmp_path, epochs=3)
    assert losses[-1] < 0.7 * losses[0], losses
    kept = torch.load(tmp_path / "checkpoint.pt", weights_only=True)["module"]
    again = made(folder).eval()
    again.load_state_dict(kept, strict=False)
    with torch.no_grad():
        torch.testing.assert_close(again(*reader(QUERIES)), trained(*reader(QUERIES)))
    assert not [name for name in kept if "base_layer" in name or "visual" in name], "what is frozen is kept"


def test_cached_gradients_equal_those_of_the_whole_batch(folder, reader):
    gradients = []
    for chunk in (1, 4):
        encoder = made(folder, dropout=0.0).train()
        chunks = QwenData(reader, chunk).chunks(QUERIES)
        loss = lambda rows: (rows * torch.arange(4)[:, None]).sum().sin()  # noqa: E731
        grad_cached(lambda each, encoder=encoder: encoder(*each), chunks, loss)
        gradients.append(torch.cat([p.grad.flatten() for p in encoder.parameters() if p.requires_grad]))
    torch.testing.assert_close(gradients[0], gradients[1], atol=1e-5, rtol=1e-3)


def test_frozen_weights_in_16_bits_leave_what_is_trained_in_32(folder, reader):
    model, _ = open_qwen(str(folder), LIMITS, precision="bf16")
    encoder = QwenQueryEncoder(model, DIM, QwenSettings(SUFFIX, 0.0, LIMITS))
    assert {parameter.dtype for parameter in encoder.parameters() if parameter.requires_grad} == {torch.float32}
    assert encoder.backbone.get_input_embeddings().weight.dtype == torch.bfloat16
    with torch.autocast("cpu", torch.bfloat16):
        vectors = encoder(*reader(QUERIES))
    assert vectors.dtype == torch.float32
    vectors.sum().backward()
    assert torch.isfinite(encoder.encoder.suffix.grad).all()


def test_a_name_without_a_model_is_an_error(tmp_path):
    with pytest.raises(EncoderError, match="no Qwen3"):
        open_qwen(str(tmp_path / "nothing"), LIMITS)

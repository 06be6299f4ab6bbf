"""The paper's size: CLIP ViT-L/14 and Qwen3.5-4B. What the paper states, and what we had to decide, stage by stage.

    TRAIN="torchrun --nproc_per_node 4 -m retrieval.fashion_am.train"
    $TRAIN background --size paper --start openai/clip-vit-large-patch14 --precision bf16 --benchmark B --fpi F
    $TRAIN language --size paper --start runs/background/clip --precision bf16 --benchmark B --fpi F
    $TRAIN query --size paper --towers runs/language/clip --backbone Qwen/Qwen3.5-4B --precision bf16 --benchmark B \\
        --export runs/served

Names are those of a hub or folders; `open_clip:ViT-L-14/openai` is a model of open_clip. A 9B is only another name.

The paper used 4 L40S (48 GB each) and does not say how long it took. Our estimate from operation counts, with 27 % of a
GPU's peak in use, on DIM-Fashion as published (18,724 training sessions, 74,000 turns): stages 1 and 2 minutes to an
hour each, mostly decoding pictures; stage 3 about 4.5 hours on 4 L40S, about 4.5 hours on one 80 GB H100 (1,250 tokens
a turn; a turn is read four times and carried back twice). NOT MEASURED: nothing of this size has been run.

Scores that the paper states for this size on its own benchmark: R@5 51.0, R@8 60.1, mAP 54.7.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from retrieval.fashion_am.background import AlignSettings
from retrieval.fashion_am.chat import ChatLimits
from retrieval.fashion_am.language import LanguageSettings
from retrieval.fashion_am.query import QuerySettings

ALIGN = AlignSettings(epochs=32, batch=256, mu=1.0, scope="all", rate=1e-5, average=0.0, drawn=0.0, warmup=100)
"""Stated: epochs, batch, rate, the whole tower. Ours: mu, warm-up, weight decay."""
LANGUAGE = LanguageSettings(
    epochs=32, batch=256, scope="last2", rate=5e-6, average=0.0, warmup=100,
    name_share=0.0, other_texts=0, swaps=0, clean=0.0, drawn=0.0,
)  # fmt: skip
"""Stated: epochs, batch, rate, scope, raw pictures against captions of the batch. Ours: warm-up, weight decay."""
QUERY = QuerySettings(
    epochs=2, batch=256, negatives=0, temperature=0.07, suffix=64, residual=False, lora_rate=2e-5, head_rate=1e-4,
    dropout=0.05, warmup=30, average=0.0, cached=True, chunk=4, single=False, pointer=0.0,
)  # fmt: skip
"""Stated: epochs, batch by gradient caching, temperature, M, rates, LoRA of rank 16. Ours: alpha 32, dropout, chunk (as
many conversations as one GPU holds the graph of), and the suffix at the head's rate."""
LIMITS = ChatLimits()
"""Ours: the paper does not say how many pictures, and how large."""
CHUNK = 64
"""Pictures of stages 1 and 2 that one GPU holds the graph of."""
SETTINGS: dict[str, Any] = {"background": ALIGN, "language": LANGUAGE, "query": QUERY}


def defaults(stage: str) -> dict[str, Any]:
    """What options of a stage stand at when nothing else is said."""
    return asdict(SETTINGS[stage])

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from retrieval.errors import TrainingError
from retrieval.fashion_am import loop
from retrieval.fashion_am.gradcache import grad_cached
from retrieval.fashion_am.loop import Schedule
from retrieval.fashion_am.losses import query_loss
from retrieval.fashion_am.processes import gather_rows, open_accelerator, own_share

ROOT = Path(__file__).parents[2]
SCHEDULE = Schedule(epochs=2, warmup=1, average=0.5, save_every=2)
N_BATCHES, N_ROWS = 3, 7


class Encoder(nn.Module):
    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.Dropout(dropout), nn.Linear(8, 4))
        self.log_scale = nn.Parameter(torch.tensor(1.0))
        self.without_gradient = nn.Parameter(torch.tensor(1.0))

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return F.normalize(self.layers(rows), dim=1)


def batches(epoch: int):
    generator = torch.Generator().manual_seed(epoch)
    for _ in range(N_BATCHES):
        yield torch.randn(N_ROWS, 6, generator=generator), torch.randn(9, 4, generator=generator)


def trained(out: Path, accelerator=None, dropout: float = 0.0, stop_after: int | None = None) -> nn.Module:
    """Each process starts from other weights, of which those of the first must win."""
    torch.manual_seed(0 if accelerator is None else accelerator.process_index)
    module = Encoder(dropout)
    n_done = 0

    def backward(batch) -> float:
        nonlocal n_done
        if n_done == stop_after:
            raise KeyboardInterrupt
        n_done += 1
        rows, gallery = batch
        target, masked = torch.arange(N_ROWS), torch.zeros(N_ROWS, 9, dtype=torch.bool)
        return grad_cached(
            module,
            own_share(rows, accelerator).split(2),
            lambda queries: query_loss(queries * module.log_scale.exp(), F.normalize(gallery), target, masked),
            accelerator,
        )

    groups = [{"params": list(module.parameters()), "lr": 1e-2, "weight_decay": 0.1}]
    return loop.run(module, groups, batches, N_BATCHES, backward, SCHEDULE, out, {}, accelerator=accelerator)


def in_each_process(out: Path) -> None:
    """What each of several processes does; see the test below."""
    accelerator = open_accelerator()
    rows, first = gather_rows(torch.full((accelerator.process_index + 1, 2), accelerator.process_index), accelerator)
    assert rows[:, 0].tolist() == [0, 1, 1]
    assert first == accelerator.process_index
    trained(out / "plain", accelerator)
    whole = trained(out / "whole", accelerator, dropout=0.4)
    try:
        trained(out / "cut", accelerator, dropout=0.4, stop_after=3)
    except KeyboardInterrupt:
        accelerator.wait_for_everyone()
    resumed = trained(out / "cut", accelerator, dropout=0.4)
    for a, b in zip(whole.parameters(), resumed.parameters(), strict=True):
        assert torch.equal(a, b), "a resumed run has other weights"
    accelerator.end_training()


def test_two_processes_train_as_one_does(tmp_path):
    launch = ["torch.distributed.run", "--nproc_per_node=2", "--standalone"]
    command = [sys.executable, "-m", *launch, str(Path(__file__)), str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]

    alone = trained(tmp_path / "alone")
    kept = torch.load(tmp_path / "plain" / "checkpoint.pt", weights_only=True)
    for name, value in alone.state_dict().items():
        torch.testing.assert_close(kept["averaged"][f"module.{name}"], value, atol=1e-5, rtol=0, msg=name)
    losses = [notes(tmp_path / name, "loss") for name in ("plain", "alone")]
    assert losses[0] == pytest.approx(losses[1], abs=1e-5)
    steps = notes(tmp_path / "cut", "step")
    assert steps == [2, 3, 4, 6], "one process writes, and nothing twice"


def notes(out: Path, key: str) -> list[float]:
    import json

    return [json.loads(line)[key] for line in (out / "metrics.jsonl").read_text().splitlines()]


def test_shares_are_the_rows_in_order():
    class Place:
        num_processes = 3

        def __init__(self, rank: int) -> None:
            self.process_index = rank

    for n in (3, 7, 8):
        shares = [own_share(range(n), Place(rank)) for rank in range(3)]
        assert [row for share in shares for row in share] == list(range(n))
        assert max(map(len, shares)) - min(map(len, shares)) <= 1


def test_a_stage_without_an_accelerator_is_not_run_by_several_processes(tmp_path, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(TrainingError, match="without torchrun"):
        trained(tmp_path)
    assert not any(tmp_path.iterdir())


BF16 = """
import torch
from torch import nn
from retrieval.fashion_am.gradcache import grad_cached
from retrieval.fashion_am.processes import open_accelerator
accelerator = open_accelerator("bf16")
assert accelerator.mixed_precision == "bf16"
layer, seen = nn.Linear(4, 4).to(accelerator.device), []
def encode(rows):
    out = layer(rows.to(accelerator.device))
    seen.append(out.dtype)
    return out
def loss(rows):
    seen.append(rows.dtype)
    return rows.square().mean()
value = grad_cached(encode, torch.ones(4, 4).split(2), loss, accelerator)
assert value > 0 and layer.weight.grad.dtype == torch.float32 and layer.weight.grad.abs().sum() > 0
print(seen)
"""


def test_half_precision_encodes_in_bfloat16_and_sums_up_in_float32():
    done = subprocess.run([sys.executable, "-c", BF16], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    half, full = "torch.bfloat16", "torch.float32"
    assert done.stdout.strip() == f"[{half}, {half}, {full}, {half}, {half}]"


if __name__ == "__main__":
    torch.set_num_threads(1)
    in_each_process(Path(sys.argv[1]))

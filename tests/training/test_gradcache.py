import pytest
import torch
from torch import nn

from retrieval.errors import TrainingError
from retrieval.fashion_am.gradcache import grad_cached
from retrieval.fashion_am.losses import query_loss

TARGETS = torch.arange(7)
ROWS = torch.randn(7, 6, generator=torch.Generator().manual_seed(1))
GALLERY = nn.functional.normalize(torch.randn(9, 4, generator=torch.Generator().manual_seed(2)), dim=1)


class Encoder(nn.Module):
    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.Dropout(dropout), nn.Linear(8, 4))
        self.log_scale = nn.Parameter(torch.tensor(1.0))

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return nn.functional.normalize(self.layers(rows), dim=1)

    def loss(self, rows: torch.Tensor) -> torch.Tensor:
        return query_loss(rows * self.log_scale.exp(), GALLERY, TARGETS, torch.zeros(7, 9, dtype=torch.bool))


def encoder(dropout: float) -> Encoder:
    torch.manual_seed(0)
    return Encoder(dropout).train()


def gradients(module: nn.Module) -> dict[str, torch.Tensor]:
    return {name: parameter.grad for name, parameter in module.named_parameters()}


@pytest.mark.parametrize("dropout", [0.0, 0.5])
@pytest.mark.parametrize("lengths", [[3, 3, 1], [7], [1, 4, 2]])
def test_a_gradient_cached_step_equals_the_plain_step(dropout, lengths):
    plain, cached = encoder(dropout), encoder(dropout)
    torch.manual_seed(5)
    loss = plain.loss(torch.cat([plain(chunk) for chunk in ROWS.split(lengths)]))
    loss.backward()
    after = torch.get_rng_state()
    torch.manual_seed(5)
    value = grad_cached(cached, ROWS.split(lengths), cached.loss)
    assert value == pytest.approx(loss.item())
    torch.testing.assert_close(gradients(cached), gradients(plain))
    assert torch.equal(torch.get_rng_state(), after), "the next step draws other numbers than after a plain step"


def test_a_loss_that_is_not_finite_carries_nothing_back():
    module = encoder(0.0)
    value = grad_cached(module, ROWS.split(3), lambda rows: (rows * float("inf")).sum() * 0)
    assert value != value
    assert all(gradient is None for gradient in gradients(module).values())


def test_a_batch_without_rows_is_refused():
    with pytest.raises(TrainingError, match="raise --batch"):
        grad_cached(encoder(0.0), [], lambda rows: rows.sum())

import torch

from retrieval.fashion_am.losses import multi_positive_loss


def test_with_one_positive_each_it_is_the_symmetric_clip_loss():
    logits = torch.randn(7, 7)
    target = torch.arange(7)
    clip = (torch.nn.functional.cross_entropy(logits, target) + torch.nn.functional.cross_entropy(logits.T, target)) / 2
    torch.testing.assert_close(multi_positive_loss(logits, torch.eye(7, dtype=torch.bool)), clip)


def test_two_equal_positives_share_the_probability():
    logits = torch.tensor([[1.0, 1.0, -9.0], [1.0, 1.0, -9.0], [-9.0, -9.0, 1.0]])
    positives = torch.tensor([[1, 1, 0], [1, 1, 0], [0, 0, 1]], dtype=torch.bool)
    expected = -(2 * torch.log_softmax(logits[0], 0)[0] + torch.log_softmax(logits[2], 0)[2]) / 3
    torch.testing.assert_close(multi_positive_loss(logits, positives), expected)

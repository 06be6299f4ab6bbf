"""A model server's POST /pooling, as vLLM has it: the hidden states of a conversation's last tokens.

`fashion_am/serving.py` says how it is to be started.
"""

from __future__ import annotations

import base64
import binascii
import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from retrieval.errors import ChatError, EncoderError

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How a server is asked."""

    model: str = "fashion-am"
    """Its --served-model-name."""
    timeout_s: float = 60.0
    attempts: int = 3
    """Times that one query is sent, while the server cannot be reached or is too busy."""
    wait_s: float = 0.5
    """Before the second attempt; doubled before each further one."""
    parallel: int = 8
    """Queries under way at once; the server makes batches of them."""
    api_key: str = ""


class PoolingServer:
    """One server, by the address that the user gave. Safe to use from several threads."""

    def __init__(self, url: str, options: ServerOptions) -> None:
        self.url, self._options = url.rstrip("/"), options

    def states(self, messages: list[dict[str, Any]], suffix: int, width: int) -> NDArray[np.float32]:
        """Of the last `suffix` tokens of a conversation: float32 (suffix, width).

        Raises EncoderError for another answer, ChatError for none.
        """
        answer = self._asked(
            {
                "model": self._options.model,
                "messages": messages,
                "task": "token_embed",
                "use_activation": False,
                "encoding_format": "base64",
                "embed_dtype": "float16",
                "endianness": "little",
            }
        )
        try:
            states = _numbers(answer["data"][0]["data"]).reshape(-1, width)
        except (KeyError, IndexError, TypeError, ValueError, binascii.Error) as error:
            raise EncoderError(
                f"The server at {self.url} does not answer with the states of {width} numbers that the model of this "
                f"folder has ({error!r}): serve the folder as retrieval/fashion_am/serving.py says."
            ) from error
        if len(states) < suffix or not np.isfinite(states).all():
            raise EncoderError(
                f"The server at {self.url} answers with {len(states)} states that are not all finite, or fewer than "
                f"the {suffix} of the suffix: serve the folder with pooling_type ALL, in bfloat16 or float32."
            )
        if np.abs(np.linalg.norm(states, axis=1) - 1).max() < 0.01:
            raise EncoderError(
                f"The server at {self.url} scales every state to length 1, which loses what the head needs: serve "
                'with --pooler-config \'{"task": "token_embed", "pooling_type": "ALL", "use_activation": false}\'.'
            )
        return states[-suffix:]

    def _asked(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The server's answer. Only what may pass is tried again: no connection, no answer in time, 429, 5xx.

        Raises EncoderError for a query that is refused, ChatError where there is no answer.
        """
        headers = {"Content-Type": "application/json"}
        if self._options.api_key:
            headers["Authorization"] = f"Bearer {self._options.api_key}"
        request = urllib.request.Request(f"{self.url}/pooling", json.dumps(body).encode(), headers)
        why = ""
        for attempt in range(self._options.attempts):
            if attempt:
                time.sleep(self._options.wait_s * 2 ** (attempt - 1))
            try:
                with urllib.request.urlopen(request, timeout=self._options.timeout_s) as response:
                    answer: dict[str, Any] = json.load(response)
                    return answer
            except urllib.error.HTTPError as error:
                why = f"{error.code}: {error.read(500).decode('utf8', 'replace')}"
                if error.code != http.HTTPStatus.TOO_MANY_REQUESTS and error.code < 500:
                    raise EncoderError(f"The server at {self.url} refuses a query with {why}") from error
            except (OSError, http.client.HTTPException, ValueError) as error:
                why = str(getattr(error, "reason", "") or error) or type(error).__name__
        raise ChatError(
            f"The server at {self.url} gave no answer in {self._options.attempts} attempts ({why}). Is it running? "
            "retrieval/fashion_am/serving.py says how to start it."
        )


def _numbers(data: str | list[Any]) -> NDArray[np.float32]:
    """A server that does not know the format that was asked for gives lists."""
    if isinstance(data, str):
        return np.frombuffer(base64.b64decode(data, validate=True), "<f2").astype(np.float32)
    return np.array(data, np.float32)

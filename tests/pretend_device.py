"""A device in pure Python that computes on the CPU and, like a GPU, refuses to mix its tensors with the CPU's.

    with pretend():
        model = Model().to("pretend")
        model(tokens.to("pretend"))       what a GPU refuses is refused: RuntimeError, "on the same device"

It stands on torch's private-use backend: a `There` is a tensor whose device is "pretend" and whose numbers are in an
ordinary tensor, `raw`. Every operation comes by `run`, which looks where its tensors are, computes with the raw ones,
and wraps what comes out.

Where its coverage ends: it knows nothing of number formats that only a GPU has, of autocast (which is off here), of
torch.compile, streams, pinned memory and NCCL; it computes at a CPU's speed, its kernels are the CPU's, and random
numbers drawn there are the CPU's. It has no generators (`torch.Generator(device)`). `python -m benchmarks.gpu` is for
all of these.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import torch
import torch.utils.backend_registration as registration
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as tree
from torch.utils._mode_utils import no_dispatch
from torch.utils._python_dispatch import TorchDispatchMode

NAME = "pretend"
PACK = torch.ops.aten._pack_padded_sequence.default  # texts there, their lengths and the sizes of its batches here
CROSSING = {torch.ops.aten.copy_.default, torch.ops.aten._to_copy.default, torch.ops.aten.set_.source_Tensor, PACK}


def _lstm_cell(read: Tensor, kept: Tensor, cx: Tensor, *biases: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
    """A step of an LSTM, which torch asks every device but the CPU to do in one piece; [B, 4H], [B, 4H], [B, H]."""
    gates = read + kept + sum(bias for bias in biases if bias is not None)
    i, f, g, o = gates.chunk(4, 1)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    cy = f * cx + i * g
    return o * cy.tanh(), cy, torch.cat([i, f, g, o], 1)


def _lstm_cell_backward(
    grad_hy: Tensor | None, grad_cy: Tensor | None, cx: Tensor, cy: Tensor, gates: Tensor, has_bias: bool
) -> tuple[Tensor, Tensor, Tensor | None]:
    """The gradients of the gates before their nonlinearity [B, 4H], of the former state [B, H], and of the bias."""
    i, f, g, o = gates.chunk(4, 1)
    hy = torch.zeros_like(cy) if grad_hy is None else grad_hy
    d = (0 if grad_cy is None else grad_cy) + hy * o * (1 - cy.tanh() ** 2)
    found = torch.cat([d * g * i * (1 - i), d * cx * f * (1 - f), d * i * (1 - g**2), hy * cy.tanh() * o * (1 - o)], 1)
    return found, d * f, found.sum(0) if has_bias else None


KERNELS = {
    torch.ops.aten._thnn_fused_lstm_cell.default: _lstm_cell,
    torch.ops.aten._thnn_fused_lstm_cell_backward_impl.default: _lstm_cell_backward,
}


class There(torch.Tensor):
    """A tensor of the pretended device around an ordinary one."""

    raw: torch.Tensor

    @staticmethod
    def __new__(cls, raw: torch.Tensor) -> "There":
        return torch.Tensor._make_wrapper_subclass(  # type: ignore[attr-defined, no-any-return]
            cls,
            raw.shape,
            strides=raw.stride(),
            storage_offset=raw.storage_offset(),
            dtype=raw.dtype,
            device=f"{NAME}:0",
            requires_grad=raw.requires_grad,
        )

    def __init__(self, raw: torch.Tensor) -> None:
        self.raw = raw

    def tolist(self) -> Any:
        return self.raw.tolist()

    def numpy(self, *, force: bool = False) -> Any:
        if not force:
            raise TypeError(f"can't convert {NAME} device type tensor to numpy. Use Tensor.cpu() first.")
        return self.raw.numpy(force=True)

    def __format__(self, spec: str) -> str:
        return format(self.item() if self.dim() == 0 else self.raw, spec)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return f"There({self.raw})"

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return run(func, args, kwargs or {})


def run(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """One operation: refused if its tensors are in two places, else computed with the raw ones."""
    tensors = [leaf for leaf in tree.tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
    places = {isinstance(tensor, There) for tensor in tensors if tensor.dim() > 0}  # numbers may cross, as on a GPU
    if len(places) > 1 and func not in CROSSING:
        shapes = [tuple(tensor.shape) for tensor in tensors]
        raise RuntimeError(f"Expected all tensors to be on the same device: {func} got both, of shapes {shapes}")
    if func is PACK and isinstance(args[1], There):
        raise RuntimeError("'lengths' argument should be a 1D CPU int64 tensor")
    device = torch.device(kwargs["device"]) if kwargs.get("device") is not None else None
    raw_args, raw_kwargs = tree.tree_map(bare, (args, kwargs))
    if device is not None and device.type == NAME:
        raw_kwargs["device"] = torch.device("cpu")
    found = KERNELS.get(func, func)(*raw_args, **raw_kwargs)
    if func is torch.ops.aten._local_scalar_dense.default:
        return found
    if func is PACK and isinstance(args[0], There):
        return There(found[0]), found[1]
    if torch.Tag.inplace_view in func.tags and isinstance(args[0], There):  # the wrapper, too, gets the new shape
        with no_dispatch():
            before = torch._C._meta_in_tls_dispatch_include()
            torch._C._set_meta_in_tls_dispatch_include(True)
            try:
                func(*args, **kwargs)
            finally:
                torch._C._set_meta_in_tls_dispatch_include(before)
    if func._schema.is_mutable and isinstance(found, torch.Tensor):
        return args[0] if args and isinstance(args[0], torch.Tensor) else kwargs.get("out", found)
    there = device.type == NAME if device is not None else any(isinstance(tensor, There) for tensor in tensors)
    return tree.tree_map(lambda leaf: There(leaf) if there and isinstance(leaf, torch.Tensor) else leaf, found)


def bare(leaf: Any) -> Any:
    """The raw tensor of a wrapped one."""
    return leaf.raw if isinstance(leaf, There) else leaf


class _Pretend(TorchDispatchMode):
    """Sees the operations that make tensors, which hold none yet."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return run(func, args, kwargs or {})


class _Made(TorchFunctionMode):
    """Tensors that torch makes below the level at which operations are seen are made here first.

    Those of `torch.tensor(..., device=there)`, and those of the lists in `x[:, [1, 0]]`.
    """

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        device = kwargs.get("device")
        if func in (torch.tensor, torch.as_tensor) and device is not None and torch.device(device).type == NAME:
            wanted = {name: value for name, value in kwargs.items() if name not in ("device", "requires_grad")}
            return func(*args, **wanted).to(device).requires_grad_(kwargs.get("requires_grad", False))
        if func in (torch.Tensor.__getitem__, torch.Tensor.__setitem__) and isinstance(args[0], There):
            parts = args[1] if isinstance(args[1], tuple) else (args[1],)
            args = (args[0], tuple(torch.tensor(p).to(NAME) if isinstance(p, list) else p for p in parts), *args[2:])
        return func(*args, **kwargs)


def _register() -> None:
    registration._setup_privateuseone_for_python_backend(NAME)  # type: ignore[attr-defined]
    module = getattr(torch, NAME)
    for name, function in {
        "get_amp_supported_dtype": lambda: [torch.bfloat16, torch.float16],
        "is_autocast_enabled": lambda: False,
        "get_rng_state": lambda device=0: torch.get_rng_state(),
        "set_rng_state": lambda state, device=0: None,
        "is_available": lambda: True,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "manual_seed_all": lambda seed: None,
        "manual_seed": lambda seed: None,
        "_is_in_bad_fork": lambda: False,
        "synchronize": lambda device=None: None,
    }.items():
        if not hasattr(module, name):
            setattr(module, name, function)


@contextmanager
def pretend() -> Iterator[torch.device]:
    """The device, for as long as the block lasts."""
    if not hasattr(torch, NAME):
        _register()
    with _Pretend(), _Made(), mock.patch.object(nn.Module, "to", _to):
        yield torch.device(NAME)


_plain_to = nn.Module.to


def _to(module: nn.Module, *args: Any, **kwargs: Any) -> nn.Module:
    """`module.to` keeps shared weights shared, as it does on a GPU, only if it swaps tensors in place."""
    before = torch.__future__.get_swap_module_params_on_conversion()
    torch.__future__.set_swap_module_params_on_conversion(True)
    try:
        return _plain_to(module, *args, **kwargs)
    finally:
        torch.__future__.set_swap_module_params_on_conversion(before)

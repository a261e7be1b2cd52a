"""What contestants are given, and whether what they return agrees."""

import torch_program


def name_dtypes(torch):
    torch_program.DTYPES.update(
        f64=torch.float64, f32=torch.float32, f16=torch.float16,
        bf16=torch.bfloat16, i64=torch.int64)
    torch_program.NAMES.update(
        {dtype: name for name, dtype in torch_program.DTYPES.items()})


def made(torch, t, limit, generator):
    """Random numbers on the generator's device, laid out as `t` says; with a
    limit, indices below that."""
    dtype, device = torch_program.DTYPES[t.dtype], generator.device
    if limit is not None:
        return torch.randint(limit, t.sizes, generator=generator,
                             device=device)
    values = torch.randn(t.sizes, generator=generator, device=device)
    values = values.to(dtype)
    if t.strides == list(values.stride()):
        return values
    span = 1 + sum((n - 1) * s for n, s in zip(t.sizes, t.strides))
    return torch.empty(span, dtype=dtype, device=device).as_strided(
        t.sizes, t.strides).copy_(values)


def agree(torch, results, expected, more=1):
    """That all run the same program, not that any is right. `more`: how much
    an element may be off by itself, where sums are long."""
    for got, want in zip(results, expected):
        rough = 2e-2 if want.element_size() == 2 else 1e-3
        if not torch.allclose(got.double(), want.double(), rtol=rough,
                              atol=rough * more):
            raise RuntimeError("contestants disagree about a result")

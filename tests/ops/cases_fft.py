# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms: lengths with small and large factors, padding, normalisation, gradients, windows, frames, messages."""
import torch

LINES = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
GRIDS = ["fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn", "fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2"]
FLOAT, DOUBLE, CFLOAT, CDOUBLE = torch.float32, torch.float64, torch.complex64, torch.complex128
TOLERANCE = {FLOAT: 1e-5, DOUBLE: 1e-9, CFLOAT: 1e-5, CDOUBLE: 1e-9}


def wants_real(name):
    return name.startswith(("r", "ihfft"))


def random(shape, dtype, grad=False):
    return torch.randn(shape, dtype=dtype).requires_grad_(grad)


def lines(c):
    for name in LINES:
        op = "aten::fft_" + name
        for dtype in [FLOAT, DOUBLE] if wants_real(name) else [FLOAT, CFLOAT, CDOUBLE]:
            for n in (1, 2, 3, 4, 5, 6, 8, 12, 13, 60, 64, 67, 97):
                if n > 1 or name not in ("irfft", "hfft"):
                    c.call(op, random((2, n), dtype), tolerance=TOLERANCE[dtype], strides=True)
            c.call(op, random((3, 4, 5), dtype).transpose(0, 1), None, 1, "ortho", tolerance=TOLERANCE[dtype], strides=True)
            for n in (3, 5, 8, 30):  # many lines, one after the other and beside each other
                c.call(op, random((11, n), dtype), tolerance=TOLERANCE[dtype])
                c.call(op, random((21, n), dtype), tolerance=TOLERANCE[dtype])
                c.call(op, random((2, n, 9), dtype), None, 1, tolerance=TOLERANCE[dtype])
        x = DOUBLE if wants_real(name) else CDOUBLE
        for n, dim, norm in [(None, -1, None), (4, 0, "forward"), (9, 1, "ortho"), (3, 1, "backward"), (8, -1, "forward")]:
            c.call(op, random((3, 5), x, True), n, dim, norm, grads=True, tolerance=1e-9)
        c.call(op, random((3, 5), DOUBLE, True), grads=True, tolerance=1e-9)
        for dtype in (torch.int64, torch.int8, torch.bool):
            c.call(op, torch.tensor([[1, 0, 3, 1]]).to(dtype), tolerance=1e-5)
        c.call(op, random((0, 4), FLOAT))
        c.call(op + ".out", random((2, 6), FLOAT), None, -1, None, torch.empty(0, dtype=DOUBLE if name in ("irfft", "hfft") else CFLOAT),
               tolerance=1e-5)
        c.call(op, random((2, 4), torch.float16), error="Unsupported dtype Half")
        c.call(op, random((2, 4), FLOAT), 0)
        c.call(op, random((2, 4), FLOAT), -3)
        c.call(op, random((4, 0), FLOAT), error="Invalid number of data points")
        c.call(op, random((2, 4), FLOAT), None, 5)
        c.call(op, random((2, 4), FLOAT), None, -1, "least")
    c.call("aten::fft_rfft", random((2, 4), CFLOAT))
    c.call("aten::fft_ihfft", random((2, 4), CFLOAT))


def grids(c):
    for name in GRIDS:
        op = "aten::fft_" + name
        dtype = DOUBLE if wants_real(name) else CDOUBLE
        c.call(op, random((3, 4, 6), dtype, True), grads=True, tolerance=1e-9, strides=True)
        c.call(op, random((3, 4, 6), dtype, True), [5, 3], [0, 1], "ortho", grads=True, tolerance=1e-9)
        c.call(op, random((3, 4, 6), dtype, True), [2, -1], [2, 0], "forward", grads=True, tolerance=1e-9)
        c.call(op, random((3, 4, 6), FLOAT), [7, 8], [-1, 1], tolerance=1e-5)
        c.call(op, torch.arange(24).view(2, 3, 4), tolerance=1e-5)
        c.call(op, random((2, 4), FLOAT), None, [0, 0])
        c.call(op, random((2, 4), FLOAT), [2, 3, 4], [0, 1])
        c.call(op, random((2, 4), FLOAT), [0, 3], [0, 1])
        if name not in ("fftn", "ifftn", "fft2", "ifft2"):
            c.call(op, random((2, 4), FLOAT), None, [])
        if name.endswith("n"):
            c.call(op, random((2, 4), FLOAT), [2, 3, 4])
            c.call(op, random((2, 4, 6), dtype), [4], tolerance=1e-9)
    c.call("aten::fft_rfftn", random((2, 4), CFLOAT))


def primitives(c):
    for norm in (0, 1, 2):
        for dims in ([1], [0, 2], [2, 0, 1]):
            c.call("aten::_fft_c2c", random((2, 3, 4), CDOUBLE, True), dims, norm, norm != 1, grads=True, tolerance=1e-9)
            c.call("aten::_fft_r2c", random((2, 3, 4), DOUBLE, True), dims, norm, norm != 1, grads=True, tolerance=1e-9)
            c.call("aten::_fft_c2r", random((2, 3, 4), CDOUBLE), dims, norm, 3 if norm else 2, tolerance=1e-9)
    c.call("aten::_fft_c2c", random((2, 3), FLOAT), [0], 0, True, error="Expected self.is_complex() to be true, but got false.")
    c.call("aten::_fft_r2c", random((2, 3), CFLOAT), [0], 0, True, error="Expected self.is_floating_point() to be true, but got false.")


def frequencies(c):
    for op in ("fft_fftfreq", "fft_rfftfreq"):
        for n in (0, 1, 4, 5):
            c.call("aten::" + op, n, 0.3, tolerance=1e-6)
            c.call("aten::" + op, n, 2.0, torch.float64, tolerance=1e-12)
        c.call("aten::" + op, 4, 1.0, torch.int64)
    for op in ("fft_fftshift", "fft_ifftshift"):
        x = torch.arange(15.0).view(3, 5)
        c.call("aten::" + op, x)
        c.call("aten::" + op, x, [0])
        c.call("aten::" + op, x, [-1])


def windows(c):
    for name in ("bartlett", "blackman", "hamming", "hann", "kaiser"):
        op = "aten::" + name + "_window"
        for n in (0, 1, 2, 7, 10):
            c.call(op, n, tolerance=1e-6)
            c.call(op + ".periodic", n, False, torch.float64, tolerance=1e-9)
        c.call(op, 6, torch.bfloat16, tolerance=1e-2)
        c.call(op, -1)
        c.call(op, 4, torch.int64, error=name + "_window expects floating point dtypes")
    c.call("aten::hamming_window.periodic_alpha", 6, True, 0.4, tolerance=1e-6)
    c.call("aten::hamming_window.periodic_alpha_beta", 6, False, 0.4, 0.5, tolerance=1e-6)
    c.call("aten::kaiser_window.beta", 6, False, 5.0, tolerance=1e-6)


def frames(c):
    window = torch.hann_window(16, dtype=DOUBLE) + 0.1
    for center in (True, False):
        for normalized in (True, False):
            for win, onesided in ((16, True), (10, False), (16, None)):
                x = random((2, 40), DOUBLE, True)
                c.call("aten::stft.center", x, 16, 5, win, window[:win].clone(), center, "reflect", normalized, onesided, True, grads=True,
                       tolerance=1e-9, strides=True)
                y = torch.stft(x.detach(), 16, 5, win, window[:win], center, "reflect", normalized, onesided, return_complex=True)
                if win == 16:
                    c.call("aten::istft", y.requires_grad_(), 16, 5, win, window, center, normalized, onesided, None, False, grads=True,
                           tolerance=1e-9)
                    c.call("aten::istft", y.detach(), 16, 5, win, window, center, normalized, onesided, 33, False, tolerance=1e-9)
    c.call("aten::stft", random((30,), FLOAT), 8, tolerance=1e-5)
    c.call("aten::stft", random((30,), CFLOAT), 8, 3, tolerance=1e-5)
    c.call("aten::stft.center", random((30,), FLOAT), 9, 3, None, None, True, "constant", False, None, True, tolerance=1e-5)
    x, w = torch.randn(100), torch.hann_window(16)
    for bad in ([x.int(), 16], [torch.tensor(1.0), 16], [x, 0], [x, 101], [x, 16, 0], [x, 16, 4, 0], [x, 16, 4, 17], [x, 16, 4, 16, w[:5].clone()]):
        bad += [None] * (5 - len(bad))
        c.call("aten::stft", *bad, False, None, True)
    c.call("aten::stft", x + 0j, 16, None, None, None, False, True, True)
    y = torch.stft(x, 16, 4, 16, w, return_complex=True)
    for bad in ([y[:0].clone(), 16], [y, 15], [y, 16, 20], [y, 16, 0], [y, 16, 4, 16, w[:5].clone()], [y, 16, 4, 16, w, False],
                [y, 16, 4, 16, w + 0j], [y, 16, 4, 16, w, True, False, False], [torch.randn(9, 20, 3), 16],
                [y, 16, 4, 16, w, True, False, True, None, True]):
        c.call("aten::istft", *bad)


def add(c):
    torch.manual_seed(0)
    lines(c)
    grids(c)
    primitives(c)
    frequencies(c)
    windows(c)
    frames(c)

# SPDX-License-Identifier: Apache-2.0
import torch
from numpy._array import ndarray, _floats, _result


def _wide(a):
    t = _floats(a)
    return t.double() if t.is_floating_point() else t.to(torch.complex128)


def _one(function):
    def apply(a, n=None, axis=-1, norm=None):
        return _result(function(_wide(a), n, axis, norm))
    return apply


def _many(function):
    def apply(a, s=None, axes=None, norm=None):
        return _result(function(_wide(a), s, axes, norm) if axes is not None else function(_wide(a), s, norm=norm))
    return apply


fft, ifft, rfft, irfft, hfft, ihfft = map(_one, (torch.fft.fft, torch.fft.ifft, torch.fft.rfft, torch.fft.irfft, torch.fft.hfft,
                                                 torch.fft.ihfft))
fft2, ifft2, rfft2, irfft2 = map(_many, (torch.fft.fft2, torch.fft.ifft2, torch.fft.rfft2, torch.fft.irfft2))
fftn, ifftn, rfftn, irfftn = map(_many, (torch.fft.fftn, torch.fft.ifftn, torch.fft.rfftn, torch.fft.irfftn))


def fftfreq(n, d=1.0):
    return ndarray._of(torch.fft.fftfreq(n, d, dtype=torch.float64))


def rfftfreq(n, d=1.0):
    return ndarray._of(torch.fft.rfftfreq(n, d, dtype=torch.float64))


def fftshift(x, axes=None):
    return ndarray._of(torch.fft.fftshift(_floats(x), axes))


def ifftshift(x, axes=None):
    return ndarray._of(torch.fft.ifftshift(_floats(x), axes))

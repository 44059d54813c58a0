// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch::fft: the functions fft_* of at.

#include <utility>

#include <loupe_torch/functions.h>

namespace torch::fft {

#define LOUPE_TORCH_FFT(name)                                         \
    template <typename... Arguments>                                  \
    at::Tensor name(Arguments&&... arguments) {                       \
        return at::fft_##name(std::forward<Arguments>(arguments)...); \
    }
LOUPE_TORCH_FFT(fft)
LOUPE_TORCH_FFT(ifft)
LOUPE_TORCH_FFT(fft2)
LOUPE_TORCH_FFT(ifft2)
LOUPE_TORCH_FFT(fftn)
LOUPE_TORCH_FFT(ifftn)
LOUPE_TORCH_FFT(rfft)
LOUPE_TORCH_FFT(irfft)
LOUPE_TORCH_FFT(rfft2)
LOUPE_TORCH_FFT(irfft2)
LOUPE_TORCH_FFT(rfftn)
LOUPE_TORCH_FFT(irfftn)
LOUPE_TORCH_FFT(hfft)
LOUPE_TORCH_FFT(ihfft)
LOUPE_TORCH_FFT(fftfreq)
LOUPE_TORCH_FFT(rfftfreq)
LOUPE_TORCH_FFT(fftshift)
LOUPE_TORCH_FFT(ifftshift)
#undef LOUPE_TORCH_FFT

}  // namespace torch::fft

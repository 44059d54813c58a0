// SPDX-License-Identifier: Apache-2.0
// Fourier transforms and windows.
#include <cmath>
#include <numbers>

#include "plugins/onnx/ops/common.h"

namespace loupe::onnx {
namespace {

// The last dimension is 1 (real) or 2 (complex).
Tensor complex_of(const Tensor& x) {
    require(x.dim() >= 2 && (x.size(-1) == 1 || x.size(-1) == 2), "the last dimension is 1 or 2, not that of ",
            describe(x));
    if (x.size(-1) == 2) return fn::view_as_complex(fn::contiguous(x));
    const Tensor real = fn::squeeze(x, -1);
    return fn::complex(real, fn::zeros_like(real));
}

Tensor transformed(const Tensor& x, std::int64_t dim, std::int64_t length, bool is_inverse, bool is_onesided) {
    const Tensor z = complex_of(x);
    const IValue n = length > 0 ? IValue(length) : IValue();
    // Back from the half that a real signal needs.
    if (is_onesided && is_inverse) return fn::unsqueeze(call_one("aten::fft_irfft", {z, n, dim, IValue()}), -1);
    const Tensor f = call_one(is_inverse ? "aten::fft_ifft" : "aten::fft_fft", {z, n, dim, IValue()});
    const Tensor parts = fn::view_as_real(f);
    return is_onesided ? fn::narrow(parts, dim, 0, parts.size(dim) / 2 + 1) : parts;
}
Tensor dft(const Tensor& x, const Tensor& length, std::int64_t axis, std::int64_t inverse, std::int64_t onesided) {
    const std::int64_t n = length.defined() && length.numel() > 0 ? whole_number(length) : 0;
    require(n >= 0 && n < std::int64_t{1} << 31, "a length of ", n);
    return transformed(x, wrap_dim(axis, x.dim()), n, inverse != 0, onesided != 0);
}
Tensor dft_along(const Tensor& x, const Tensor& length, const Tensor& axis, std::int64_t inverse,
                 std::int64_t onesided) {
    return dft(x, length, axis.defined() ? whole_number(axis) : -2, inverse, onesided);
}

// [batch, frames, frequencies, 2] of [batch, length, 1 or 2]
Tensor stft(const Tensor& signal, const Tensor& frame_step, const Tensor& window, const Tensor& frame_length,
            std::int64_t onesided) {
    const std::int64_t step = whole_number(frame_step);
    const std::int64_t length = frame_length.defined() ? whole_number(frame_length)
                                : window.defined()     ? window.size(0)
                                                       : signal.size(1);
    require(step > 0 && length > 0 && signal.dim() >= 2 && length <= signal.size(1), "frames of ", length, " every ",
            step, " in ", describe(signal));
    const bool has_parts = signal.dim() == 3;
    require(!has_parts || signal.size(2) == 1 || signal.size(2) == 2, "the last dimension is 1 or 2");
    const bool is_complex_signal = has_parts && signal.size(2) == 2;
    Tensor z = is_complex_signal ? complex_of(signal) : has_parts ? fn::squeeze(signal, -1) : signal;
    Tensor frames = fn::unfold(z, 1, length, step);
    if (window.defined()) frames = fn::mul(frames, window);
    const bool is_half = onesided != 0 && !is_complex_signal;
    const Tensor f = call_one(is_half ? "aten::fft_rfft" : "aten::fft_fft", {frames, IValue(), -1, IValue()});
    return fn::view_as_real(f);
}

// a0 - a1 cos(2 pi k / n) + a2 cos(4 pi k / n)
Tensor window_of(const Tensor& size, std::int64_t output_datatype, bool is_periodic, double a0, double a1, double a2) {
    const std::int64_t n = whole_number(size);
    require(n >= 0 && n < 1 << 28, "a window of ", n);
    const auto period = static_cast<double>(is_periodic ? n : n - 1);
    const Dims sizes{n};
    const Tensor window = empty(span_of(sizes), ScalarType::Float64);
    for (std::int64_t k = 0; k < n; ++k) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(k) / period;
        window.data<double>()[k] = a0 - a1 * std::cos(angle) + a2 * std::cos(2 * angle);
    }
    return cast(window, held_dtype(output_datatype));
}
Tensor hann(const Tensor& size, std::int64_t dtype, std::int64_t periodic) {
    return window_of(size, dtype, periodic != 0, 0.5, 0.5, 0);
}
Tensor hamming(const Tensor& size, std::int64_t dtype, std::int64_t periodic) {
    return window_of(size, dtype, periodic != 0, 25.0 / 46.0, 21.0 / 46.0, 0);
}
Tensor blackman(const Tensor& size, std::int64_t dtype, std::int64_t periodic) {
    return window_of(size, dtype, periodic != 0, 0.42, 0.5, 0.08);
}

double mel_of(double hertz) { return 2595 * std::log10(1 + hertz / 700); }
double hertz_of(double mel) { return 700 * (std::pow(10.0, mel / 2595) - 1); }

Tensor mel_weights(const Tensor& num_mel_bins, const Tensor& dft_length, const Tensor& sample_rate,
                   const Tensor& lower_edge, const Tensor& upper_edge, std::int64_t dtype) {
    const std::int64_t bins = whole_number(num_mel_bins), length = whole_number(dft_length),
                       rate = whole_number(sample_rate);
    require(bins >= 0 && bins < 1 << 16 && length > 0 && length < 1 << 24 && rate > 0, bins, " bins of ", length,
            " frequencies");
    const std::int64_t spectrum = length / 2 + 1;
    const double low = mel_of(real_number(lower_edge)), high = mel_of(real_number(upper_edge));
    std::vector<double> edges;
    for (std::int64_t i = 0; i < bins + 2; ++i) {
        const double mel = low + static_cast<double>(i) * (high - low) / static_cast<double>(bins + 2);
        edges.push_back(std::floor(static_cast<double>(length + 1) * hertz_of(mel) / static_cast<double>(rate)));
    }
    const Dims sizes{spectrum, bins};
    const Tensor weights = zeros(span_of(sizes), ScalarType::Float64);
    for (std::int64_t i = 0; i < bins; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const double begin = edges[at], centre = edges[at + 1], end = edges[at + 2];
        for (std::int64_t j = 0; j < spectrum; ++j) {
            const auto x = static_cast<double>(j);
            double weight = 0;
            if (centre == begin && x == centre) weight = 1;
            if (centre != begin && x >= begin && x <= centre) weight = (x - begin) / (centre - begin);
            if (end != centre && x >= centre && x < end) weight = (end - x) / (end - centre);
            weights.data<double>()[j * bins + i] = weight;
        }
    }
    return cast(weights, held_dtype(dtype));
}

#define LOUPE_WINDOW "(Tensor size, *, int output_datatype=1, int periodic=1) -> Tensor"

constexpr OperatorRecord kRecords[] = {
    reading("onnx::DFT(Tensor input, Tensor? dft_length=None, *, int axis=1, int inverse=0, int onesided=0) -> Tensor",
            "The discrete Fourier transform.", boxed<dft>),
    reading("onnx::DFT.v20(Tensor input, Tensor? dft_length=None, Tensor? axis=None, *, int inverse=0, int onesided=0) "
            "-> Tensor",
            "The discrete Fourier transform.", boxed<dft_along>),
    reading("onnx::STFT(Tensor signal, Tensor frame_step, Tensor? window=None, Tensor? frame_length=None, *, int "
            "onesided=1) -> Tensor",
            "The Fourier transform of each frame.", boxed<stft>),
    reading("onnx::HannWindow" LOUPE_WINDOW, "Hann's window.", boxed<hann>),
    reading("onnx::HammingWindow" LOUPE_WINDOW, "Hamming's window.", boxed<hamming>),
    reading("onnx::BlackmanWindow" LOUPE_WINDOW, "Blackman's window.", boxed<blackman>),
    reading(
        "onnx::MelWeightMatrix(Tensor num_mel_bins, Tensor dft_length, Tensor sample_rate, Tensor lower_edge_hertz, "
        "Tensor upper_edge_hertz, *, int output_datatype=1) -> Tensor",
        "The weights of frequencies in bins of the mel scale.", boxed<mel_weights>),
};

#undef LOUPE_WINDOW

}  // namespace

std::span<const OperatorRecord> signal_records() { return kRecords; }

}  // namespace loupe::onnx

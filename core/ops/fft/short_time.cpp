// SPDX-License-Identifier: Apache-2.0
// stft and istft: transforms of overlapping frames, and the signal back from them.

#include <algorithm>

#include "core/dispatch/boxing.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/fft/family.h"
#include "core/ops/fft/shape.h"
#include "core/ops/samples.h"

namespace loupe::fft {
namespace {

using namespace arithmetic;
using Length = std::optional<std::int64_t>;

const OperatorHandle<> kPad("aten::pad");
const OperatorHandle<IValue> kWarn("aten::warn");

struct Frames {
    std::int64_t n_fft, hop, window_length;
};

std::string tensor_text(const Tensor& t) {
    return is_complex(t.dtype()) ? concat("CPU", dtype_graph_name(t.dtype()), "Type")
                                 : concat("torch.", dtype_graph_name(t.dtype()), "Tensor");
}
std::string flag_text(const std::optional<bool>& flag) { return !flag ? "None" : *flag ? "1" : "0"; }

// "stft(torch.FloatTensor[100], n_fft=16, hop_length=4, ...", the start of PyTorch's messages.
std::string call_text(std::string_view name, const Tensor& self, const Frames& frames, const Tensor& window) {
    return concat(name, "(", tensor_text(self), shape_list_text(self.sizes()), ", n_fft=", frames.n_fft,
                  ", hop_length=", frames.hop, ", win_length=", frames.window_length, ", window=",
                  window.defined() ? concat(tensor_text(window), "{", shape_list_text(window.sizes()), "}")
                                   : std::string("None"));
}

// The window in the middle of n_fft elements.
Tensor centred(const Tensor& window, const Frames& frames) {
    if (frames.window_length == frames.n_fft) return window;
    const std::int64_t left = (frames.n_fft - frames.window_length) / 2;
    return fn::constant_pad_nd(window, Dims{left, frames.n_fft - frames.window_length - left}, Scalar(0));
}
Tensor ones(std::int64_t n, ScalarType dtype) { return fn::ones(Dims{n}, static_cast<std::int64_t>(dtype)); }
std::int64_t norm_number(bool normalized, Norm otherwise) {
    return static_cast<std::int64_t>(normalized ? Norm::ByRootN : otherwise);
}

Tensor with_borders(const Tensor& signal, std::int64_t width, std::string_view mode) {
    const Tensor padded = kPad(fn::unsqueeze(signal, std::int64_t{0}), Dims{width, width}, std::string(mode));
    return fn::squeeze(padded, std::int64_t{0});
}

Tensor stft_centred(const Tensor& self, std::int64_t n_fft, const Length& hop, const Length& win, const Tensor& window,
                    bool center, std::string_view pad_mode, bool normalized, std::optional<bool> onesided,
                    std::optional<bool> return_complex) {
    const Frames frames{n_fft, hop.value_or(n_fft >> 2), win.value_or(n_fft)};
    const bool complex_input = is_complex(self.dtype()) || (window.defined() && is_complex(window.dtype()));
    const bool complex_result = return_complex.value_or(complex_input);
    if (!complex_result && !return_complex) {
        kWarn(
            std::string("stft will soon require the return_complex parameter be given for real inputs, and will "
                        "further require that "
                        "return_complex=True in a future PyTorch release."));
    }
    const std::string call =
        concat(call_text("stft", self, frames, window), ", normalized=", normalized ? 1 : 0,
               ", onesided=", flag_text(onesided), ", return_complex=", complex_result ? 1 : 0, ") : ");
    require(is_differentiable(self.dtype()), call, "expected a tensor of floating point or complex values");
    require(self.dim() == 1 || self.dim() == 2, call, "expected a 1D or 2D tensor");
    Tensor input = self.dim() == 1 ? fn::unsqueeze(self, std::int64_t{0}) : self;
    if (center) input = with_borders(input, n_fft / 2, pad_mode);
    const std::int64_t length = input.size(1);
    require(n_fft > 0 && n_fft <= length, call, "expected 0 < n_fft < ", length, ", but got n_fft=", n_fft);
    require(frames.hop > 0, call, "expected hop_length > 0, but got hop_length=", frames.hop);
    require(frames.window_length > 0 && frames.window_length <= n_fft, call,
            "expected 0 < win_length <= n_fft, but got win_length=", frames.window_length);
    require(!window.defined() || (window.dim() == 1 && window.size(0) == frames.window_length), call,
            "expected a 1D window tensor of size equal to win_length=", frames.window_length,
            ", but got window with size ", window.defined() ? shape_list_text(window.sizes()) : std::string());

    input = fn::unfold(input, std::int64_t{-1}, n_fft, frames.hop);
    if (frames.window_length < n_fft) {
        const Tensor taps = window.defined() ? fn::to_dtype(window, static_cast<std::int64_t>(self.dtype()))
                                             : ones(frames.window_length, self.dtype());
        input = input * centred(taps, frames);
    } else if (window.defined()) {
        input = input * window;
    }
    const bool complex_frames = is_complex(input.dtype());
    const bool half = onesided.value_or(!complex_frames);
    require(!complex_frames || !half, "Cannot have onesided output if window or input is complex");
    const Dims last{input.dim() - 1};
    const std::int64_t norm = norm_number(normalized, Norm::None);
    Tensor out =
        complex_frames ? complex_to_complex_op(input, last, norm, true) : real_to_complex_op(input, last, norm, half);
    out = fn::transpose(out, std::int64_t{1}, std::int64_t{2});
    if (self.dim() == 1) out = fn::squeeze(out, std::int64_t{0});
    return complex_result ? out : fn::view_as_real(out);
}
Tensor stft(const Tensor& self, std::int64_t n_fft, const Length& hop, const Length& win, const Tensor& window,
            bool normalized, std::optional<bool> onesided, std::optional<bool> return_complex) {
    return stft_centred(self, n_fft, hop, win, window, false, "constant", normalized, onesided, return_complex);
}

struct Inverse {
    Frames frames;
    std::string call;  // how PyTorch names it in messages
    bool onesided;
};

// Checks istft's arguments; spectrum is [..., frequency, frame, 2].
Inverse check_inverse(const Tensor& self, const Tensor& spectrum, const Frames& frames, const Tensor& window,
                      bool center, bool normalized, std::optional<bool> onesided, const Length& length,
                      bool return_complex) {
    const std::string call = concat(call_text("istft", self, frames, window), ", center=", center ? 1 : 0,
                                    ", normalized=", normalized ? 1 : 0, ", onesided=", flag_text(onesided),
                                    ", length=", length ? std::to_string(*length) : std::string("None"),
                                    ", return_complex=", return_complex ? 1 : 0, ") ");
    const std::int64_t frequencies = spectrum.size(-3);
    require(spectrum.numel() != 0, call, ": input tensor cannot be empty.");
    require(spectrum.dim() == 3 || spectrum.dim() == 4, call, ": expected a tensor with 3 or 4 dimensions, but got ",
            spectrum.dim());
    require(spectrum.size(-1) == 2, call,
            ": expected the last dimension to be 2 (corresponding to real and imaginary parts), but got ",
            spectrum.size(-1));
    const bool half = onesided.value_or(frequencies != frames.n_fft);
    if (half) {
        require(frames.n_fft / 2 + 1 == frequencies, call,
                ": expected the frequency dimension (3rd to the last) of the input tensor to match n_fft / 2 + 1 when "
                "onsided=True, but got ",
                frequencies);
    } else {
        require(frames.n_fft == frequencies, call,
                ": expected the frequency dimension (3rd to the last) of the input tensor to match n_fft when "
                "onsided=False, but got ",
                frequencies);
    }
    require(0 < frames.hop && frames.hop <= frames.window_length, call, ": expected 0 < hop_length <= win_length");
    require(0 < frames.window_length && frames.window_length <= frames.n_fft, call,
            ": expected 0 < win_length <= n_fft");
    require(!window.defined() || (window.dim() == 1 && window.size(0) == frames.window_length), call,
            ": Invalid window shape. window has to be 1D and length of `win_length`");
    return {frames, call, half};
}

// The frames [channel, frame, n_fft] of a spectrum.
Tensor frames_of(const Tensor& spectrum, const Inverse& inverse, const Tensor& window, bool normalized,
                 bool return_complex) {
    Tensor terms = fn::view_as_complex(fn::contiguous(spectrum, std::int64_t{0}));
    if (spectrum.dim() == 3) terms = fn::unsqueeze(terms, std::int64_t{0});
    terms = fn::transpose(terms, std::int64_t{1}, std::int64_t{2});
    const Dims last{2};
    const std::int64_t norm = norm_number(normalized, Norm::ByN);
    const std::int64_t n = inverse.frames.n_fft;
    if (return_complex) {
        require(!inverse.onesided, "Cannot have onesided output if window or input is complex");
        return complex_to_complex_op(terms, last, norm, false);
    }
    require(!window.defined() || !is_complex(window.dtype()),
            "Complex windows are incompatible with return_complex=False");
    if (!inverse.onesided) terms = fn::slice(terms, std::int64_t{-1}, std::int64_t{0}, n / 2 + 1, std::int64_t{1});
    return complex_to_real_op(terms, last, norm, n);
}

Tensor istft(const Tensor& self, std::int64_t n_fft, const Length& hop, const Length& win, const Tensor& window,
             bool center, bool normalized, std::optional<bool> onesided, const Length& length, bool return_complex) {
    const Frames frames{n_fft, hop.value_or(n_fft >> 2), win.value_or(n_fft)};
    if (!is_complex(self.dtype())) {
        kWarn(
            std::string("istft will require a complex-valued input tensor in a future PyTorch release. Matching the "
                        "output from stft with "
                        "return_complex=True. "));
    }
    const Tensor spectrum = is_complex(self.dtype()) ? fn::view_as_real(self) : self;
    const std::int64_t count = spectrum.size(-2);
    const Inverse inverse =
        check_inverse(self, spectrum, frames, window, center, normalized, onesided, length, return_complex);
    const std::int64_t whole = n_fft + frames.hop * (count - 1);

    const Tensor taps = centred(window.defined() ? window : ones(frames.window_length, spectrum.dtype()), frames);
    const Tensor pieces = frames_of(spectrum, inverse, window, normalized, return_complex) * taps;
    Tensor y = fn::unfold_backward(pieces, Dims{pieces.size(0), whole}, std::int64_t{1}, n_fft, frames.hop);
    const Tensor squares = fn::expand(fn::pow_scalar(taps, Scalar(2)), Dims{1, count, n_fft});
    Tensor envelope = fn::unfold_backward(fn::contiguous(squares, std::int64_t{0}), Dims{1, whole}, std::int64_t{1},
                                          n_fft, frames.hop);

    const std::int64_t start = center ? n_fft / 2 : 0;
    const std::int64_t end = length ? start + *length : (center ? -(n_fft / 2) : whole);
    y = fn::slice(y, std::int64_t{1}, start, end, std::int64_t{1});
    envelope = fn::slice(envelope, std::int64_t{1}, start, end, std::int64_t{1});
    require(envelope.numel() != 0,
            "min(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the "
            "'dim' argument.");
    const Tensor low = fn::any(fn::lt_scalar(fn::abs(envelope), Scalar(1e-11)));
    require(!item(low).to_bool(), inverse.call, "window overlap add min: 1");
    y = y / envelope;
    if (spectrum.dim() == 3) y = fn::squeeze(y, std::int64_t{0});
    if (end > whole) {
        kWarn(
            std::string("The length of signal is shorter than the length parameter. Result is being padded with zeros "
                        "in the tail. Please "
                        "check your center and hop_length settings."));
        y = fn::constant_pad_nd(y, Dims{0, end - whole}, Scalar(0));
    }
    return y;
}

std::vector<Sample> stft_samples(Random& random, ScalarType dtype) {
    if (to_real_type(dtype) != ScalarType::Float32 && to_real_type(dtype) != ScalarType::Float64) return {};
    const IValue none;
    const Tensor window = random_tensor(random, {6}, dtype);
    return {{{random_tensor(random, {2, 20}, dtype), 8, none, none, Tensor(), false, none, true}, {}},
            {{random_tensor(random, {20}, dtype), 8, 3, 6, window, true, false, true}, "a window, all terms"}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::stft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, "
               "bool normalized=False, bool? "
               "onesided=None, bool? return_complex=None) -> Tensor",
     .summary = "Short-time Fourier transform: of frames of n_fft elements, hop_length apart, each times a window.",
     .composite = boxed<stft>,
     .samples = stft_samples,
     .autocast = {.cpu = Autocast::Float32}},
    {.schema = "aten::stft.center(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? "
               "window=None, bool center=True, str "
               "pad_mode=\"reflect\", bool normalized=False, bool? onesided=None, bool? return_complex=None) -> Tensor",
     .summary =
         "Short-time Fourier transform; with center, frames stand around their point and the signal gets borders.",
     .composite = boxed<stft_centred>,
     .autocast = {.cpu = Autocast::Float32}},
    {.schema = "aten::istft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, "
               "bool center=True, bool "
               "normalized=False, bool? onesided=None, int? length=None, bool return_complex=False) -> Tensor",
     .summary = "The signal whose short-time Fourier transform is nearest: frames added where they overlap, over the "
                "window's squares.",
     .composite = boxed<istft>,
     .placement = Placement::Host},
};

}  // namespace

std::span<const OperatorRecord> short_time_records() { return kRecords; }

}  // namespace loupe::fft

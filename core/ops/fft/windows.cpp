// SPDX-License-Identifier: Apache-2.0
// Windows: bartlett, blackman, hamming, hann, kaiser. Each is written as PyTorch computes it, so that rounding agrees.

#include <numbers>

#include "core/dispatch/boxing.h"
#include "core/dispatch/out_form.h"
#include "core/kernels/arithmetic.h"
#include "core/kernels/integer_math.h"
#include "core/ops/creation/creation.h"
#include "core/ops/fft/family.h"
#include "core/ops/fft/shape.h"

namespace loupe::fft {
namespace {

using namespace arithmetic;
using std::numbers::pi;

const OperatorHandle<> kI0("aten::i0");

// A window: its name, its formula on the integers 0 ... n - 1, and parameters.
struct Window {
    std::string_view name;
    Tensor (*shape)(const Tensor& steps, std::int64_t n, double alpha, double beta);
};

double divisor(std::int64_t n) { return static_cast<double>(n - 1); }

Tensor bartlett(const Tensor& steps, std::int64_t n, double, double) {
    const Tensor rise = steps * Scalar(2.0 / divisor(n));
    const std::int64_t first = ((n - 1) >> 1) + 1;
    const auto part = [&](std::int64_t begin, std::int64_t end) {
        return fn::slice(rise, std::int64_t{0}, begin, end, std::int64_t{1});
    };
    return fn::cat(TensorList{part(0, first), part(first, n) * Scalar(-1) + Scalar(2)}, std::int64_t{0});
}
Tensor blackman(const Tensor& steps, std::int64_t n, double, double) {
    const Tensor angle = steps * Scalar(pi / divisor(n));
    return fn::cos(angle * Scalar(4)) * Scalar(0.08) - fn::cos(angle * Scalar(2)) * Scalar(0.5) + Scalar(0.42);
}
Tensor hamming(const Tensor& steps, std::int64_t n, double alpha, double beta) {
    return fn::cos(steps * Scalar(pi * 2.0 / divisor(n))) * Scalar(-beta) + Scalar(alpha);
}
Tensor hann(const Tensor& steps, std::int64_t n, double, double) { return hamming(steps, n, 0.5, 0.5); }
// In bfloat16 every step is rounded but the first.
Tensor kaiser(const Tensor& steps, std::int64_t n, double, double beta) {
    const auto dtype = static_cast<std::int64_t>(steps.dtype());
    const Tensor wide =
        fn::to_dtype(steps, static_cast<std::int64_t>(promote_types(steps.dtype(), ScalarType::Float32)));
    const Tensor x = fn::to_dtype(wide * Scalar(2.0 / divisor(n)) - Scalar(1), dtype);
    const Tensor middle = fn::full_like(fn::select(steps, std::int64_t{0}, std::int64_t{0}), Scalar(beta));
    return kI0(fn::sqrt(Scalar(1) - x * x) * Scalar(beta)) / kI0(middle);
}

constexpr Window kBartlett{"bartlett_window", bartlett};
constexpr Window kBlackman{"blackman_window", blackman};
constexpr Window kHamming{"hamming_window", hamming};
constexpr Window kHann{"hann_window", hann};
constexpr Window kKaiser{"kaiser_window", kaiser};

void check(const Window& window, std::int64_t length, ScalarType dtype) {
    require(is_differentiable(dtype), window.name,
            " expects floating point dtypes, got: TensorOptions(dtype=", dtype_name(dtype), ")");
    require(length >= 0, window.name, " requires non-negative window_length, got window_length=", length);
    if (length <= 1) return;
    require(!is_complex(dtype), "\"arange_cpu\" not implemented for '", dtype_graph_name(dtype), "'");
    require(dtype != ScalarType::Float16 || window.shape == bartlett, "\"cos_vml_cpu\" not implemented for 'Half'");
}

Tensor make_window(const Window& window, std::int64_t length, bool periodic, double alpha, double beta,
                   ScalarType dtype) {
    check(window, length, dtype);
    const auto number = static_cast<std::int64_t>(dtype);
    if (length <= 1) return fn::ones(Dims{length}, number);
    const std::int64_t n = periodic ? checked_sum(length, 1) : length;
    const Tensor all = window.shape(fn::arange(Scalar(n), number), n, alpha, beta);
    return periodic ? fn::narrow(all, std::int64_t{0}, std::int64_t{0}, length) : all;
}

// Arguments: window_length, then kNumbers of periodic, alpha, beta; then the options of a new tensor, or out.
template <const Window& kWindow, std::size_t kNumbers, bool kInto>
void window_call(Arguments arguments, IValue* results) {
    const bool periodic = kNumbers < 1 || arguments[1].to_bool();
    const bool is_kaiser = &kWindow == &kKaiser;
    const double alpha = kNumbers > 1 && !is_kaiser ? arguments[2].to_double() : 0.54;
    const double beta =
        is_kaiser ? (kNumbers > 1 ? arguments[2].to_double() : 12.0) : (kNumbers > 2 ? arguments[3].to_double() : 0.46);
    const ScalarType dtype = kInto ? arguments.back().tensor_impl()->dtype
                                   : creation::options_of(arguments, 1 + kNumbers, ScalarType::Float32).dtype;
    const Tensor made = make_window(kWindow, arguments[0].to_int(), periodic, alpha, beta, dtype);
    if constexpr (kInto) {
        put_into(arguments.back().to_tensor(), made);
        results[0] = arguments.back();
    } else {
        results[0] = made;
    }
}

#define LOUPE_WINDOW_FORM(name, overload, numbers, count, window, text)        \
    {                                                                          \
        .schema = "aten::" name overload "(int window_length" numbers          \
                  ", *, ScalarType? dtype=None, Layout? layout=None, Device? " \
                  "device=None, bool? pin_memory=None) -> Tensor",             \
        .summary = text, .composite = window_call<window, count, false>        \
    }
#define LOUPE_WINDOW_OUT(name, overload, numbers, count, window, text)                                             \
    {                                                                                                              \
        .schema = "aten::" name "." overload "out(int window_length" numbers ", *, Tensor(a!) out) -> Tensor(a!)", \
        .summary = text, .composite = window_call<window, count, true>                                             \
    }
#define LOUPE_WINDOW(name, window, text)                                                               \
    LOUPE_WINDOW_FORM(name, "", "", 0, window, text), LOUPE_WINDOW_OUT(name, "", "", 0, window, text), \
        LOUPE_WINDOW_FORM(name, ".periodic", ", bool periodic", 1, window, text),                      \
        LOUPE_WINDOW_OUT(name, "periodic_", ", bool periodic", 1, window, text)

constexpr char kHammingSummary[] = "Raised cosine on a pedestal: alpha - beta cos(2 pi k / n).";
constexpr char kKaiserSummary[] = "Kaiser window: I0(beta sqrt(1 - x^2)) / I0(beta), x from -1 to 1.";

constexpr OperatorRecord kRecords[] = {
    LOUPE_WINDOW("bartlett_window", kBartlett, "Triangular window."),
    LOUPE_WINDOW("blackman_window", kBlackman, "Blackman window: two cosines."),
    LOUPE_WINDOW("hann_window", kHann, "Hann window: a raised cosine."),
    LOUPE_WINDOW("hamming_window", kHamming, kHammingSummary),
    LOUPE_WINDOW_FORM("hamming_window", ".periodic_alpha", ", bool periodic, float alpha", 2, kHamming,
                      kHammingSummary),
    LOUPE_WINDOW_OUT("hamming_window", "periodic_alpha_", ", bool periodic, float alpha", 2, kHamming, kHammingSummary),
    LOUPE_WINDOW_FORM("hamming_window", ".periodic_alpha_beta", ", bool periodic, float alpha, float beta", 3, kHamming,
                      kHammingSummary),
    LOUPE_WINDOW_OUT("hamming_window", "periodic_alpha_beta_", ", bool periodic, float alpha, float beta", 3, kHamming,
                     kHammingSummary),
    LOUPE_WINDOW("kaiser_window", kKaiser, kKaiserSummary),
    LOUPE_WINDOW_FORM("kaiser_window", ".beta", ", bool periodic, float beta", 2, kKaiser, kKaiserSummary),
    LOUPE_WINDOW_OUT("kaiser_window", "beta_", ", bool periodic, float beta", 2, kKaiser, kKaiserSummary),
};
#undef LOUPE_WINDOW
#undef LOUPE_WINDOW_FORM
#undef LOUPE_WINDOW_OUT

}  // namespace

std::span<const OperatorRecord> window_records() { return kRecords; }

}  // namespace loupe::fft

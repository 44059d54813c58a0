// SPDX-License-Identifier: Apache-2.0
// Frequencies of a transform's terms, and moving frequency 0 to the middle.

#include "core/base/parallel.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/out_form.h"
#include "core/ops/creation/creation.h"
#include "core/ops/fft/family.h"
#include "core/ops/fft/shape.h"
#include "core/ops/samples.h"

namespace loupe::fft {
namespace {

// Terms of a transform of n points: all, or the first half.
std::int64_t terms_of(std::int64_t n, bool half) { return half ? n / 2 + 1 : n; }

template <bool kHalf>
void infer_frequencies(Arguments arguments, MetaList& outputs) {
    const creation::Options options = creation::options_of(arguments, 2, ScalarType::Float32);
    const std::string_view name = kHalf ? "rfftfreq" : "fftfreq";
    require(is_differentiable(options.dtype), name, " requires a floating point or complex dtype");
    require(!is_complex(options.dtype), "\"arange_cpu\" not implemented for '", dtype_graph_name(options.dtype), "'");
    const std::int64_t n = arguments[0].to_int();
    require(n >= 0, "Trying to create tensor with negative dimension ", n, ": [", n, "]");
    outputs.push_back({{terms_of(n, kHalf)}, options.dtype, options.device});
}
// k / (n d), negative k in the upper half.
template <bool kHalf>
void fill_frequencies(Arguments arguments, IValue* results) {
    const Tensor out = results[0].to_tensor();
    const std::int64_t n = arguments[0].to_int();
    const double unit = 1.0 / (static_cast<double>(n) * arguments[1].to_double());
    visit_dtype(out.dtype(), [&]<typename T>(std::type_identity<T>) {
        using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
        T* to = out.data<T>();
        for (std::int64_t i = 0; i < out.numel(); ++i) {
            const std::int64_t k = kHalf || i < (n + 1) / 2 ? i : i - n;
            to[i] = Scalar(static_cast<double>(static_cast<Wide>(k) * static_cast<Wide>(unit))).to<T>();
        }
    });
}
template <bool kHalf>
void frequencies_out(Arguments arguments, IValue* results) {
    const Tensor out = arguments.back().to_tensor();
    const OperatorHandle<> op(kHalf ? "aten::fft_rfftfreq" : "aten::fft_fftfreq");
    put_into(out, op(arguments[0], arguments[1], static_cast<std::int64_t>(out.dtype())));
    results[0] = out;
}

template <bool kInverse>
Tensor shift(const Tensor& self, const std::optional<Dims>& dims) {
    Dims all;
    if (dims) {
        for (const std::int64_t d : *dims) all.push_back(wrap_dim(d, self.dim()));
    } else {
        for (std::int64_t d = 0; d < self.dim(); ++d) all.push_back(d);
    }
    Dims shifts;
    for (const std::int64_t d : all) shifts.push_back((self.size(d) + (kInverse ? 1 : 0)) / 2);
    require(!shifts.empty(), "`shifts` required");
    return fn::roll(self, shifts, all);
}
std::vector<Sample> shift_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 4}, dtype), IValue()}, {}},
            {{random_tensor(random, {3, 4}, dtype), Dims{0}}, "one dim"}};
}
std::vector<Sample> frequency_samples(Random&, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    const IValue number(static_cast<std::int64_t>(dtype));
    return {{{5, 0.5, number, IValue(), IValue(), IValue()}, "odd"},
            {{6, 1.0, number, IValue(), IValue(), IValue()}, "even"}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::fft_fftfreq(int n, float d=1., *, ScalarType? dtype=None, Layout? layout=None, Device? "
               "device=None, bool? "
               "pin_memory=None) -> Tensor",
     .summary = "Frequencies of the terms of fft for samples at a distance d.",
     .formula = "[0, 1, ..., -1] / (n d)",
     .infer = infer_frequencies<false>,
     .kernel = FillingKernel{&fill_frequencies<false>},
     .samples = frequency_samples},
    {.schema = "aten::fft_fftfreq.out(int n, float d=1., *, Tensor(a!) out) -> Tensor(a!)",
     .summary = "Frequencies of the terms of fft.",
     .composite = frequencies_out<false>},
    {.schema = "aten::fft_rfftfreq(int n, float d=1., *, ScalarType? dtype=None, Layout? layout=None, Device? "
               "device=None, bool? "
               "pin_memory=None) -> Tensor",
     .summary = "Frequencies of the terms of rfft for samples at a distance d.",
     .formula = "[0, 1, ..., n / 2] / (n d)",
     .infer = infer_frequencies<true>,
     .kernel = FillingKernel{&fill_frequencies<true>},
     .samples = frequency_samples},
    {.schema = "aten::fft_rfftfreq.out(int n, float d=1., *, Tensor(a!) out) -> Tensor(a!)",
     .summary = "Frequencies of the terms of rfft.",
     .composite = frequencies_out<true>},
    {.schema = "aten::fft_fftshift(Tensor self, int[1]? dim=None) -> Tensor",
     .summary = "Moves frequency 0 to the middle.",
     .composite = boxed<shift<false>>,
     .samples = shift_samples},
    {.schema = "aten::fft_ifftshift(Tensor self, int[1]? dim=None) -> Tensor",
     .summary = "Undoes fftshift.",
     .composite = boxed<shift<true>>,
     .samples = shift_samples},
};

}  // namespace

std::span<const OperatorRecord> frequency_records() { return kRecords; }

}  // namespace loupe::fft

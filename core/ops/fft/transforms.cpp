// SPDX-License-Identifier: Apache-2.0
// torch.fft: transforms along one dimension and along several.

#include "core/dispatch/boxing.h"
#include "core/dispatch/out_form.h"
#include "core/ops/fft/family.h"
#include "core/ops/fft/shape.h"
#include "core/ops/samples.h"

namespace loupe::fft {
namespace {

using Length = std::optional<std::int64_t>;
using Lengths = std::optional<Dims>;
using Name = std::optional<std::string_view>;

// The dimension and the length to transform along it.
struct Axis {
    Dims dim;
    std::int64_t n;
};
Axis axis_of(const Tensor& self, const Length& n, std::int64_t dim) {
    const std::int64_t d = wrap_dim(dim, self.dim());
    const std::int64_t length = n ? *n : (self.dim() == 0 ? 0 : self.size(d));
    require_points(length);
    return {{d}, length};
}
Tensor resized_along(const Tensor& self, const Dims& dim, std::int64_t n) {
    return resized(self, span_of(dim), std::array{n});
}

Tensor real_line(std::string_view name, const Tensor& self, const Length& n, std::int64_t dim, const Name& norm,
                 bool forward, bool onesided) {
    require(!is_complex(self.dtype()), name, " expects a real input tensor, but got ", dtype_graph_name(self.dtype()));
    const Tensor input = promoted(self, false);
    const Axis axis = axis_of(input, n, dim);
    const Tensor out =
        real_to_complex_op(resized_along(input, axis.dim, axis.n), axis.dim, norm_of(norm, forward), onesided);
    return forward ? out : fn::conj_physical(out);
}
Tensor complex_line(std::string_view name, const Tensor& self, const Length& n, std::int64_t dim, const Name& norm,
                    bool forward) {
    if (!is_complex(self.dtype())) return real_line(name, self, n, dim, norm, forward, false);
    const Axis axis = axis_of(self, n, dim);
    return complex_to_complex_op(resized_along(self, axis.dim, axis.n), axis.dim, norm_of(norm, forward), forward);
}
Tensor line_to_real(const Tensor& self, const Length& n, std::int64_t dim, const Name& norm, bool forward) {
    const Tensor input = promoted(self, true);
    const std::int64_t d = wrap_dim(dim, input.dim());
    const std::int64_t length = n ? *n : (input.dim() == 0 ? -2 : 2 * (input.size(d) - 1));
    require_points(length);
    const Tensor terms = resized_along(input, {d}, length / 2 + 1);
    return complex_to_real_op(forward ? fn::conj_physical(terms) : terms, Dims{d}, norm_of(norm, forward), length);
}

Tensor fft(const Tensor& self, const Length& n, std::int64_t dim, const Name& norm) {
    return complex_line("fft", self, n, dim, norm, true);
}
Tensor ifft(const Tensor& self, const Length& n, std::int64_t dim, const Name& norm) {
    return complex_line("ifft", self, n, dim, norm, false);
}
Tensor rfft(const Tensor& self, const Length& n, std::int64_t dim, const Name& norm) {
    return real_line("rfft", self, n, dim, norm, true, true);
}
Tensor ihfft(const Tensor& self, const Length& n, std::int64_t dim, const Name& norm) {
    return real_line("ihfft", self, n, dim, norm, false, true);
}
Tensor irfft(const Tensor& self, const Length& n, std::int64_t dim, const Name& norm) {
    return line_to_real(self, n, dim, norm, false);
}
Tensor hfft(const Tensor& self, const Length& n, std::int64_t dim, const Name& norm) {
    return line_to_real(self, n, dim, norm, true);
}

Tensor complex_grid(const Tensor& self, const Lengths& s, const Lengths& dim, const Name& norm, bool forward) {
    const Axes axes = axes_of(self, s, dim);
    const Tensor input = resized(promoted(self, true), span_of(axes.dims), span_of(axes.sizes));
    return complex_to_complex_op(input, axes.dims, norm_of(norm, forward), forward);
}
Axes real_axes(std::string_view name, const Tensor& self, const Lengths& s, const Lengths& dim) {
    Axes axes = axes_of(self, s, dim);
    require(!axes.dims.empty(), name, " must transform at least one axis");
    return axes;
}
// Axes of a one-sided spectrum, and how long the last one gets.
std::pair<Axes, std::int64_t> half_axes(std::string_view name, const Tensor& self, const Lengths& s,
                                        const Lengths& dim) {
    Axes axes = real_axes(name, self, s, dim);
    const bool is_given = s && !s->empty() && s->back() != -1;
    const std::int64_t last = is_given ? axes.sizes.back() : 2 * (self.size(axes.dims.back()) - 1);
    require_points(last);
    axes.sizes.back() = last / 2 + 1;
    return {axes, last};
}
Dims without_last(const Dims& dims) { return Dims(dims.begin(), dims.end() - 1); }

Tensor fftn(const Tensor& self, const Lengths& s, const Lengths& dim, const Name& norm) {
    return complex_grid(self, s, dim, norm, true);
}
Tensor ifftn(const Tensor& self, const Lengths& s, const Lengths& dim, const Name& norm) {
    return complex_grid(self, s, dim, norm, false);
}
Tensor rfftn(const Tensor& self, const Lengths& s, const Lengths& dim, const Name& norm) {
    require(!is_complex(self.dtype()), "rfftn expects a real-valued input tensor, but got ",
            dtype_graph_name(self.dtype()));
    const Axes axes = real_axes("rfftn", self, s, dim);
    const Tensor input = resized(promoted(self, false), span_of(axes.dims), span_of(axes.sizes));
    return real_to_complex_op(input, axes.dims, norm_of(norm, true), true);
}
Tensor irfftn(const Tensor& self, const Lengths& s, const Lengths& dim, const Name& norm) {
    const auto& [axes, last] = half_axes("irfftn", self, s, dim);
    const Tensor input = resized(promoted(self, true), span_of(axes.dims), span_of(axes.sizes));
    return complex_to_real_op(input, axes.dims, norm_of(norm, false), last);
}
Tensor hfftn(const Tensor& self, const Lengths& s, const Lengths& dim, const Name& norm) {
    const auto& [axes, last] = half_axes("hfftn", self, s, dim);
    Tensor terms = resized(promoted(self, true), span_of(axes.dims), span_of(axes.sizes));
    if (axes.dims.size() > 1) terms = complex_to_complex_op(terms, without_last(axes.dims), norm_of(norm, true), true);
    return complex_to_real_op(fn::conj_physical(terms), Dims{axes.dims.back()}, norm_of(norm, true), last);
}
Tensor ihfftn(const Tensor& self, const Lengths& s, const Lengths& dim, const Name& norm) {
    const Axes axes = real_axes("ihfftn", self, s, dim);
    const Tensor input = resized(promoted(self, false), span_of(axes.dims), span_of(axes.sizes));
    const Tensor terms =
        fn::conj_physical(real_to_complex_op(input, Dims{axes.dims.back()}, norm_of(norm, false), true));
    if (axes.dims.size() == 1) return terms;
    return complex_to_complex_op(terms, without_last(axes.dims), norm_of(norm, false), false);
}

// out= of a transform: a complex result needs a complex tensor, a real one a floating one.
template <KernelFunction kCompute, bool kComplexResult>
void transform_into(Arguments arguments, IValue* results) {
    const ScalarType dtype = arguments.back().tensor_impl()->dtype;
    require(kComplexResult ? is_complex(dtype) : is_floating(dtype), "fft expects a ",
            kComplexResult ? "complex" : "floating point", " output tensor, but got ", dtype_graph_name(dtype));
    into_out<kCompute>(arguments, results);
}

std::vector<Sample> line_samples(Random& random, ScalarType dtype) {
    if (dtype == ScalarType::Float16 || dtype == ScalarType::BFloat16) return {};
    return {{{random_tensor(random, {3, 5}, dtype), IValue(), -1, IValue()}, {}},
            {{random_tensor(random, {3, 5}, dtype), 7, 0, std::string("ortho")}, "padded"},
            {{random_tensor(random, {3, 5}, dtype), 4, 1, std::string("forward")}, "cut"}};
}
std::vector<Sample> real_line_samples(Random& random, ScalarType dtype) {
    return is_complex(dtype) ? std::vector<Sample>() : line_samples(random, dtype);
}
std::vector<Sample> grid_samples(Random& random, ScalarType dtype) {
    if (dtype == ScalarType::Float16 || dtype == ScalarType::BFloat16) return {};
    return {
        {{random_tensor(random, {3, 5, 4}, dtype), IValue(), Dims{-2, -1}, IValue()}, {}},
        {{random_tensor(random, {3, 5, 4}, dtype), Dims{4, 3}, Dims{0, 1}, std::string("ortho")}, "padded and cut"}};
}
std::vector<Sample> real_grid_samples(Random& random, ScalarType dtype) {
    return is_complex(dtype) ? std::vector<Sample>() : grid_samples(random, dtype);
}

constexpr OperatorRecord composite(std::string_view schema, std::string_view summary, KernelFunction function,
                                   SamplesFunction samples = nullptr) {
    return {.schema = schema, .summary = summary, .composite = function, .samples = samples};
}

#define LOUPE_LINE_ARGUMENTS "Tensor self, int? n=None, int dim=-1, str? norm=None"
#define LOUPE_GRID_ARGUMENTS "Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None"
#define LOUPE_PLANE_ARGUMENTS "Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None"

constexpr OperatorRecord kRecords[] = {
    composite("aten::fft_fft(" LOUPE_LINE_ARGUMENTS ") -> Tensor", "Discrete Fourier transform along a dimension.",
              boxed<fft>, line_samples)
        .with_autocast({.cpu = Autocast::Float32}),
    composite("aten::fft_fft.out(" LOUPE_LINE_ARGUMENTS ", *, Tensor(a!) out) -> Tensor(a!)",
              "Discrete Fourier transform along a dimension.", transform_into<boxed<fft>, true>),
    composite("aten::fft_ifft(" LOUPE_LINE_ARGUMENTS ") -> Tensor",
              "Inverse discrete Fourier transform along a dimension.", boxed<ifft>, line_samples)
        .with_autocast({.cpu = Autocast::Float32}),
    composite("aten::fft_ifft.out(" LOUPE_LINE_ARGUMENTS ", *, Tensor(a!) out) -> Tensor(a!)",
              "Inverse discrete Fourier transform along a dimension.", transform_into<boxed<ifft>, true>),
    composite("aten::fft_rfft(" LOUPE_LINE_ARGUMENTS ") -> Tensor",
              "The terms of a real signal's Fourier transform that are not conjugates of others.", boxed<rfft>,
              real_line_samples)
        .with_autocast({.cpu = Autocast::Float32}),
    composite("aten::fft_rfft.out(" LOUPE_LINE_ARGUMENTS ", *, Tensor(a!) out) -> Tensor(a!)",
              "The terms of a real signal's Fourier transform that are not conjugates of others.",
              transform_into<boxed<rfft>, true>),
    composite("aten::fft_irfft(" LOUPE_LINE_ARGUMENTS ") -> Tensor", "Real signal from the terms that rfft gives.",
              boxed<irfft>, line_samples)
        .with_autocast({.cpu = Autocast::Float32}),
    composite("aten::fft_irfft.out(" LOUPE_LINE_ARGUMENTS ", *, Tensor(a!) out) -> Tensor(a!)",
              "Real signal from the terms that rfft gives.", transform_into<boxed<irfft>, false>),
    composite("aten::fft_hfft(" LOUPE_LINE_ARGUMENTS ") -> Tensor",
              "Fourier transform of a Hermitian signal, given by half: real.", boxed<hfft>, line_samples)
        .with_autocast({.cpu = Autocast::Float32}),
    composite("aten::fft_hfft.out(" LOUPE_LINE_ARGUMENTS ", *, Tensor(a!) out) -> Tensor(a!)",
              "Fourier transform of a Hermitian signal, given by half: real.", transform_into<boxed<hfft>, false>),
    composite("aten::fft_ihfft(" LOUPE_LINE_ARGUMENTS ") -> Tensor", "Inverse of hfft.", boxed<ihfft>,
              real_line_samples)
        .with_autocast({.cpu = Autocast::Float32}),
    composite("aten::fft_ihfft.out(" LOUPE_LINE_ARGUMENTS ", *, Tensor(a!) out) -> Tensor(a!)", "Inverse of hfft.",
              transform_into<boxed<ihfft>, true>),
    composite("aten::fft_fftn(" LOUPE_GRID_ARGUMENTS ") -> Tensor",
              "Discrete Fourier transform along several dimensions.", boxed<fftn>, grid_samples)
        .with_autocast({.cpu = Autocast::Float32}),
    composite("aten::fft_fftn.out(" LOUPE_GRID_ARGUMENTS ", *, Tensor(a!) out) -> Tensor(a!)",
              "Discrete Fourier transform along several dimensions.", transform_into<boxed<fftn>, true>),
    composite("aten::fft_fft2(" LOUPE_PLANE_ARGUMENTS ") -> Tensor",
              "Discrete Fourier transform along several dimensions.", boxed<fftn>, grid_samples)
        .with_autocast({.cpu = Autocast::Float32}),
    composite("aten::fft_fft2.out(" LOUPE_PLANE_ARGUMENTS ", *, Tensor(a!) out) -> Tensor(a!)",
              "Discrete Fourier transform along several dimensions.", transform_into<boxed<fftn>, true>),
    composite("aten::fft_ifftn(" LOUPE_GRID_ARGUMENTS ") -> Tensor",
              "Inverse discrete Fourier transform along several dimensions.", boxed<ifftn>, grid_samples)
        .with_autocast({.cpu = Autocast::Float32}),
    composite("aten::fft_ifftn.out(" LOUPE_GRID_ARGUMENTS ", *, Tensor(a!) out) -> Tensor(a!)",
              "Inverse discrete Fourier transform along several dimensions.", transform_into<boxed<ifftn>, true>),
    composite("aten::fft_ifft2(" LOUPE_PLANE_ARGUMENTS ") -> Tensor",
              "Inverse discrete Fourier transform along several dimensions.", boxed<ifftn>, grid_samples)
        .with_autocast({.cpu = Autocast::Float32}),
    composite("aten::fft_ifft2.out(" LOUPE_PLANE_ARGUMENTS ", *, Tensor(a!) out) -> Tensor(a!)",
              "Inverse discrete Fourier transform along several dimensions.", transform_into<boxed<ifftn>, true>),
    composite("aten::fft_rfftn(" LOUPE_GRID_ARGUMENTS ") -> Tensor",
              "Fourier transform of a real signal along several dimensions, the last one by half.", boxed<rfftn>,
              real_grid_samples)
        .with_autocast({.cpu = Autocast::Float32}),
    composite("aten::fft_rfftn.out(" LOUPE_GRID_ARGUMENTS ", *, Tensor(a!) out) -> Tensor(a!)",
              "Fourier transform of a real signal along several dimensions, the last one by half.",
              transform_into<boxed<rfftn>, true>),
    composite("aten::fft_rfft2(" LOUPE_PLANE_ARGUMENTS ") -> Tensor",
              "Fourier transform of a real signal along several dimensions, the last one by half.", boxed<rfftn>,
              real_grid_samples)
        .with_autocast({.cpu = Autocast::Float32}),
    composite("aten::fft_rfft2.out(" LOUPE_PLANE_ARGUMENTS ", *, Tensor(a!) out) -> Tensor(a!)",
              "Fourier transform of a real signal along several dimensions, the last one by half.",
              transform_into<boxed<rfftn>, true>),
    composite("aten::fft_irfftn(" LOUPE_GRID_ARGUMENTS ") -> Tensor", "Real signal from the terms that rfftn gives.",
              boxed<irfftn>, grid_samples)
        .with_autocast({.cpu = Autocast::Float32}),
    composite("aten::fft_irfftn.out(" LOUPE_GRID_ARGUMENTS ", *, Tensor(a!) out) -> Tensor(a!)",
              "Real signal from the terms that rfftn gives.", transform_into<boxed<irfftn>, false>),
    composite("aten::fft_irfft2(" LOUPE_PLANE_ARGUMENTS ") -> Tensor", "Real signal from the terms that rfftn gives.",
              boxed<irfftn>, grid_samples)
        .with_autocast({.cpu = Autocast::Float32}),
    composite("aten::fft_irfft2.out(" LOUPE_PLANE_ARGUMENTS ", *, Tensor(a!) out) -> Tensor(a!)",
              "Real signal from the terms that rfftn gives.", transform_into<boxed<irfftn>, false>),
    composite("aten::fft_hfftn(" LOUPE_GRID_ARGUMENTS ") -> Tensor",
              "Fourier transform of a Hermitian signal along several dimensions: real.", boxed<hfftn>, grid_samples),
    composite("aten::fft_hfftn.out(" LOUPE_GRID_ARGUMENTS ", *, Tensor(a!) out) -> Tensor(a!)",
              "Fourier transform of a Hermitian signal along several dimensions: real.",
              transform_into<boxed<hfftn>, false>),
    composite("aten::fft_hfft2(" LOUPE_PLANE_ARGUMENTS ") -> Tensor",
              "Fourier transform of a Hermitian signal along several dimensions: real.", boxed<hfftn>, grid_samples),
    composite("aten::fft_hfft2.out(" LOUPE_PLANE_ARGUMENTS ", *, Tensor(a!) out) -> Tensor(a!)",
              "Fourier transform of a Hermitian signal along several dimensions: real.",
              transform_into<boxed<hfftn>, false>),
    composite("aten::fft_ihfftn(" LOUPE_GRID_ARGUMENTS ") -> Tensor", "Inverse of hfftn.", boxed<ihfftn>,
              real_grid_samples),
    composite("aten::fft_ihfftn.out(" LOUPE_GRID_ARGUMENTS ", *, Tensor(a!) out) -> Tensor(a!)", "Inverse of hfftn.",
              transform_into<boxed<ihfftn>, true>),
    composite("aten::fft_ihfft2(" LOUPE_PLANE_ARGUMENTS ") -> Tensor", "Inverse of hfftn.", boxed<ihfftn>,
              real_grid_samples),
    composite("aten::fft_ihfft2.out(" LOUPE_PLANE_ARGUMENTS ", *, Tensor(a!) out) -> Tensor(a!)", "Inverse of hfftn.",
              transform_into<boxed<ihfftn>, true>),
};
#undef LOUPE_LINE_ARGUMENTS
#undef LOUPE_GRID_ARGUMENTS
#undef LOUPE_PLANE_ARGUMENTS

}  // namespace

std::span<const OperatorRecord> transform_records() { return kRecords; }

}  // namespace loupe::fft

// SPDX-License-Identifier: Apache-2.0
// _fft_c2c, _fft_r2c, _fft_c2r: the primitives of all transforms.

#include <cmath>
#include <numeric>

#include "core/dispatch/boxing.h"
#include "core/dispatch/gradient_context.h"
#include "core/kernels/elementwise.h"
#include "core/ops/fft/family.h"
#include "core/ops/fft/shape.h"
#include "core/ops/fft/transform.h"
#include "core/ops/samples.h"

namespace loupe::fft {
namespace {

using G = GradientContext;

Dims wrapped(const Tensor& self, const Dims& dims) {
    Dims out;
    for (const std::int64_t d : dims) out.push_back(wrap_dim(d, self.dim()));
    return out;
}

double scale_of(std::int64_t norm, IntSpan sizes, const Dims& dims) {
    double points = 1;
    for (const std::int64_t d : dims) points *= static_cast<double>(sizes[static_cast<std::size_t>(d)]);
    if (norm == static_cast<std::int64_t>(Norm::None)) return 1;
    return 1 / (norm == static_cast<std::int64_t>(Norm::ByRootN) ? std::sqrt(points) : points);
}

Lines lines_along(IntSpan sizes, std::int64_t dim) {
    Lines lines;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (static_cast<std::int64_t>(d) < dim) lines.outer *= sizes[d];
        if (static_cast<std::int64_t>(d) > dim) lines.inner *= sizes[d];
    }
    return lines;
}

template <typename Work>
void with_real_type(ScalarType dtype, Work&& work) {
    if (to_real_type(dtype) == ScalarType::Float64)
        work(double{});
    else
        work(float{});
}

void require_complex(const Tensor& self) {
    require(is_complex(self.dtype()), "Expected self.is_complex() to be true, but got false.");
}

// All dims of a contiguous complex tensor into another, which may be the same; the scale goes with the last.
void transform_dims(const Tensor& from, const Tensor& to, IntSpan dims, bool forward, double scale) {
    if (to.numel() == 0) return;
    with_real_type(to.dtype(), [&]<typename T>(T) {
        for (std::size_t i = dims.size(); i-- > 0;) {
            const Tensor& source = i + 1 == dims.size() ? from : to;
            complex_to_complex(source.data<std::complex<T>>(), to.data<std::complex<T>>(),
                               lines_along(to.sizes(), dims[i]), to.size(dims[i]), forward,
                               static_cast<T>(i == 0 ? scale : 1.0));
        }
    });
}
void transform_in_place(const Tensor& t, IntSpan dims, bool forward, double scale) {
    transform_dims(t, t, dims, forward, scale);
}

// A contiguous tensor to compute in: `out` itself when it is one.
Tensor contiguous_target(const Tensor& out) { return out.is_contiguous() ? out : empty(out.sizes(), out.dtype()); }
Tensor contiguous_copy(const Tensor& t) {
    const Tensor copy = empty(t.sizes(), t.dtype());
    copy_into(copy, t);
    return copy;
}
void deliver(const Tensor& out, const Tensor& computed) {
    if (!computed.is_same(out)) copy_into(out, computed);
}

TensorMeta c2c_meta(const Tensor& self, const Dims& dims, std::int64_t, bool) {
    require_complex(self);
    wrapped(self, dims);
    return {to_dims(self.sizes()), self.dtype()};
}
void c2c(const Tensor& out, const Tensor& self, const Dims& dims, std::int64_t norm, bool forward) {
    const Dims axes = wrapped(self, dims);
    const Tensor work = contiguous_target(out);
    const bool reads_self = self.is_contiguous() && self.dtype() == work.dtype() && !axes.empty();
    if (!reads_self) copy_into(work, self);
    transform_dims(reads_self ? self : work, work, span_of(axes), forward, scale_of(norm, self.sizes(), axes));
    deliver(out, work);
}

TensorMeta r2c_meta(const Tensor& self, const Dims& dims, std::int64_t, bool onesided) {
    require(is_floating(self.dtype()), "Expected self.is_floating_point() to be true, but got false.");
    require(self.dtype() == ScalarType::Float32 || self.dtype() == ScalarType::Float64, "Unsupported dtype ",
            dtype_graph_name(self.dtype()));
    require(!dims.empty(), "_fft_r2c must transform at least one axis");
    Dims sizes = to_dims(self.sizes());
    auto& last = sizes[static_cast<std::size_t>(wrapped(self, dims).back())];
    if (onesided) last = last / 2 + 1;
    return {sizes, to_complex_type(self.dtype())};
}

// The terms that the one-sided transform left out: X[-k] = conj(X[k]) in all transformed dims, of which `last` was
// halved.
template <typename T>
void reflect_line(const std::complex<T>* half, std::complex<T>* full, Lines lines, std::int64_t n) {
    const std::int64_t terms = n / 2 + 1;
    for (std::int64_t o = 0; o < lines.outer; ++o) {
        const std::complex<T>* from = half + o * terms * lines.inner;
        std::complex<T>* to = full + o * n * lines.inner;
        std::copy_n(from, terms * lines.inner, to);
        for (std::int64_t k = terms; k < n; ++k) {
            for (std::int64_t i = 0; i < lines.inner; ++i)
                to[k * lines.inner + i] = std::conj(from[(n - k) * lines.inner + i]);
        }
    }
}

void r2c(const Tensor& out, const Tensor& self, const Dims& dims, std::int64_t norm, bool onesided) {
    if (out.numel() == 0) return;
    if (self.numel() == 0) {  // an empty line has one term
        fn::zero_(out);
        return;
    }
    const Dims axes = wrapped(self, dims);
    const std::int64_t last = axes.back();
    const std::int64_t n = self.size(last);
    const Tensor work = contiguous_target(out);
    const Tensor input = self.is_contiguous() ? self : contiguous_copy(self);
    const IntSpan others{axes.data(), axes.size() - 1};
    const double scale = scale_of(norm, self.sizes(), axes);
    with_real_type(self.dtype(), [&]<typename T>(T) {
        using C = std::complex<T>;
        const Lines lines = lines_along(self.sizes(), last);
        const T first_scale = static_cast<T>(others.empty() ? scale : 1.0);
        if (onesided) {
            real_to_complex(input.data<T>(), work.data<C>(), lines, n, first_scale);
        } else {
            std::vector<C> half(static_cast<std::size_t>(lines.outer * lines.inner * (n / 2 + 1)));
            real_to_complex(input.data<T>(), half.data(), lines, n, first_scale);
            reflect_line(half.data(), work.data<C>(), lines, n);
        }
    });
    transform_in_place(work, others, true, scale);
    deliver(out, work);
}

TensorMeta c2r_meta(const Tensor& self, const Dims& dims, std::int64_t, std::int64_t last_size) {
    require_complex(self);
    require(!dims.empty(), "_fft_c2r must transform at least one axis");
    Dims sizes = to_dims(self.sizes());
    auto& last = sizes[static_cast<std::size_t>(wrapped(self, dims).back())];
    require_points(last_size);
    require(last >= last_size / 2 + 1, "_fft_c2r: ", last_size, " real elements need ", last_size / 2 + 1,
            " complex ones, but got ", last);
    last = last_size;
    return {sizes, to_real_type(self.dtype())};
}
void c2r(const Tensor& out, const Tensor& self, const Dims& dims, std::int64_t norm, std::int64_t n) {
    if (out.numel() == 0) return;
    const Dims axes = wrapped(self, dims);
    const std::int64_t last = axes.back();
    const Tensor used = fn::slice(self, last, std::int64_t{0}, n / 2 + 1, std::int64_t{1});
    const bool only_last = axes.size() == 1;
    const Tensor input = only_last && used.is_contiguous() ? used : contiguous_copy(used);
    transform_in_place(input, {axes.data(), axes.size() - 1}, false, 1);
    const Tensor work = contiguous_target(out);
    const double scale = scale_of(norm, out.sizes(), axes);
    with_real_type(self.dtype(), [&]<typename T>(T) {
        complex_to_real(input.data<std::complex<T>>(), work.data<T>(), lines_along(out.sizes(), last), n,
                        static_cast<T>(scale));
    });
    deliver(out, work);
}

void c2c_backward(G& c) {
    c.grad("self", [&] {
        return complex_to_complex_op(c.grad_output(), c.value("dim"), c.value("normalization"),
                                     !c.value("forward").to_bool());
    });
}
void r2c_backward(G& c) {
    c.grad("self", [&] {
        Tensor g = c.grad_output();
        const std::int64_t last = wrap_dim(c.value("dim").to_ints().back(), g.dim());
        const std::array dims{last};
        const std::array sizes{c.sizes("self")[static_cast<std::size_t>(last)]};
        if (c.value("onesided").to_bool()) g = resized(g, dims, sizes);
        return fn::real(complex_to_complex_op(g, c.value("dim"), c.value("normalization"), false));
    });
}
// Terms with a conjugate counterpart count twice.
void c2r_backward(G& c) {
    c.grad("self", [&] {
        const Tensor g = c.grad_output();
        const std::int64_t last = wrap_dim(c.value("dim").to_ints().back(), g.dim());
        const Tensor terms = real_to_complex_op(g, c.value("dim"), c.value("normalization"), true);
        const std::int64_t n = terms.size(last);
        const std::int64_t doubled = g.size(last) - n;
        const auto piece = [&](std::int64_t begin, std::int64_t end) {
            return fn::slice(terms, last, begin, end, std::int64_t{1});
        };
        Tensor all = terms;
        if (doubled > 0) {
            all = fn::cat(
                TensorList{piece(0, 1), fn::mul_scalar(piece(1, 1 + doubled), Scalar(2)), piece(1 + doubled, n)}, last);
        }
        const std::array dims{last};
        const std::array sizes{c.sizes("self")[static_cast<std::size_t>(last)]};
        return resized(all, dims, sizes);
    });
}

// 5 n log2(n) for each complex line, half of it for each real one.
Cost transform_cost(Arguments arguments, std::span<const IValue> results) {
    const Tensor self = arguments[0].to_tensor(), out = results[0].to_tensor();
    const Tensor& larger = out.numel() > self.numel() ? out : self;
    double steps = 0;
    for (const std::int64_t d : arguments[1].to_ints())
        steps += std::log2(static_cast<double>(std::max<std::int64_t>(larger.size(d), 1)));
    const double share = is_complex(self.dtype()) && is_complex(out.dtype()) ? 5 : 2.5;
    return {share * static_cast<double>(larger.numel()) * steps, static_cast<double>(self.bytes() + out.bytes())};
}

bool has_transforms(ScalarType dtype) {
    return to_real_type(dtype) == ScalarType::Float32 || to_real_type(dtype) == ScalarType::Float64;
}
std::vector<Sample> c2c_samples(Random& random, ScalarType dtype) {
    if (!is_complex(dtype)) return {};
    return {{{random_tensor(random, {3, 5}, dtype), Dims{1}, 0, true}, {}},
            {{random_tensor(random, {2, 4, 6}, dtype), Dims{0, 2}, 1, false}, "two dims"},
            {{random_tensor(random, {2, 67}, dtype), Dims{-1}, 2, true}, "a large prime"}};
}
std::vector<Sample> r2c_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype) || !has_transforms(dtype)) return {};
    return {{{random_tensor(random, {3, 5}, dtype), Dims{1}, 0, true}, {}},
            {{random_tensor(random, {2, 4, 6}, dtype), Dims{0, 1}, 1, true}, "two dims"},
            {{random_tensor(random, {8, 3}, dtype), Dims{0}, 2, false}, "all terms"}};
}
std::vector<Sample> c2r_samples(Random& random, ScalarType dtype) {
    if (!is_complex(dtype)) return {};
    return {{{random_tensor(random, {3, 5}, dtype), Dims{1}, 0, 8}, {}},
            {{random_tensor(random, {3, 5}, dtype), Dims{1}, 0, 9}, "odd"},
            {{random_tensor(random, {2, 4, 3}, dtype), Dims{0, 1}, 2, 6}, "two dims"}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::_fft_c2c(Tensor self, int[] dim, int normalization, bool forward) -> Tensor",
     .summary = "Discrete Fourier transform along dims; normalization 0 none, 1 by sqrt(n), 2 by n.",
     .formula = "X[k] = sum_j x[j] exp(-2 pi i jk / n), + when not forward",
     .infer = inferring<c2c_meta>,
     .kernel = filling<c2c>,
     .derivative = {c2c_backward},
     .gradient = "self: the transform of grad in the other direction, scaled alike",
     .cost = transform_cost,
     .samples = c2c_samples,
     .variants = kOut},
    {.schema = "aten::_fft_r2c(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor",
     .summary = "Discrete Fourier transform of real numbers; one-sided leaves out the terms of the last dim that are "
                "conjugates.",
     .formula = "X[k] = sum_j x[j] exp(-2 pi i jk / n)",
     .infer = inferring<r2c_meta>,
     .kernel = filling<r2c>,
     .derivative = {r2c_backward},
     .gradient = "self: real part of the transform of grad in the other direction",
     .cost = transform_cost,
     .samples = r2c_samples,
     .variants = kOut},
    {.schema = "aten::_fft_c2r(Tensor self, int[] dim, int normalization, int last_dim_size) -> Tensor",
     .summary = "Inverse discrete Fourier transform of a one-sided spectrum to real numbers.",
     .formula = "x[j] = sum_k X[k] exp(2 pi i jk / n)",
     .infer = inferring<c2r_meta>,
     .kernel = filling<c2r>,
     .derivative = {c2r_backward},
     .gradient = "self: the transform of grad, terms that stand for two doubled",
     .cost = transform_cost,
     .samples = c2r_samples,
     .variants = kOut},
};

}  // namespace

std::span<const OperatorRecord> primitive_records() { return kRecords; }

}  // namespace loupe::fft

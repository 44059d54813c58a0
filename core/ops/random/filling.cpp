// SPDX-License-Identifier: Apache-2.0
// Operators that overwrite a tensor with random numbers: uniform_, normal_, random_, bernoulli_, and so on.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "core/base/torch_release.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/kernels/elementwise.h"
#include "core/ops/nn/simd.h"
#include "core/ops/random/bounds.h"
#include "core/ops/random/family.h"
#include "core/ops/random/mersenne_twister.h"

namespace loupe {
namespace {

using namespace drawing;

// Dimensions by falling strides: numbers are drawn in the order of memory.
Dims memory_order(const Tensor& t) {
    Dims order;
    for (std::int64_t d = 0; d < t.dim(); ++d) order.push_back(d);
    if (!t.is_contiguous()) {
        std::stable_sort(order.begin(), order.end(),
                         [&](std::int64_t a, std::int64_t b) { return t.stride(a) > t.stride(b); });
    }
    return order;
}
// A view of t with its dimensions in that order.
Tensor reordered(const Tensor& t, const Dims& order) {
    Dims sizes, strides;
    for (const std::int64_t d : order) {
        sizes.push_back(t.size(d));
        strides.push_back(t.stride(d));
    }
    return t.view_as_strided(span_of(sizes), span_of(strides), t.storage_offset());
}

// fill(pointer, count) writes elements in order.
template <DtypeSet kSet = kCommonDtypes, typename Fill>
void fill_in_order(const Tensor& self, Fill&& fill) {
    const Tensor ordered = reordered(self, memory_order(self));
    const Tensor target = ordered.is_contiguous() ? ordered : empty(ordered.sizes(), ordered.dtype());
    visit_dtypes<kSet>(self.dtype(),
                       [&]<typename T>(std::type_identity<T>) { fill(target.data<T>(), target.numel()); });
    if (!target.is_same(ordered)) copy_into(ordered, target);
}

// Calls take(words, first, count) on the numbers drawn for elements [first, first + count), kWords per element, block
// by block.
template <std::int64_t kWords, typename Take>
void draw_blocks(MersenneTwister& g, std::int64_t n, Take&& take) {
    constexpr std::int64_t kBlock = 512;
    std::array<std::uint32_t, static_cast<std::size_t>(kBlock * kWords)> words;
    for (std::int64_t at = 0; at < n; at += kBlock) {
        const std::int64_t count = std::min(kBlock, n - at);
        g.fill({words.data(), static_cast<std::size_t>(count * kWords)});
        take(words.data(), at, count);
    }
}

// Each element by draw() in double precision.
template <typename Draw>
Tensor fill_each(const Tensor& self, Draw&& draw) {
    fill_in_order(self, [&]<typename T>(T* to, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) to[i] = element_of<T>(draw());
    });
    return self;
}

void require_floating(const Tensor& self, const char* name) {
    require(is_floating(self.dtype()), "\"", name, "\" not implemented for '", dtype_graph_name(self.dtype()), "'");
}

// In [0, 1), from the lowest bits of a number.
LOUPE_INLINE inline float fraction_of(std::uint32_t number, int digits) {
    return static_cast<float>(static_cast<std::int32_t>(number & ((1U << digits) - 1))) *
           (1.0F / static_cast<float>(1U << digits));
}
float uniform_bits(MersenneTwister& g, int digits) { return fraction_of(g.next32(), digits); }

Tensor uniform_(const Tensor& self, double from, double to, const IValue& generator) {
    if (is_complex(self.dtype())) {
        uniform_(fn::view_as_real(self), from, to, generator);
        return self;
    }
    require_floating(self, "check_uniform_bounds");
    require(from <= to, "uniform_ expects to return a [from, to) range, but found from=", from, " > to=", to);
    MersenneTwister& g = generator_of(generator);
    fill_in_order(self, [&]<typename T>(T* values, std::int64_t n) {
        if constexpr (std::is_same_v<T, double>) {
            for (std::int64_t i = 0; i < n; ++i) values[i] = std::fma(g.uniform_double(), to - from, from);
        } else if constexpr (!std::is_integral_v<T> && !is_complex(scalar_type_of<T>)) {
            const bool is_rounded_first = is_older_torch();
            const int digits = is_rounded_first ? digits_of<T>() : 24;
            const auto bound = [&](double value) {
                return is_rounded_first ? static_cast<float>(T(static_cast<float>(value))) : static_cast<float>(value);
            };
            const float low = bound(from);
            const float range = bound(to) - low;
            draw_blocks<1>(g, n, [&](const std::uint32_t* words, std::int64_t first, std::int64_t count) {
                with_best_instructions([&]() LOUPE_INLINE {
#pragma omp simd
                    for (std::int64_t i = 0; i < count; ++i)
                        values[first + i] = T(__builtin_fmaf(fraction_of(words[i], digits), range, low));
                });
                if (is_rounded_first || std::is_same_v<T, float>) return;
                // What rounding made the end of [from, to) is its beginning.
                const float end = static_cast<float>(T(bound(to)));
                for (std::int64_t i = 0; i < count; ++i)
                    if (range > 0 && static_cast<float>(values[first + i]) == end) values[first + i] = T(low);
            });
        }
    });
    return self;
}

// 16 uniform numbers become 16 normal ones; each step is rounded to T, as PyTorch does for the narrow types too.
template <typename T>
void box_muller(T* x, double mean, double std) {
    using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;
    const auto in_type = [](Real value) { return static_cast<Real>(T(value)); };
    const auto scale = in_type(static_cast<Real>(std));
    const auto shift = in_type(static_cast<Real>(mean));
    for (int j = 0; j < 8; ++j) {
        const Real u1 = in_type(Real(1) - static_cast<Real>(x[j]));
        const Real radius = in_type(std::sqrt(in_type(Real(-2) * in_type(std::log(u1)))));
        const Real angle = in_type(Real(2) * std::numbers::pi_v<Real> * static_cast<Real>(x[j + 8]));
        x[j] = T(in_type(in_type(radius * in_type(std::cos(angle))) * scale) + shift);
        x[j + 8] = T(in_type(in_type(radius * in_type(std::sin(angle))) * scale) + shift);
    }
}
template <typename T>
T uniform(MersenneTwister& g) {
    if constexpr (std::is_same_v<T, double>)
        return g.uniform_double();
    else
        return T(uniform_bits(g, digits_of<T>()));
}
template <typename T>
void fill_normal(T* to, std::int64_t n, double mean, double std, MersenneTwister& g) {
    for (std::int64_t i = 0; i < n; ++i) to[i] = uniform<T>(g);
    for (std::int64_t i = 0; i + 16 <= n; i += 16) box_muller(to + i, mean, std);
    if (n % 16 == 0) return;
    // The last 16 are drawn again.
    T* last = to + n - 16;
    for (int i = 0; i < 16; ++i) last[i] = uniform<T>(g);
    box_muller(last, mean, std);
}
// As PyTorch 2: blocks of 16 in float32, rounded once; of a rest no number is drawn before the last 16.
template <typename T>
void fill_narrow_normal(T* to, std::int64_t n, double mean, double std, MersenneTwister& g) {
    const auto fill_block = [&](T* block) {
        std::array<float, 16> wide;
        for (float& x : wide) x = g.uniform_float();
        box_muller(wide.data(), mean, std);
        std::transform(wide.begin(), wide.end(), block, [](float x) { return T(x); });
    };
    for (std::int64_t i = 0; i + 16 <= n; i += 16) fill_block(to + i);
    if (n % 16 != 0) fill_block(to + n - 16);
}
Tensor normal_(const Tensor& self, double mean, double std, const IValue& generator) {
    require(std >= 0, "normal expects std >= 0.0, but found std ", std);
    MersenneTwister& g = generator_of(generator);
    if (is_complex(self.dtype())) {
        normal_(fn::view_as_real(self), 0, std / std::numbers::sqrt2, generator);
        if (mean != 0) fn::add_(self, scalar_tensor(Scalar(mean), self.dtype()), Scalar(1));
        return self;
    }
    require_floating(self, "normal_kernel_cpu");
    if (self.numel() < 16 || !self.is_contiguous()) return fill_each(self, [&] { return g.normal() * std + mean; });
    visit_dtype(self.dtype(), [&]<typename T>(std::type_identity<T>) {
        if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
            if (!is_older_torch()) return fill_narrow_normal(self.data<T>(), self.numel(), mean, std, g);
        }
        if constexpr (is_floating(scalar_type_of<T>)) fill_normal(self.data<T>(), self.numel(), mean, std, g);
    });
    return self;
}

Tensor bernoulli_(const Tensor& self, double p, const IValue& generator) {
    require(p >= 0 && p <= 1, "bernoulli_ expects p to be in [0, 1], but got p=", p);
    MersenneTwister& g = generator_of(generator);
    // As uniform_double() < p, in whole numbers.
    const auto limit = static_cast<std::uint64_t>(std::ceil(p * 0x1p53));
    fill_in_order(self, [&]<typename T>(T* to, std::int64_t n) {
        draw_blocks<2>(g, n, [&](const std::uint32_t* words, std::int64_t first, std::int64_t count) {
            const T one = element_of<T>(1), zero = element_of<T>(0);
            for (std::int64_t i = 0; i < count; ++i) {
                const std::uint64_t drawn =
                    (std::uint64_t{words[2 * i]} << 32 | words[2 * i + 1]) & ((std::uint64_t{1} << 53) - 1);
                to[first + i] = drawn < limit ? one : zero;
            }
        });
    });
    return self;
}
Tensor bernoulli_tensor_(const Tensor& self, const Tensor& p, const IValue& generator) {
    require(is_floating(p.dtype()), "\"",
            is_complex(self.dtype()) ? "bernoulli_tensor_cpu_self_" : "bernoulli_tensor_cpu_p_",
            "\" not implemented for '", dtype_graph_name(p.dtype()), "'");
    MersenneTwister& g = generator_of(generator);
    const bool wide = p.dtype() == ScalarType::Float64;
    const Dims order = memory_order(self);
    const Tensor wide_p =
        fn::to_dtype(fn::expand(p, to_dims(self.sizes())), static_cast<std::int64_t>(ScalarType::Float64));
    const Tensor chances = fn::contiguous(reordered(wide_p, order), 0);
    const Tensor target = reordered(self, order);
    const Tensor drawn = empty(target.sizes(), ScalarType::Float64);
    for (std::int64_t i = 0; i < drawn.numel(); ++i) {
        const double chance = chances.data<double>()[i];
        require(chance >= 0 && chance <= 1,
                "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  "
                "If so, "
                "please report an enhancement request to PyTorch.)");
        const double u = wide ? g.uniform_double() : static_cast<double>(g.uniform_float());
        drawn.data<double>()[i] = u < chance ? 1 : 0;
    }
    copy_into(target, drawn);
    return self;
}

// Integers in [from, from + range); a range of 0 is that of all 2^64.
Tensor fill_integers(const Tensor& self, std::int64_t from, std::uint64_t range, MersenneTwister& g) {
    // PyTorch 2 draws 64 bits where the remainder of 32 would favour small numbers by more than 5 %.
    const bool wide = range == 0 || range >= std::uint64_t{1} << (is_older_torch() ? 32 : 28);
    fill_in_order(self, [&]<typename T>(T* to, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) {
            const std::uint64_t drawn = wide ? g.next64() : g.next32();
            const std::uint64_t within = range == 0 ? drawn : drawn % range;
            to[i] = Scalar(static_cast<std::int64_t>(within + static_cast<std::uint64_t>(from))).to<T>();
        }
    });
    return self;
}
Tensor random_from_to(const Tensor& self, std::int64_t from, std::optional<std::int64_t> to, const IValue& generator) {
    MersenneTwister& g = generator_of(generator);
    if (!to) return fill_integers(self, from, (std::uint64_t{1} << 63) - static_cast<std::uint64_t>(from), g);
    require(from < *to, "random_ expects 'from' to be less than 'to', but got from=", from, " >= to=", *to);
    std::int64_t end = *to;
    fit_bounds(self, from, end);
    return fill_integers(self, from, static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(from), g);
}
Tensor random_to(const Tensor& self, std::int64_t to, const IValue& generator) {
    return random_from_to(self, 0, to, generator);
}
// Every value that the type holds exactly, from 0 on.
Tensor random_(const Tensor& self, const IValue& generator) {
    MersenneTwister& g = generator_of(generator);
    fill_in_order(self, [&]<typename T>(T* to, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) {
            if constexpr (std::is_same_v<T, bool>) {
                to[i] = (g.next32() & 1) != 0;
            } else if constexpr (std::is_integral_v<T>) {
                const std::uint64_t drawn = sizeof(T) == 8 ? g.next64() : g.next32();
                to[i] = static_cast<T>(drawn % (static_cast<std::uint64_t>(std::numeric_limits<T>::max()) + 1));
            } else if constexpr (std::is_same_v<T, double>) {
                to[i] = static_cast<double>(g.next64() % ((std::uint64_t{1} << 53) + 1));
            } else {
                constexpr int kDigits = is_complex(scalar_type_of<T>) ? 24 : digits_of<T>();
                to[i] = element_of<T>(static_cast<double>(g.next32() % ((1U << kDigits) + 1)));
            }
        }
    });
    return self;
}

Tensor exponential_(const Tensor& self, double lambda, const IValue& generator) {
    require_floating(self, "exponential");
    require(is_older_torch() ? lambda >= 0 : lambda > 0, "exponential_ expects lambda ", is_older_torch() ? ">=" : ">",
            " 0.0, but found lambda=", lambda);
    MersenneTwister& g = generator_of(generator);
    return fill_each(self, [&] { return -1 / lambda * std::log1p(-g.uniform_double()); });
}
Tensor cauchy_(const Tensor& self, double median, double sigma, const IValue& generator) {
    require_floating(self, "cauchy_cpu");
    MersenneTwister& g = generator_of(generator);
    return fill_each(self, [&] { return median + sigma * std::tan(std::numbers::pi * (g.uniform_double() - 0.5)); });
}
Tensor log_normal_(const Tensor& self, double mean, double std, const IValue& generator) {
    require_floating(self, "log_normal_cpu");
    require(std > 0, "log_normal_ expects std > 0.0, but found std=", std);
    MersenneTwister& g = generator_of(generator);
    return fill_each(self, [&] { return std::exp(g.normal() * std + mean); });
}
Tensor geometric_(const Tensor& self, double p, const IValue& generator) {
    require(self.dtype() != ScalarType::Bool || is_older_torch(), "\"geometric_cpu\" not implemented for 'Bool'");
    require(p > 0 && p < 1, "geometric_ expects p to be in (0, 1), but got p=", p);
    MersenneTwister& g = generator_of(generator);
    return fill_each(self, [&] { return std::ceil(std::log(g.uniform_double()) / std::log1p(-p)); });
}

void zero_gradient(GradientContext& c) { c.set_grad(0, fn::zeros_like(c.grad_output())); }

constexpr OperatorRecord overwriting(std::string_view schema, std::string_view summary, KernelFunction kernel) {
    return {.schema = schema, .summary = summary, .kernel = kernel, .derivative = {zero_gradient}, .is_random = true};
}

constexpr std::string_view kDrawn = "self: 0; what is drawn hangs on nothing";

constexpr OperatorRecord kRecords[] = {
    overwriting(
        "aten::uniform_(Tensor(a!) self, float from=0., float to=1., *, Generator? generator=None) -> Tensor(a!)",
        "Uniform numbers in [from, to).", boxed<uniform_>)
        .with_dtypes({.kernel = "check_uniform_bounds"})
        .with_gradient(kDrawn),
    overwriting(
        "aten::normal_(Tensor(a!) self, float mean=0., float std=1., *, Generator? generator=None) -> Tensor(a!)",
        "Normal numbers.", boxed<normal_>)
        .with_dtypes({.kernel = "normal_kernel_cpu"})
        .with_gradient(kDrawn),
    overwriting("aten::bernoulli_.float(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> Tensor(a!)",
                "1 with chance p, else 0.", boxed<bernoulli_>)
        .with_dtypes({.kernel = "bernoulli_scalar_cpu_"})
        .with_gradient(kDrawn),
    overwriting("aten::bernoulli_.Tensor(Tensor(a!) self, Tensor p, *, Generator? generator=None) -> Tensor(a!)",
                "1 with the chance that p has there, else 0.", boxed<bernoulli_tensor_>),
    overwriting("aten::random_(Tensor(a!) self, *, Generator? generator=None) -> Tensor(a!)",
                "Integers that the type holds.", boxed<random_>)
        .with_dtypes({kCommonDtypes & ~kComplexDtypes, "random_kernel_cpu"})
        .with_gradient(kDrawn),
    overwriting("aten::random_.to(Tensor(a!) self, int to, *, Generator? generator=None) -> Tensor(a!)",
                "Integers in [0, to).", boxed<random_to>)
        .with_dtypes({kWithUnsigned, "random_update_from_to"}),
    overwriting("aten::random_.from(Tensor(a!) self, int from, int? to, *, Generator? generator=None) -> Tensor(a!)",
                "Integers in [from, to).", boxed<random_from_to>)
        .with_dtypes({kWithUnsigned, "random_update_from_to"}),
    overwriting("aten::exponential_(Tensor(a!) self, float lambd=1., *, Generator? generator=None) -> Tensor(a!)",
                "Exponentially distributed numbers.", boxed<exponential_>)
        .with_dtypes({.kernel = "exponential_cpu"})
        .with_gradient(kDrawn),
    overwriting(
        "aten::cauchy_(Tensor(a!) self, float median=0., float sigma=1., *, Generator? generator=None) -> Tensor(a!)",
        "Numbers of a Cauchy distribution.", boxed<cauchy_>)
        .with_dtypes({.kernel = "cauchy_cpu"})
        .with_gradient(kDrawn),
    overwriting(
        "aten::log_normal_(Tensor(a!) self, float mean=1., float std=2., *, Generator? generator=None) -> Tensor(a!)",
        "Exponentials of normal numbers.", boxed<log_normal_>)
        .with_dtypes({.kernel = "log_normal_cpu"})
        .with_gradient(kDrawn),
    overwriting("aten::geometric_(Tensor(a!) self, float p, *, Generator? generator=None) -> Tensor(a!)",
                "How many trials until the first success.", boxed<geometric_>)
        .with_dtypes({.kernel = "geometric_cpu"})
        .with_gradient(kDrawn),
};

}  // namespace

std::span<const OperatorRecord> drawing::filling_records() { return kRecords; }

}  // namespace loupe

// SPDX-License-Identifier: Apache-2.0
// Sample inputs of the pointwise operators. The sweep itself adds strided, expanded and in-place forms.

#include "core/ops/samples.h"

#include "core/kernels/arithmetic.h"
#include "core/ops/pointwise/pointwise.h"

namespace loupe::pointwise {
namespace {

using namespace arithmetic;

template <typename Draw>
std::vector<Sample> shapes(Draw&& draw) {
    return {{{draw({2, 3})}, {}},
            {{draw({})}, "0-dimensional"},
            {{draw({3, 0})}, "no elements"},
            {{draw({37})}, "a vector and a rest"}};
}
using Sizes = std::initializer_list<std::int64_t>;

// Apart from 0, of both signs.
Tensor away_from_zero(const Tensor& t) {
    if (t.dtype() == ScalarType::Bool) return fn::ones_like(t);
    if (is_complex(t.dtype())) return t + 3;
    if (is_integral(t.dtype())) return fn::masked_fill(t, fn::eq_scalar(t, Scalar(0)), Scalar(2));
    return fn::where(fn::lt_scalar(t, Scalar(0)), t - 0.5, t + 0.5);
}

template <typename Second>
std::vector<Sample> pairs(Random& random, ScalarType dtype, Second&& second) {
    const auto draw = [&](Sizes sizes) { return random_tensor(random, sizes, dtype); };
    const auto other = [&](Sizes sizes) { return second(random_tensor(random, sizes, dtype)); };
    return {{{draw({2, 3}), other({2, 3})}, {}},
            {{draw({2, 3}), other({3})}, "broadcast"},
            {{draw({2, 1}), other({1, 3})}, "both broadcast"},
            {{draw({2, 3}), other({})}, "0-dimensional other"},
            {{draw({}), other({2})}, "0-dimensional self"},
            {{draw({0, 3}), other({3})}, "no elements"}};
}

}  // namespace

std::vector<Sample> unary_samples(Random& random, ScalarType dtype) {
    return shapes([&](Sizes sizes) { return random_tensor(random, sizes, dtype); });
}
std::vector<Sample> real_samples(Random& random, ScalarType dtype) {
    return is_complex(dtype) ? std::vector<Sample>() : unary_samples(random, dtype);
}
std::vector<Sample> kink_samples(Random& random, ScalarType dtype) {
    if (is_complex(dtype) || dtype == ScalarType::Bool) return {};
    return shapes([&](Sizes sizes) { return random_ladder(random, sizes, dtype); });
}
std::vector<Sample> positive_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return real_samples(random, dtype);
    return shapes([&](Sizes sizes) { return fn::abs(random_tensor(random, sizes, dtype)) + 0.25; });
}
std::vector<Sample> unit_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    return shapes([&](Sizes sizes) { return fn::sin(random_tensor(random, sizes, dtype)) * 0.9; });
}
std::vector<Sample> above_one_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    return shapes([&](Sizes sizes) { return fn::abs(random_tensor(random, sizes, dtype)) + 1.25; });
}
std::vector<Sample> integer_samples(Random& random, ScalarType dtype) {
    return is_integral(dtype) ? unary_samples(random, dtype) : std::vector<Sample>();
}
std::vector<Sample> binary_samples(Random& random, ScalarType dtype) {
    return pairs(random, dtype, [](const Tensor& t) { return t; });
}
std::vector<Sample> real_binary_samples(Random& random, ScalarType dtype) {
    return is_complex(dtype) ? std::vector<Sample>() : binary_samples(random, dtype);
}
std::vector<Sample> divisor_samples(Random& random, ScalarType dtype) { return pairs(random, dtype, away_from_zero); }
std::vector<Sample> real_divisor_samples(Random& random, ScalarType dtype) {
    return is_complex(dtype) ? std::vector<Sample>() : divisor_samples(random, dtype);
}
std::vector<Sample> integer_binary_samples(Random& random, ScalarType dtype) {
    return is_integral(dtype) && dtype != ScalarType::Bool ? divisor_samples(random, dtype) : std::vector<Sample>();
}
std::vector<Sample> scalar_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples = with_arguments(unary_samples(random, dtype), {IValue(3)});
    if (dtype == ScalarType::Bool) return samples;
    for (Sample& s : with_arguments(unary_samples(random, dtype), {IValue(-1.75)})) samples.push_back(std::move(s));
    return samples;
}
std::vector<Sample> real_scalar_samples(Random& random, ScalarType dtype) {
    return is_complex(dtype) ? std::vector<Sample>() : scalar_samples(random, dtype);
}
std::vector<Sample> backward_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    const auto draw = [&](Sizes sizes) { return random_tensor(random, sizes, dtype); };
    const auto ladder = [&](Sizes sizes) { return random_ladder(random, sizes, dtype); };
    return {{{draw({2, 3}), ladder({2, 3})}, {}},
            {{draw({}), ladder({})}, "0-dimensional"},
            {{draw({37}), ladder({37})}, "a vector and a rest"}};
}
std::vector<Sample> with_arguments(std::vector<Sample> samples, std::initializer_list<IValue> more) {
    for (Sample& sample : samples) sample.arguments.insert(sample.arguments.end(), more.begin(), more.end());
    return samples;
}

}  // namespace loupe::pointwise

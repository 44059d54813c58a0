// SPDX-License-Identifier: Apache-2.0
#include "core/ops/samples.h"

#include <algorithm>
#include <random>
#include <vector>

#include "core/base/truncated.h"
#include "core/ops/random/random.h"

namespace loupe {
namespace {

template <typename T>
T draw(std::mt19937& engine) {
    std::normal_distribution<double> normal;
    if constexpr (std::is_same_v<T, bool>) {
        return (engine() & 1) != 0;
    } else if constexpr (std::is_integral_v<T>) {
        const int value = static_cast<int>(engine() % 7) - 3;
        return static_cast<T>(std::is_unsigned_v<T> ? std::abs(value) : value);
    } else if constexpr (is_complex(scalar_type_of<T>)) {
        const double re = normal(engine);
        return T(std::complex<double>(re, normal(engine)));
    } else {
        return T(static_cast<float>(normal(engine)));
    }
}

}  // namespace

Tensor random_tensor(Random& random, IntSpan sizes, ScalarType dtype) {
    Tensor out = empty(sizes, dtype);
    visit_dtype(dtype, [&]<typename T>(std::type_identity<T>) {
        std::generate_n(out.data<T>(), out.numel(), [&] { return draw<T>(random.engine()); });
    });
    return out;
}

Tensor random_indices(Random& random, std::initializer_list<std::int64_t> sizes, std::int64_t limit) {
    Tensor out = empty(IntSpan(sizes.begin(), sizes.size()), ScalarType::Int64);
    std::generate_n(out.data<std::int64_t>(), out.numel(),
                    [&] { return static_cast<std::int64_t>(random.engine()()) % limit; });
    return out;
}

Tensor random_ladder(Random& random, std::initializer_list<std::int64_t> sizes, ScalarType dtype) {
    Tensor out = empty(IntSpan(sizes.begin(), sizes.size()), dtype);
    const std::int64_t n = out.numel();
    std::vector<double> steps(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i)
        steps[static_cast<std::size_t>(i)] = (static_cast<double>(i) - static_cast<double>(n) / 2 + 0.5) * 0.25 + 0.1;
    std::shuffle(steps.begin(), steps.end(), random.engine());
    visit_dtype(dtype, [&]<typename T>(std::type_identity<T>) {
        std::transform(steps.begin(), steps.end(), out.data<T>(), [](double v) {
            if constexpr (is_complex(scalar_type_of<T>))
                return T(std::complex<double>(v));
            else if constexpr (std::is_integral_v<T>)
                return static_cast<T>(truncated(v));
            else
                return T(static_cast<float>(v));
        });
    });
    return out;
}

}  // namespace loupe

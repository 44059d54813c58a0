// SPDX-License-Identifier: Apache-2.0
#include "core/record/finite_check.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/parallel.h"
#include "core/kernels/device_loops.h"
#include "core/tensor/copy_elements.h"
#include "core/tensor/element_walk.h"

namespace loupe::session {
namespace {

// An exponent of ones is Inf or NaN: adding one to it carries into the sign's bit.
template <typename Bits, Bits kExponent, Bits kOne, typename T>
bool has_full_exponent(const T* elements, std::int64_t n) {
    constexpr std::int64_t kLanes = 16;
    const auto carry = [](T element) { return static_cast<Bits>((std::bit_cast<Bits>(element) & kExponent) + kOne); };
    std::array<Bits, kLanes> carries{};
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        for (std::int64_t lane = 0; lane < kLanes; ++lane) {
            const auto k = static_cast<std::size_t>(lane);
            carries[k] = static_cast<Bits>(carries[k] | carry(elements[i + lane]));
        }
    }
    Bits all = 0;
    for (const Bits lane : carries) all = static_cast<Bits>(all | lane);
    for (; i < n; ++i) all = static_cast<Bits>(all | carry(elements[i]));
    constexpr Bits kSign = static_cast<Bits>(~(kExponent | static_cast<Bits>(kOne - 1)));
    return (all & kSign) != 0;
}

template <typename T>
bool is_piece_finite(const T* elements, std::int64_t n) {
    if constexpr (std::is_same_v<T, float>) {
        return !has_full_exponent<std::uint32_t, 0x7f800000u, 0x00800000u>(elements, n);
    } else if constexpr (std::is_same_v<T, double>) {
        return !has_full_exponent<std::uint64_t, 0x7ff0000000000000u, 0x0010000000000000u>(elements, n);
    } else if constexpr (std::is_same_v<T, Half>) {
        return !has_full_exponent<std::uint16_t, 0x7c00u, 0x0400u>(elements, n);
    } else if constexpr (std::is_same_v<T, BFloat16>) {
        return !has_full_exponent<std::uint16_t, 0x7f80u, 0x0080u>(elements, n);
    } else if constexpr (is_complex(scalar_type_of<T>)) {
        for (std::int64_t i = 0; i < n; ++i) {
            const std::complex<double> x(elements[i]);
            if (!std::isfinite(x.real()) || !std::isfinite(x.imag())) return false;
        }
        return true;
    } else {
        return true;
    }
}

template <typename T>
bool is_finite(const Tensor& t) {
    constexpr std::int64_t kGrain = std::int64_t{1} << 16;
    std::atomic<bool> finite{true};
    if (t.is_non_overlapping_and_dense()) {
        const T* data = t.data<T>();
        parallel_for(0, t.numel(), kGrain, [&](std::int64_t begin, std::int64_t end) {
            if (!is_piece_finite(data + begin, end - begin)) finite = false;
        });
        return finite;
    }
    walk_elements<T>(t, false, [&](const T* elements, std::int64_t n) {
        if (finite && !is_piece_finite(elements, n)) finite = false;
    });
    return finite;
}

enum Kind : std::uint8_t { kFinite = 0, kInf = 1, kNan = 2 };

// Of every element in row-major order, in plain memory: a run's account of tensors does not see it.
std::vector<std::uint8_t> kinds_of(const Tensor& t) {
    std::vector<std::uint8_t> kinds;
    kinds.reserve(static_cast<std::size_t>(t.numel()));
    visit_any_dtype(t.dtype(), [&]<typename T>(std::type_identity<T>) {
        walk_elements<T>(t, true, [&](const T* elements, std::int64_t n) {
            for (std::int64_t i = 0; i < n; ++i) {
                if constexpr (is_complex(scalar_type_of<T>)) {
                    const std::complex<double> x(elements[i]);
                    const bool nan = std::isnan(x.real()) || std::isnan(x.imag());
                    const bool inf = std::isinf(x.real()) || std::isinf(x.imag());
                    kinds.push_back(nan ? kNan : inf ? kInf : kFinite);
                } else if constexpr (is_floating(scalar_type_of<T>)) {
                    const auto x = static_cast<double>(elements[i]);
                    kinds.push_back(std::isnan(x) ? kNan : std::isinf(x) ? kInf : kFinite);
                } else {
                    kinds.push_back(kFinite);
                }
            }
        });
    });
    return kinds;
}

// The kinds of a tensor, read at positions of a greater one that it broadcasts to.
struct Broadcast {
    std::vector<std::uint8_t> kinds;
    std::vector<std::int64_t> strides;  // by dimension of the greater one
};

std::optional<std::vector<std::int64_t>> broadcast_strides(const Tensor& t, const Tensor& output) {
    if (t.dim() > output.dim()) return std::nullopt;
    std::vector<std::int64_t> strides(static_cast<std::size_t>(output.dim()), 0);
    std::int64_t stride = 1;
    for (std::int64_t d = 1; d <= t.dim(); ++d) {
        const std::int64_t size = t.size(-d);
        if (size != 1 && size != output.size(-d)) return std::nullopt;
        if (size != 1) strides[static_cast<std::size_t>(output.dim() - d)] = stride;
        stride *= size;
    }
    return strides;
}

std::optional<Broadcast> broadcast(const Tensor& t, const Tensor& output) {
    auto strides = broadcast_strides(t, output);
    if (!strides) return std::nullopt;
    return Broadcast{kinds_of(t), std::move(*strides)};
}

// Of every element in row-major order; t is not complex.
std::vector<double> numbers_of(const Tensor& t) {
    std::vector<double> numbers;
    numbers.reserve(static_cast<std::size_t>(t.numel()));
    visit_any_dtype(t.dtype(), [&]<typename T>(std::type_identity<T>) {
        if constexpr (!is_complex(scalar_type_of<T>)) {
            walk_elements<T>(t, true, [&](const T* elements, std::int64_t n) {
                for (std::int64_t i = 0; i < n; ++i) numbers.push_back(static_cast<double>(elements[i]));
            });
        }
    });
    return numbers;
}

}  // namespace

std::optional<ElementFlow> element_flow(std::span<const Tensor> inputs, const Tensor& output) {
    std::vector<Broadcast> read;
    for (const Tensor& t : inputs) {
        if (is_integral(t.dtype())) continue;
        auto one = broadcast(t, output);
        if (!one) return std::nullopt;
        read.push_back(std::move(*one));
    }
    ElementFlow flow;
    const std::vector<std::uint8_t> made = kinds_of(output);
    std::vector<std::int64_t> index(static_cast<std::size_t>(output.dim()), 0);
    std::vector<std::int64_t> at(read.size(), 0);
    for (const std::uint8_t kind : made) {
        if (kind != kFinite) {
            std::uint8_t worst = kFinite;
            for (std::size_t i = 0; i < read.size(); ++i)
                worst = std::max(worst, read[i].kinds[static_cast<std::size_t>(at[i])]);
            flow.makes |= worst == kFinite;
            flow.turns |= kind == kNan && worst == kInf;
        }
        for (std::size_t d = index.size(); d-- > 0;) {
            const bool wraps = ++index[d] == output.sizes()[d];
            for (std::size_t i = 0; i < read.size(); ++i)
                at[i] += wraps ? -read[i].strides[d] * (output.sizes()[d] - 1) : read[i].strides[d];
            if (!wraps) break;
            index[d] = 0;
        }
    }
    return flow;
}

std::vector<double> elements_behind_bad(std::span<const Tensor> inputs, const Tensor& output) {
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    struct Read {
        std::vector<double> numbers;
        std::vector<std::int64_t> strides;
    };
    std::vector<Read> read;
    for (const Tensor& t : inputs) {
        Read& one = read.emplace_back();
        if (!t.defined() || is_complex(t.dtype())) continue;
        auto strides = broadcast_strides(t, output);
        if (!strides) return {};
        one = {numbers_of(t), std::move(*strides)};
    }
    const std::vector<std::uint8_t> kinds = kinds_of(output);
    std::vector<double> best;
    int best_rank = 0;
    for (std::size_t at = 0; at < kinds.size() && best_rank < 4; ++at) {
        if (kinds[at] == kFinite) continue;
        std::vector<double> elements;
        bool is_made = true;
        for (const Read& one : read) {
            std::int64_t place = 0;
            auto rest = static_cast<std::int64_t>(at);
            for (std::size_t d = one.strides.size(); d-- > 0;) {
                place += rest % output.sizes()[d] * one.strides[d];
                rest /= output.sizes()[d];
            }
            elements.push_back(one.numbers.empty() ? kUnknown : one.numbers[static_cast<std::size_t>(place)]);
            is_made = is_made && (one.numbers.empty() || std::isfinite(elements.back()));
        }
        const int rank = (is_made ? 2 : 0) + (kinds[at] == kNan ? 2 : 1);
        if (rank <= best_rank) continue;
        best_rank = rank;
        best = std::move(elements);
    }
    return best;
}

bool is_all_finite(const Tensor& t) {
    if (!t.defined() || t.numel() == 0 || is_integral(t.dtype())) return true;
    if (DeviceLoops* const loops = t.is_sparse() ? nullptr : device_loops(t.device())) {
        if (const std::unique_ptr<LateTotals> late = loops->add_up(t)) {
            const ElementTotals totals = late->get();
            return totals.finite == totals.count;
        }
    }
    const Tensor here = look_at_elements(t);
    return visit_any_dtype(here.dtype(), [&]<typename T>(std::type_identity<T>) { return is_finite<T>(here); });
}

bool holds_positive_infinity(const Tensor& given) {
    if (!given.defined() || given.numel() == 0 || is_integral(given.dtype()) || is_complex(given.dtype())) return false;
    const Tensor t = look_at_elements(given);
    return visit_any_dtype(t.dtype(), [&]<typename T>(std::type_identity<T>) {
        bool found = false;
        if constexpr (!is_complex(scalar_type_of<T>)) {
            walk_elements<T>(t, false, [&](const T* elements, std::int64_t n) {
                for (std::int64_t i = 0; i < n && !found; ++i) {
                    const auto x = static_cast<double>(elements[i]);
                    found = std::isinf(x) && x > 0;
                }
            });
        }
        return found;
    });
}

}  // namespace loupe::session

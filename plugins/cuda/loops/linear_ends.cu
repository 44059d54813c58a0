// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/linear_ends.h"

#include "plugins/cuda/loops/activation_formulas.h"
#include "plugins/cuda/loops/launch.h"
#include "plugins/cuda/loops/slope_formulas.h"

namespace loupe::cuda {
namespace {

// A byte of the mask a thread, eight elements.
template <typename T>
struct MaskedRelu {
    LinearEnd end;
    const char* x;
    char* out;
    std::uint8_t* aux;
    LOUPE_HD void operator()(std::int64_t i) const {
        const std::int64_t bytes = end.leading / 8, row = quotient(i, bytes), first = (i - row * bytes) * 8;
        const int size = size_of(end.element);
        unsigned bits = 0;
        for (int k = 0; k < 8 && first + k < end.columns; ++k) {
            const std::int64_t place = (row * end.columns + first + k) * size;
            const T value = load<T>(x + place, end.element);
            if (value > T(0)) bits |= 1U << k;
            store(out + place, end.element, value < T(0) ? T(0) : value);
        }
        if (aux != nullptr) aux[i] = static_cast<std::uint8_t>(bits);
    }
};
template <typename T>
struct MaskedGradient {
    LinearEnd end;
    const char* grad;
    const std::uint8_t* aux;
    char* out;
    LOUPE_HD void operator()(std::int64_t i) const {
        const std::int64_t row = quotient(i, end.columns), column = i - row * end.columns;
        const int size = size_of(end.element);
        const bool is_open = ((aux[row * (end.leading / 8) + column / 8] >> (column % 8)) & 1) != 0;
        store(out + i * size, end.element, is_open ? load<T>(grad + i * size, end.element) : T(0));
    }
};

template <typename T>
struct KeptGelu {
    LinearEnd end;
    const char* x;
    char* out;
    char* aux;
    LOUPE_HD void operator()(std::int64_t i) const {
        const std::int64_t row = quotient(i, end.columns), column = i - row * end.columns;
        const int size = size_of(end.element);
        const T value = load<T>(x + i * size, end.element);
        if (aux != nullptr) store(aux + (row * end.leading + column) * size, end.element, value);
        store(out + i * size, end.element, activation::gelu_tanh(value));
    }
};
template <typename T>
struct GeluGradient {
    LinearEnd end;
    const char* grad;
    const char* aux;
    char* out;
    LOUPE_HD void operator()(std::int64_t i) const {
        const std::int64_t row = quotient(i, end.columns), column = i - row * end.columns;
        const int size = size_of(end.element);
        const T before = load<T>(aux + (row * end.leading + column) * size, end.element);
        store(out + i * size, end.element, load<T>(grad + i * size, end.element) * slope::gelu_tanh_slope(before));
    }
};

template <typename Visit>
bool visit_type(Element element, const Visit& visit) {
    if (is_integer(element)) return false;
    if (element == Element::Float64)
        visit(double());
    else
        visit(float());
    return true;
}

}  // namespace

bool run_linear_end(const Queue& queue, const LinearEnd& end, const void* x, void* out, void* aux) {
    const auto* const from = static_cast<const char*>(x);
    auto* const to = static_cast<char*>(out);
    return visit_type(end.element, [&](auto tag) {
        using T = decltype(tag);
        if (end.is_relu)
            launch(queue, end.rows * (end.leading / 8), MaskedRelu<T>{end, from, to, static_cast<std::uint8_t*>(aux)});
        else
            launch(queue, end.rows * end.columns, KeptGelu<T>{end, from, to, static_cast<char*>(aux)});
    });
}

bool run_linear_end_gradient(const Queue& queue, const LinearEnd& end, const void* grad, const void* aux, void* out) {
    const auto* const from = static_cast<const char*>(grad);
    auto* const to = static_cast<char*>(out);
    return visit_type(end.element, [&](auto tag) {
        using T = decltype(tag);
        if (end.is_relu)
            launch(queue, end.rows * end.columns,
                   MaskedGradient<T>{end, from, static_cast<const std::uint8_t*>(aux), to});
        else
            launch(queue, end.rows * end.columns, GeluGradient<T>{end, from, static_cast<const char*>(aux), to});
    });
}

}  // namespace loupe::cuda

// SPDX-License-Identifier: Apache-2.0
#pragma once
// One pass over the elements of a parameter, its gradient and its state: an update is fast when each is read and
// written once. On a device that is not the host the body is written down as a list program, which runs over all
// parameters that it is meant for at once (core/optim/list_updates.h).

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/autograd/variable.h"
#include "core/base/parallel.h"
#include "core/dispatch/functions.h"
#include "core/kernels/lanes.h"
#include "core/optim/list_updates.h"
#include "core/optim/step_norms.h"

namespace loupe::optim {
namespace detail {

// The tensor's elements, contiguous, in T; complex ones as pairs. A copy where necessary.
template <typename T>
Tensor as_row(const Tensor& t) {
    const Tensor real = is_complex(t.dtype()) ? fn::view_as_real(t) : t;
    return fn::contiguous(fn::to_dtype(real, static_cast<std::int64_t>(scalar_type_of<T>)), 0);
}
inline void store(const Tensor& t, const Tensor& row) {
    const Tensor real = is_complex(t.dtype()) ? fn::view_as_real(t) : t;
    if (real.impl() != row.impl() && real.address() != row.address()) fn::copy_(real, row);
    t.storage()->bump_version();
}

template <typename T, typename Body, typename... State>
void run_rows(std::int64_t begin, std::int64_t end, const Body& body, T* __restrict parameter,
              const T* __restrict gradient, State* __restrict... state) {
    for (std::int64_t i = begin; i < end; ++i) body(parameter[i], gradient[i], state[i]...);
}

// The same piece by piece, each measured as soon as it is updated.
template <typename T, typename Run>
void measure_rows(const T* parameter, std::int64_t n, const Run& run, StepNorms& norms) {
    const std::int64_t blocks = (n + kNormBlock - 1) / kNormBlock;
    std::vector<StepNorms::Sums> sums(static_cast<std::size_t>(blocks));
    parallel_for(0, blocks, 1, [&](std::int64_t first, std::int64_t last) {
        std::array<T, kNormPiece> before;
        for (std::int64_t block = first; block < last; ++block) {
            const std::int64_t end = std::min(n, (block + 1) * kNormBlock);
            for (std::int64_t at = block * kNormBlock; at < end; at += kNormPiece) {
                const std::int64_t count = std::min(kNormPiece, end - at);
                std::copy_n(parameter + at, count, before.data());
                run(at, at + count);
                add_moved(parameter + at, before.data(), count, sums[static_cast<std::size_t>(block)]);
            }
        }
    });
    norms.add(sums);
}

template <typename T, std::size_t N, typename Body, std::size_t... I>
void update_as(const Tensor& parameter, const Tensor& gradient, const std::array<Tensor, N>& state, const Body& body,
               std::index_sequence<I...>) {
    const Tensor values = as_row<T>(parameter);
    const Tensor slopes = as_row<T>(gradient);
    const std::array<Tensor, N> rows{as_row<T>(state[I])...};
    auto run = [&](std::int64_t begin, std::int64_t end) {
        run_rows<T>(begin, end, body, values.template data<T>(), slopes.template data<T>(),
                    rows[I].template data<T>()...);
    };
    StepNorms* norms = StepNorms::current();
    if (norms != nullptr)
        measure_rows<T>(values.template data<T>(), values.numel(), run, *norms);
    else
        parallel_for(0, values.numel(), kNormBlock, run);
    store(parameter, values);
    (store(state[I], rows[I]), ...);
}

// Without touching elements: the device runs what the body says.
template <typename T, std::size_t N, typename Body, std::size_t... I>
void update_lanes(const Tensor& parameter, const Tensor& gradient, const std::array<Tensor, N>& state, const Body& body,
                  std::index_sequence<I...>) {
    ListRecorder recorder(static_cast<int>(N) + 2);
    Lanes<T> values(recorder, 0);
    std::array<Lanes<T>, N> rows{Lanes<T>(recorder, static_cast<int>(I) + 2)...};
    body(values, Lanes<T>(recorder, 1), rows[I]...);
    recorder.write(0, values.operand_of(recorder));
    (recorder.write(static_cast<int>(I) + 2, rows[I].operand_of(recorder)), ...);
    update_listed({parameter, gradient, state[I]...}, recorder, std::is_same_v<T, double>);
}

template <typename T, std::size_t N, typename Body>
void update_in(const Tensor& parameter, const Tensor& gradient, const std::array<Tensor, N>& state, const Body& body) {
    if (parameter.is_host_memory())
        update_as<T>(parameter, gradient, state, body, std::make_index_sequence<N>());
    else
        update_lanes<T>(parameter, gradient, state, body, std::make_index_sequence<N>());
}

}  // namespace detail

// body(parameter, gradient, state...) on each element: the parameter and the states by reference, in float, or in
// double where the parameter is double; it is called with either type, and with Lanes of either: roots, absolute values
// and choices by elements are written square_root, magnitude and choose.
template <std::size_t N, typename Body>
void update_elements(const Tensor& parameter, const Tensor& gradient, const std::array<Tensor, N>& state,
                     const Body& body) {
    const bool is_double = parameter.dtype() == ScalarType::Float64 || parameter.dtype() == ScalarType::Complex128;
    if (is_double)
        detail::update_in<double>(parameter, gradient, state, body);
    else
        detail::update_in<float>(parameter, gradient, state, body);
}

}  // namespace loupe::optim

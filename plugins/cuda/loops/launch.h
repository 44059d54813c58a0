// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs a body for each index: on the device when nvcc compiles it, in a plain loop elsewhere.

#include "plugins/cuda/loops/loop.h"
#ifndef __CUDACC__
#include <functional>
#endif

namespace loupe::cuda {

#ifdef __CUDACC__
// Throws Error (Run) with the name of the failed launch; launch_error.cpp.
void check_launch(const char* what);

inline constexpr int kThreads = 256;

// Bodies are grid constants: a plain parameter that is indexed by dimension is copied to each thread's memory first,
// which takes longer than the work.

template <typename Body>
__global__ void __launch_bounds__(kThreads) each_index(const __grid_constant__ Body body, std::int64_t count) {
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kThreads;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < count; i += step) body(i);
}

template <typename Body>
void launch(const Queue& queue, std::int64_t count, const Body& body) {
    if (count == 0) return;
    constexpr std::int64_t kMostBlocks = 1 << 20;
    const std::int64_t blocks = (count + kThreads - 1) / kThreads;
    each_index<<<static_cast<unsigned>(blocks < kMostBlocks ? blocks : kMostBlocks), kThreads, 0,
                 static_cast<cudaStream_t>(queue.stream)>>>(body, count);
    check_launch("a loop");
}
#else
// On the host that stands for a device: work of a queue that has an owner runs when the owner says so.
void give(const Queue& queue, std::function<void()> work);
template <typename Work>
void in_turn(const Queue& queue, const Work& work) {
    if (queue.owner == nullptr)
        work();
    else
        give(queue, work);
}

template <typename Body>
void launch(const Queue& queue, std::int64_t count, const Body& body) {
    if (count == 0) return;
    in_turn(queue, [=] {
        for (std::int64_t i = 0; i < count; ++i) body(i);
    });
}
#endif

// The place of each operand's element at an index of the loop. Of kOperands, where their number is known: then the
// offsets stay in registers, which is several times faster.
template <int kOperands = 0>
LOUPE_HD void locate(const LoopShape& loop, std::int64_t index, char** places) {
    constexpr int kRoom = kOperands > 0 ? kOperands : kMaxOperands;
    const int operands = kOperands > 0 ? kOperands : loop.operands;
    std::int64_t offsets[kRoom] = {};
    for (int d = loop.dims - 1; d >= 0; --d) {
        const std::int64_t size = loop.sizes[d];
        std::int64_t at = index;
        if (d > 0) {
            const std::int64_t rest = quotient(index, size);
            at = index - rest * size;
            index = rest;
        }
        for (int o = 0; o < operands; ++o) offsets[o] += at * loop.operand[o].strides[d];
    }
    for (int o = 0; o < operands; ++o) places[o] = loop.operand[o].data + offsets[o];
}

template <typename T>
LOUPE_HD T read(const Operand& operand, const char* place) {
    if (operand.data == nullptr) {
        if constexpr (kIsComplex<T>)
            return {static_cast<typename T::Real>(operand.real), static_cast<typename T::Real>(operand.imag)};
        else if constexpr (std::is_integral_v<T>)
            return static_cast<T>(operand.whole);
        else
            return static_cast<T>(operand.real);
    }
    return load<T>(place, operand.element);
}

// Operands that all lie densely: only the element's place changes.
struct PlainLoop {
    char* data[kMaxOperands];
    Element element[kMaxOperands];
    int size[kMaxOperands];  // of an element; 0 for a number
    double real[kMaxOperands];
    std::int64_t whole[kMaxOperands];
    std::int64_t count;
};

inline PlainLoop plain_loop(const LoopShape& loop) {
    PlainLoop plain{};
    plain.count = loop.count;
    for (int o = 0; o < loop.operands; ++o) {
        plain.data[o] = loop.operand[o].data;
        plain.element[o] = loop.operand[o].element;
        plain.size[o] = loop.operand[o].data == nullptr ? 0 : size_of(loop.operand[o].element);
        plain.real[o] = loop.operand[o].real;
        plain.whole[o] = loop.operand[o].whole;
    }
    return plain;
}

template <typename T>
LOUPE_HD T read(const PlainLoop& loop, int o, std::int64_t i) {
    if (loop.data[o] == nullptr) {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(loop.whole[o]);
        else
            return static_cast<T>(loop.real[o]);
    }
    return load<T>(loop.data[o] + i * loop.size[o], loop.element[o]);
}

template <typename Op, typename T, int kInputs>
LOUPE_HD auto apply(const Numbers& numbers, const T* x) {
    if constexpr (kInputs == 1)
        return Op::template of<T>(numbers, x[0]);
    else if constexpr (kInputs == 2)
        return Op::template of<T>(numbers, x[0], x[1]);
    else
        return Op::template of<T>(numbers, x[0], x[1], x[2]);
}

// out = Op(inputs...), computed in T.
template <typename Op, typename T, int kInputs>
struct StridedBody {
    LoopShape loop;
    Numbers numbers;

    LOUPE_HD void operator()(std::int64_t i) const {
        char* places[kInputs + 1];
        locate<kInputs + 1>(loop, i, places);
        T x[kInputs];
        for (int o = 0; o < kInputs; ++o) x[o] = read<T>(loop.operand[o + 1], places[o + 1]);
        store(places[0], loop.operand[0].element, apply<Op, T, kInputs>(numbers, x));
    }
};

template <typename Op, typename T, int kInputs>
struct PlainBody {
    PlainLoop loop;
    Numbers numbers;

    LOUPE_HD void operator()(std::int64_t i) const {
        T x[kInputs];
        for (int o = 0; o < kInputs; ++o) x[o] = read<T>(loop, o + 1, i);
        store(loop.data[0] + i * loop.size[0], loop.element[0], apply<Op, T, kInputs>(numbers, x));
    }
};

// A pack of elements a thread; all operands of one dtype, S in memory, or numbers.
template <typename Op, typename T, typename S, int kInputs>
struct PackBody {
    S* out;
    const S* in[kInputs];
    T number[kInputs];
    std::int64_t count;
    Numbers numbers;

    LOUPE_HD void operator()(std::int64_t i) const {
        constexpr int kCount = Pack<S>::kCount;
        const std::int64_t first = i * kCount;
        if (first + kCount > count) {
            for (std::int64_t at = first; at < count; ++at) {
                T x[kInputs];
                for (int o = 0; o < kInputs; ++o) x[o] = in[o] == nullptr ? number[o] : static_cast<T>(in[o][at]);
                out[at] = stored<S>(apply<Op, T, kInputs>(numbers, x));
            }
            return;
        }
        // Numbers are spread first, so that the elements are computed without a question.
        T x[kCount][kInputs];
        for (int o = 0; o < kInputs; ++o) {
            if (in[o] == nullptr) {
                for (int k = 0; k < kCount; ++k) x[k][o] = number[o];
            } else {
                const Pack<S> pack = *reinterpret_cast<const Pack<S>*>(in[o] + first);
                for (int k = 0; k < kCount; ++k) x[k][o] = static_cast<T>(pack.v[k]);
            }
        }
        Pack<S> result;
        for (int k = 0; k < kCount; ++k) result.v[k] = stored<S>(apply<Op, T, kInputs>(numbers, x[k]));
        *reinterpret_cast<Pack<S>*>(out + first) = result;
    }
};

template <typename Op, typename T, typename S, int kInputs>
bool run_packs(const Queue& queue, const LoopShape& loop, const Numbers& numbers, Element element) {
    PackBody<Op, T, S, kInputs> body{};
    for (int o = 0; o <= kInputs; ++o) {
        const Operand& operand = loop.operand[o];
        if (operand.data != nullptr && (operand.element != element || !is_aligned(operand.data))) return false;
        if (o == 0) continue;
        body.in[o - 1] = reinterpret_cast<const S*>(operand.data);
        body.number[o - 1] = std::is_integral_v<T> ? static_cast<T>(operand.whole) : static_cast<T>(operand.real);
    }
    body.out = reinterpret_cast<S*>(loop.operand[0].data);
    body.count = loop.count;
    body.numbers = numbers;
    launch(queue, (loop.count + Pack<S>::kCount - 1) / Pack<S>::kCount, body);
    return true;
}

template <typename Op, typename T, int kInputs>
void run_loop(const Queue& queue, const LoopShape& loop, const Numbers& numbers) {
    if (!loop.is_plain) return launch(queue, loop.count, StridedBody<Op, T, kInputs>{loop, numbers});
    if constexpr (std::is_same_v<T, float>) {
        if (run_packs<Op, T, float, kInputs>(queue, loop, numbers, Element::Float32) ||
            run_packs<Op, T, Brain, kInputs>(queue, loop, numbers, Element::BFloat16) ||
            run_packs<Op, T, Half, kInputs>(queue, loop, numbers, Element::Float16))
            return;
    } else if constexpr (std::is_same_v<T, double>) {
        if (run_packs<Op, T, double, kInputs>(queue, loop, numbers, Element::Float64)) return;
    }
    launch(queue, loop.count, PlainBody<Op, T, kInputs>{plain_loop(loop), numbers});
}

// For the compute types that an operation takes; false for others.
template <typename Op, int kInputs>
bool run_real(Element as, const Queue& queue, const LoopShape& loop, const Numbers& numbers) {
    if (as == Element::Float32) return run_loop<Op, float, kInputs>(queue, loop, numbers), true;
    if (as == Element::Float64) return run_loop<Op, double, kInputs>(queue, loop, numbers), true;
    return false;
}
template <typename Op, int kInputs>
bool run_integer(Element as, const Queue& queue, const LoopShape& loop, const Numbers& numbers) {
    if (as != Element::Int64) return false;
    return run_loop<Op, std::int64_t, kInputs>(queue, loop, numbers), true;
}
template <typename Op, int kInputs>
bool run_number(Element as, const Queue& queue, const LoopShape& loop, const Numbers& numbers) {
    return run_real<Op, kInputs>(as, queue, loop, numbers) || run_integer<Op, kInputs>(as, queue, loop, numbers);
}

}  // namespace loupe::cuda

// SPDX-License-Identifier: Apache-2.0
// Reductions. The order of the additions depends on the sizes alone, so that a result is the same each time. Floating
// numbers are added in double precision, which costs nothing beside reading them.
#include "plugins/cuda/loops/loops.h"
#include "plugins/cuda/loops/operation.h"
#include "plugins/cuda/loops/reduction_formulas.h"

namespace loupe::cuda {
namespace {

using namespace reduction;

// Elements begin, begin + step, ... of a row that lies densely; packs of them where `step` is that of a block's
// threads.
template <typename R, typename S>
LOUPE_HD void fold_dense(const S* row, std::int64_t begin, std::int64_t end, std::int64_t thread, std::int64_t threads,
                         double parameter, typename R::State& state) {
    using T = typename R::Element;
    constexpr int kCount = Pack<S>::kCount;
    const auto address = reinterpret_cast<std::uintptr_t>(row + begin);
    std::int64_t packed = begin;
    if ((address & 15) == 0) {
        packed = begin + (end - begin) / kCount * kCount;
        for (std::int64_t i = begin + thread * kCount; i < packed; i += threads * kCount) {
            const Pack<S> pack = *reinterpret_cast<const Pack<S>*>(row + i);
            for (int k = 0; k < kCount; ++k) R::fold(state, static_cast<T>(pack.v[k]), i + k, parameter);
        }
    }
    for (std::int64_t i = packed + thread; i < end; i += threads) R::fold(state, static_cast<T>(row[i]), i, parameter);
}

// The same at a stride in bytes: several are read before the first is taken in.
template <typename R, typename S>
LOUPE_HD void fold_strided(const char* first, std::int64_t stride, std::int64_t begin, std::int64_t end,
                           std::int64_t threads, double parameter, typename R::State& state) {
    using T = typename R::Element;
    constexpr int kAhead = 8;
    std::int64_t i = begin;
    for (; i + (kAhead - 1) * threads < end; i += kAhead * threads) {
        T elements[kAhead];
        for (int k = 0; k < kAhead; ++k)
            elements[k] = static_cast<T>(*reinterpret_cast<const S*>(first + (i + k * threads) * stride));
        for (int k = 0; k < kAhead; ++k) R::fold(state, elements[k], i + k * threads, parameter);
    }
    for (; i < end; i += threads)
        R::fold(state, static_cast<T>(*reinterpret_cast<const S*>(first + i * stride)), i, parameter);
}

// A thread's share of the elements from begin to end.
template <typename R>
LOUPE_HD void fold_part(const ReduceShape& shape, const char* first, std::int64_t begin, std::int64_t end,
                        std::int64_t thread, std::int64_t threads, typename R::State& state) {
    using T = typename R::Element;
    const Operand& input = shape.reduced.operand[0];
    const Element element = input.element;
    if (shape.reduced.dims == 1 && input.strides[0] == size_of(element)) {
        if constexpr (std::is_same_v<T, float>) {
            if (element == Element::Float32)
                return fold_dense<R>(reinterpret_cast<const float*>(first), begin, end, thread, threads,
                                     shape.parameter, state);
            if (element == Element::BFloat16)
                return fold_dense<R>(reinterpret_cast<const Brain*>(first), begin, end, thread, threads,
                                     shape.parameter, state);
            if (element == Element::Float16)
                return fold_dense<R>(reinterpret_cast<const Half*>(first), begin, end, thread, threads, shape.parameter,
                                     state);
        }
    }
    if constexpr (std::is_same_v<T, float>) {
        if (shape.reduced.dims == 1 && element == Element::Float32)
            return fold_strided<R, float>(first, input.strides[0], begin + thread, end, threads, shape.parameter,
                                          state);
        if (shape.reduced.dims == 1 && element == Element::BFloat16)
            return fold_strided<R, Brain>(first, input.strides[0], begin + thread, end, threads, shape.parameter,
                                          state);
    }
    for (std::int64_t i = begin + thread; i < end; i += threads) {
        std::int64_t index = i, offset = 0;
        for (int d = shape.reduced.dims - 1; d > 0; --d) {
            offset += index % shape.reduced.sizes[d] * input.strides[d];
            index /= shape.reduced.sizes[d];
        }
        offset += index * input.strides[0];
        R::fold(state, load<T>(first + offset, element), i, shape.parameter);
    }
}

template <typename R>
LOUPE_HD void finish(const ReduceShape& shape, char* const* places, const typename R::State& state) {
    store(places[0], shape.kept.operand[0].element, R::value(state, shape.reduced.count, shape.parameter));
    if constexpr (kHasSecond<R>) {
        if (shape.outputs > 1)
            store(places[1], shape.kept.operand[1].element, R::second(state, shape.reduced.count, shape.parameter));
    }
}

// A thread an output.
template <typename R>
struct ThreadBody {
    ReduceShape shape;
    LOUPE_HD void operator()(std::int64_t output) const {
        char* places[kMaxOperands];
        locate(shape.kept, output, places);
        auto state = R::begin();
        fold_part<R>(shape, places[shape.outputs], 0, shape.reduced.count, 0, 1, state);
        finish<R>(shape, places, state);
    }
};

#ifdef __CUDACC__
// A thread a part of an output, neighbours on neighbouring outputs; then a thread an output.
template <typename R>
struct PartBody {
    ReduceShape shape;
    typename R::State* parts;
    std::int64_t part;
    __host__ __device__ void operator()(std::int64_t i) const {
        const std::int64_t outputs = shape.kept.count;
        const std::int64_t split = i / outputs;
        char* places[kMaxOperands];
        locate(shape.kept, i - split * outputs, places);
        const std::int64_t begin = split * part;
        const std::int64_t end = begin + part < shape.reduced.count ? begin + part : shape.reduced.count;
        auto state = R::begin();
        fold_part<R>(shape, places[shape.outputs], begin, end, 0, 1, state);
        parts[i] = state;
    }
};
template <typename R>
struct JoinBody {
    ReduceShape shape;
    const typename R::State* parts;
    std::int64_t splits;
    __host__ __device__ void operator()(std::int64_t output) const {
        auto state = R::begin();
        for (std::int64_t split = 0; split < splits; ++split) R::merge(state, parts[split * shape.kept.count + output]);
        char* places[kMaxOperands];
        locate(shape.kept, output, places);
        finish<R>(shape, places, state);
    }
};

// A block an output, or a part of one: threads take every 256th element, and join in a tree.
template <typename R>
__device__ void join_block(typename R::State& state) {
    __shared__ typename R::State states[kThreads];
    states[threadIdx.x] = state;
    for (int half = kThreads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (static_cast<int>(threadIdx.x) < half) R::merge(states[threadIdx.x], states[threadIdx.x + half]);
    }
    __syncthreads();
    state = states[0];
    __syncthreads();
}

template <typename R>
__global__ void __launch_bounds__(kThreads)
    reduce_blocks(const __grid_constant__ ReduceShape shape, typename R::State* parts, std::int64_t splits,
                  std::int64_t part) {
    char* places[kMaxOperands];
    const std::int64_t output = blockIdx.x;
    const std::int64_t split = blockIdx.y;
    locate(shape.kept, output, places);
    auto state = R::begin();
    const std::int64_t begin = split * part;
    const std::int64_t end = begin + part < shape.reduced.count ? begin + part : shape.reduced.count;
    fold_part<R>(shape, places[shape.outputs], begin, end, threadIdx.x, kThreads, state);
    join_block<R>(state);
    if (threadIdx.x != 0) return;
    if (parts == nullptr)
        finish<R>(shape, places, state);
    else
        parts[output * splits + split] = state;
}

template <typename R>
__global__ void __launch_bounds__(kThreads)
    join_parts(const __grid_constant__ ReduceShape shape, const typename R::State* parts, std::int64_t splits) {
    char* places[kMaxOperands];
    locate(shape.kept, blockIdx.x, places);
    auto state = R::begin();
    for (std::int64_t i = threadIdx.x; i < splits; i += kThreads) R::merge(state, parts[blockIdx.x * splits + i]);
    join_block<R>(state);
    if (threadIdx.x == 0) finish<R>(shape, places, state);
}

template <typename R>
void run(const Queue& queue, const ReduceShape& shape) {
    constexpr std::int64_t kFewBlocks = 1024, kLeastPart = 8192, kMostOutputs = 0x7FFFFFFF;
    const std::int64_t outputs = shape.kept.count, count = shape.reduced.count;
    const LoopShape& kept = shape.kept;
    const Operand& input = kept.operand[shape.outputs];
    const bool is_across = kept.dims > 0 && input.strides[kept.dims - 1] <= 8;  // neighbours read neighbours
    const auto room = [&](std::int64_t states) {
        return static_cast<typename R::State*>(
            queue.scratch(queue, static_cast<std::size_t>(states) * sizeof(typename R::State)));
    };
    if (is_across && count > 32 && outputs >= 32) {
        constexpr std::int64_t kManyThreads = 1 << 18;
        std::int64_t splits = (kManyThreads + outputs - 1) / outputs;
        if (splits > count / 16) splits = count / 16;
        if (splits <= 1) return launch(queue, outputs, ThreadBody<R>{shape});
        const std::int64_t part = (count + splits - 1) / splits;
        splits = (count + part - 1) / part;
        auto* const parts = room(outputs * splits);
        launch(queue, outputs * splits, PartBody<R>{shape, parts, part});
        return launch(queue, outputs, JoinBody<R>{shape, parts, splits});
    }
    if (count <= 32 || outputs > kMostOutputs) return launch(queue, outputs, ThreadBody<R>{shape});
    const auto stream = static_cast<cudaStream_t>(queue.stream);
    std::int64_t splits = 1;
    if (outputs < kFewBlocks) splits = (count + kLeastPart - 1) / kLeastPart;
    if (splits > kFewBlocks / outputs) splits = kFewBlocks / outputs;
    if (splits < 1) splits = 1;
    // Whole packs, so that each part begins where sixteen bytes do.
    const std::int64_t part = (count + splits - 1) / splits + 15 & ~std::int64_t{15};
    splits = (count + part - 1) / part;
    auto* const parts = splits > 1 ? room(outputs * splits) : nullptr;
    const dim3 grid(static_cast<unsigned>(outputs), static_cast<unsigned>(splits));
    reduce_blocks<R><<<grid, kThreads, 0, stream>>>(shape, parts, splits, part);
    if (splits > 1) join_parts<R><<<static_cast<unsigned>(outputs), kThreads, 0, stream>>>(shape, parts, splits);
    check_launch("a reduction");
}
#else
template <typename R>
void run(const Queue& queue, const ReduceShape& shape) {
    launch(queue, shape.kept.count, ThreadBody<R>{shape});
}
#endif

template <template <typename> class R>
bool run_real(Element as, const Queue& queue, const ReduceShape& shape) {
    if (as == Element::Float32) return run<R<float>>(queue, shape), true;
    if (as == Element::Float64) return run<R<double>>(queue, shape), true;
    return false;
}
// Complex numbers are added up in double anyway.
template <template <typename> class R>
bool run_complex(const Queue& queue, const ReduceShape& shape) {
    return run<R<Complex<double>>>(queue, shape), true;
}
bool run_complex(ReduceOp op, const Queue& queue, const ReduceShape& shape) {
    switch (op) {
        case ReduceOp::Sum:
            return run_complex<Sum>(queue, shape);
        case ReduceOp::Mean:
            return run_complex<Mean>(queue, shape);
        case ReduceOp::Prod:
            return run_complex<Prod>(queue, shape);
        case ReduceOp::Any:
            return run_complex<Any>(queue, shape);
        case ReduceOp::All:
            return run_complex<All>(queue, shape);
        case ReduceOp::CountNonzero:
            return run_complex<CountNonzero>(queue, shape);
        default:
            return false;
    }
}
template <template <typename> class R>
bool run_number(Element as, const Queue& queue, const ReduceShape& shape) {
    if (as == Element::Int64 || as == Element::Bool) return run<R<std::int64_t>>(queue, shape), true;
    return run_real<R>(as, queue, shape);
}

}  // namespace

bool run_reduction(ReduceOp op, Element as, const Queue& queue, const ReduceShape& shape) {
    if (is_complex(as)) return run_complex(op, queue, shape);
    switch (op) {
        case ReduceOp::Sum:
            return run_number<Sum>(as, queue, shape);
        case ReduceOp::Mean:
            return run_real<Mean>(as, queue, shape);
        case ReduceOp::NanSum:
            return run_number<NanSum>(as, queue, shape);
        case ReduceOp::Prod:
            return run_number<Prod>(as, queue, shape);
        case ReduceOp::Max:
        case ReduceOp::ArgMax:
            return run_number<Greatest>(as, queue, shape);
        case ReduceOp::Min:
        case ReduceOp::ArgMin:
            return run_number<Least>(as, queue, shape);
        case ReduceOp::Any:
            return run_number<Any>(as, queue, shape);
        case ReduceOp::All:
            return run_number<All>(as, queue, shape);
        case ReduceOp::CountNonzero:
            return run_number<CountNonzero>(as, queue, shape);
        case ReduceOp::Var:
            return run_real<Variance>(as, queue, shape);
        case ReduceOp::Std:
            return run_real<Deviation>(as, queue, shape);
        case ReduceOp::ExclusiveOr:
            if (as == Element::Int64) return run<ExclusiveOr<std::int64_t>>(queue, shape), true;
            return run<ExclusiveOr<double>>(queue, shape), true;
    }
    return false;
}

}  // namespace loupe::cuda

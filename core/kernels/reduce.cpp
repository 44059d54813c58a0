// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/reduce.h"
#include "core/kernels/integer_math.h"

#include <algorithm>
#include <vector>

#include "core/base/parallel.h"
#include "core/kernels/convert.h"
#include "core/kernels/device_loops.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/row_loop.h"

namespace loupe {
namespace {

constexpr std::int64_t kBlock = 512;  // elements of a buffer, and states of a block
constexpr std::int64_t kGrain = 32768;
constexpr std::size_t kMaxStateSize = 64;
constexpr std::int64_t kCacheLine = 16;  // elements

struct Dim {
    std::int64_t size;
    std::int64_t stride;  // bytes
};
using DimList = boost::container::small_vector<Dim, 6>;

// Merges adjacent dimensions that are contiguous. Outermost first.
void coalesce(DimList& dims) {
    std::size_t last = 0;
    for (std::size_t d = 1; d < dims.size(); ++d) {
        if (dims[last].stride == dims[d].stride * dims[d].size) {
            dims[last] = {dims[last].size * dims[d].size, dims[d].stride};
        } else {
            dims[++last] = dims[d];
        }
    }
    if (!dims.empty()) dims.resize(last + 1);
}

std::int64_t total(const DimList& dims) {
    std::int64_t n = 1;
    for (const Dim& d : dims) n *= d.size;
    return n;
}

std::int64_t offset_of(const DimList& dims, std::int64_t index) {
    std::int64_t offset = 0;
    for (std::size_t d = dims.size(); d-- > 0;) {
        offset += index % dims[d].size * dims[d].stride;
        index /= dims[d].size;
    }
    return offset;
}

class ReductionLoop {
  public:
    ReductionLoop(const Reduction& reduction, const Tensor& input, std::span<const bool> reduced, const void* params)
        : reduction_(reduction),
          params_(params),
          base_(static_cast<const std::byte*>(input.raw_data())),
          element_size_(input.element_size()),
          seen_size_(element_size(reduction.as)),
          is_seen_type_(input.dtype() == reduction.as),
          convert_(convert_function(input.dtype(), reduction.as)) {
        for (std::size_t d = 0; d < reduced.size(); ++d) {
            if (input.sizes()[d] == 1) continue;
            (reduced[d] ? inner_ : kept_)
                .push_back({input.sizes()[d], wrapping_product(input.strides()[d], element_size_)});
        }
        if (!reduction.is_ordered) {
            std::stable_sort(inner_.begin(), inner_.end(),
                             [](const Dim& a, const Dim& b) { return a.stride > b.stride; });
        }
        coalesce(inner_);
        coalesce(kept_);
        count_ = total(inner_);
        outputs_ = total(kept_);
        by_rows_ =
            !kept_.empty() && !inner_.empty() && kept_.back().stride < inner_.back().stride && kept_.back().size >= 4;
    }

    std::int64_t output_count() const { return outputs_; }

    void run(std::span<void* const> results, std::span<const std::int64_t> result_sizes) const {
        if (outputs_ == 0) return;
        const std::int64_t work = std::max<std::int64_t>(count_, 1);
        const bool few = outputs_ < 2 * thread_count() || (by_rows_ && outputs_ <= kBlock);
        if (few && count_ * outputs_ > 2 * kGrain && outputs_ <= kBlock) {
            run_split(results);
            return;
        }
        const std::int64_t grain = std::max<std::int64_t>(kGrain / work, 1);
        parallel_for(0, outputs_, grain, [&](std::int64_t begin, std::int64_t end) {
            alignas(64) std::byte states[static_cast<std::size_t>(kBlock) * kMaxStateSize];
            for (std::int64_t at = begin; at < end;) {
                const std::int64_t n = block_length(at, end);
                reduction_.begin(states, n);
                take_in(states, at, n, 0, count_);
                finish(states, at, n, results, result_sizes);
                at += n;
            }
        });
    }

  private:
    // When rows are reduced, a block's outputs are in one row of the innermost kept dimension.
    std::int64_t block_length(std::int64_t at, std::int64_t end) const {
        std::int64_t n = std::min(kBlock, end - at);
        if (by_rows_) n = std::min(n, kept_.back().size - at % kept_.back().size);
        return n;
    }

    void finish(const std::byte* states, std::int64_t at, std::int64_t n, std::span<void* const> results,
                std::span<const std::int64_t> result_sizes) const {
        std::array<void*, 2> to{};
        for (std::size_t i = 0; i < results.size(); ++i)
            to[i] = static_cast<std::byte*>(results[i]) + at * result_sizes[i];
        reduction_.finish(states, n, count_, params_, to.data());
    }

    // Few outputs, many elements: each thread reduces a part, the parts are merged in order.
    void run_split(std::span<void* const> results) const {
        const std::size_t bytes = static_cast<std::size_t>(outputs_) * reduction_.state_size;
        const auto pieces = std::clamp<std::int64_t>(count_ * outputs_ / kGrain, 1, thread_count());
        std::vector<std::vector<std::byte>> partial(static_cast<std::size_t>(pieces));
        parallel_for(0, pieces, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t p = begin; p < end; ++p) {
                auto& states = partial[static_cast<std::size_t>(p)];
                states.resize(bytes + 64);
                reduction_.begin(aligned(states), outputs_);
                for (std::int64_t at = 0; at < outputs_;) {
                    const std::int64_t n = block_length(at, outputs_);
                    take_in(aligned(states) + static_cast<std::size_t>(at) * reduction_.state_size, at, n,
                            count_ * p / pieces, count_ * (p + 1) / pieces);
                    at += n;
                }
            }
        });
        for (std::size_t p = 1; p < partial.size(); ++p)
            reduction_.merge(aligned(partial[0]), aligned(partial[p]), outputs_);
        reduction_.finish(aligned(partial[0]), outputs_, count_, params_, results.data());
    }
    static std::byte* aligned(std::vector<std::byte>& memory) {
        return reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(memory.data()) + 63) &
                                            ~std::uintptr_t{63});
    }

    // Reduced elements [begin, end) into the states of outputs [at, at + n).
    void take_in(std::byte* states, std::int64_t at, std::int64_t n, std::int64_t begin, std::int64_t end) const {
        if (count_ == 0) return;
        if (by_rows_) {
            take_in_rows(states, at, n, begin, end);
            return;
        }
        // Without divisions along the innermost kept dimension.
        const Dim row = kept_.empty() ? Dim{1, 0} : kept_.back();
        for (std::int64_t i = 0; i < n;) {
            const std::int64_t within = (at + i) % row.size;
            const std::int64_t length = std::min(n - i, row.size - within);
            const std::byte* first = base_ + offset_of(kept_, at + i);
            for (std::int64_t k = 0; k < length; ++k) {
                take_in_one(states + static_cast<std::size_t>(i + k) * reduction_.state_size, first + k * row.stride,
                            begin, end);
            }
            i += length;
        }
    }

    void take_in_one(std::byte* state, const std::byte* first, std::int64_t begin, std::int64_t end) const {
        const Dim row = inner_.empty() ? Dim{1, element_size_} : inner_.back();
        if (inner_.size() <= 1) {
            fold_run(state, first + begin * row.stride, row.stride, end - begin, begin);
            return;
        }
        for (std::int64_t at = begin; at < end;) {
            const std::int64_t length = std::min(end - at, row.size - at % row.size);
            fold_run(state, first + offset_of(inner_, at), row.stride, length, at);
            at += length;
        }
    }
    void fold_run(std::byte* state, const std::byte* from, std::int64_t stride, std::int64_t n,
                  std::int64_t index) const {
        if (is_seen_type_ && (stride == element_size_ || n == 1)) {
            reduction_.fold(state, from, n, index, params_);
            return;
        }
        alignas(64) std::byte buffer[static_cast<std::size_t>(kBlock) * 16];
        for (std::int64_t done = 0; done < n; done += kBlock) {
            const std::int64_t part = std::min(kBlock, n - done);
            convert_(from + done * stride, stride, buffer, seen_size_, part);
            reduction_.fold(state, buffer, part, index + done, params_);
        }
    }

    void take_in_rows(std::byte* states, std::int64_t at, std::int64_t n, std::int64_t begin, std::int64_t end) const {
        const std::byte* first = base_ + offset_of(kept_, at);
        const std::int64_t stride = kept_.back().stride;
        const bool direct = is_seen_type_ && stride == element_size_;
        alignas(64) std::byte buffer[static_cast<std::size_t>(kBlock) * 16];
        for (std::int64_t i = begin; i < end;) {
            const Dim& run = inner_.back();
            const std::int64_t count = direct ? std::min(end - i, run.size - i % run.size) : 1;
            const std::byte* row = first + offset_of(inner_, i);
            if (!direct) convert_(row, stride, buffer, seen_size_, n);
            reduction_.fold_rows(states, {direct ? row : buffer, run.stride, count}, n, i, params_);
            i += count;
        }
    }

    const Reduction& reduction_;
    const void* params_;
    const std::byte* base_;
    std::int64_t element_size_;
    std::int64_t seen_size_;
    bool is_seen_type_;
    ConvertFunction convert_;
    DimList kept_;
    DimList inner_;
    std::int64_t count_ = 0;
    std::int64_t outputs_ = 0;
    bool by_rows_ = false;
};

// Would elements be visited out of memory order? Then a copy in that order is faster.
bool strides_over_order(const Tensor& t, std::span<const bool> reduced) {
    std::int64_t outer = -1, step = 0;
    for (std::size_t d = 0; d < reduced.size(); ++d) {
        if (!reduced[d] || t.sizes()[d] == 1) continue;
        if (outer >= 0 && t.strides()[d] > outer) step = t.strides()[d];
        outer = t.strides()[d];
    }
    return step >= kCacheLine && t.numel() >= kGrain;
}

// How many of the last dimensions are all that is reduced; 0 when it is others.
std::int64_t trailing_dims(const Tensor& t, std::span<const bool> reduced) {
    std::size_t first = reduced.size();
    while (first > 0 && reduced[first - 1]) --first;
    for (std::size_t d = 0; d < first; ++d) {
        if (reduced[d] && t.sizes()[d] != 1) return 0;
    }
    return static_cast<std::int64_t>(reduced.size() - first);
}

void record_reduction(const Reduction& reduction, const Tensor& input, std::span<const bool> reduced,
                      std::span<const Tensor> outputs, const void* params) {
    LoopRecorder& recorder = *detail::thread_loop_recorder;
    const bool is_seen_type = input.dtype() == reduction.as;
    RowLoop loop{
        "", &reduce_rows, trailing_dims(input, reduced), {is_seen_type ? 0.0 : static_cast<double>(kBlock)}, &reduction,
        0};
    loop.numbers.push_back(params != nullptr ? *static_cast<const double*>(params) : 0);  // read by all of them
    std::vector<LoopOperand> operands;
    for (std::size_t i = 0; i < outputs.size(); ++i) operands.emplace_back(outputs[i], reduction.output_as[i]);
    operands.emplace_back(input, reduction.as);
    recorder.on_rows(loop, operands, outputs.size());
}

}  // namespace

std::int64_t row_parts(std::int64_t rows, std::int64_t n) {
    constexpr std::int64_t kFewest = 16384;  // elements
    return std::clamp<std::int64_t>(rows / std::max<std::int64_t>(1, kFewest / std::max<std::int64_t>(1, n)), 1,
                                    thread_count());
}

void reduce_rows(const RowParams& params, void* const* arrays, const std::int64_t* strides, std::int64_t rows,
                 std::int64_t n) {
    const Reduction& reduction = *params.reduction;
    const double* own = params.numbers + 1;
    const std::int64_t piece = params.numbers[0] > 0 ? static_cast<std::int64_t>(params.numbers[0]) : n;
    const std::int64_t element = element_size(reduction.as);
    alignas(64) std::byte state[kMaxStateSize];
    for (std::int64_t row = 0; row < rows; ++row) {
        const auto* from = static_cast<const std::byte*>(arrays[reduction.outputs]) + row * strides[reduction.outputs];
        reduction.begin(state, 1);
        for (std::int64_t at = 0; at < n; at += piece)
            reduction.fold(state, from + at * element, std::min(piece, n - at), at, own);
        std::array<void*, 2> to{};
        for (std::size_t i = 0; i < reduction.outputs; ++i)
            to[i] = static_cast<std::byte*>(arrays[i]) + row * strides[i];
        reduction.finish(state, 1, n, own, to.data());
    }
}

// By the device's own loop, or on the host where it has none.
static void reduce_on_device(const Reduction& reduction, const Tensor& input, std::span<const bool> reduced,
                             std::span<const Tensor> outputs, const void* params) {
    DeviceLoops* const loops = device_loops(input.device());
    if (loops != nullptr && loops->reduce(reduction, input, reduced, outputs, params)) return;
    HostCopies copies;
    std::vector<Tensor> host;
    for (const Tensor& out : outputs) host.push_back(copies.of(out));
    run_reduction(reduction, copies.of(input), reduced, host, params);
    for (std::size_t i = 0; i < outputs.size(); ++i) copies.put_back(outputs[i], host[i]);
    copies.tell(input.device());
}

void run_reduction(const Reduction& reduction, const Tensor& given, std::span<const bool> reduced,
                   std::span<const Tensor> outputs, const void* params) {
    if (detail::thread_loop_recorder != nullptr) [[unlikely]] {
        record_reduction(reduction, given, reduced, outputs, params);
        if (detail::thread_loop_recorder->is_dry()) return;
    }
    const LoopRecorderScope unrecorded(nullptr);
    if (any_device_but_cpu() && !given.device().is_cpu()) [[unlikely]]
        return reduce_on_device(reduction, given, reduced, outputs, params);
    Tensor input = given;
    if (reduction.is_ordered && strides_over_order(given, reduced)) {
        input = empty(given.sizes(), given.dtype());
        copy_into(input, given);
    }
    const ReductionLoop loop(reduction, input, reduced, params);
    std::array<Tensor, 2> targets;
    std::array<void*, 2> results{};
    std::array<std::int64_t, 2> sizes{};
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const bool fits = outputs[i].is_contiguous() && outputs[i].dtype() == reduction.output_as[i];
        targets[i] = fits ? outputs[i] : empty(outputs[i].sizes(), reduction.output_as[i]);
        results[i] = targets[i].raw_data();
        sizes[i] = element_size(reduction.output_as[i]);
    }
    loop.run({results.data(), outputs.size()}, {sizes.data(), outputs.size()});
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (!targets[i].is_same(outputs[i])) copy_into(outputs[i], targets[i]);
    }
}

}  // namespace loupe

// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/elementwise.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/kernels/convert.h"
#include "core/kernels/device_loops.h"
#include "core/kernels/loop_recorder.h"

namespace loupe {

thread_local LoopRecorder* detail::thread_loop_recorder = nullptr;

namespace {

constexpr std::int64_t kChunk = 512;     // elements of a buffer
constexpr std::int64_t kRowChunk = 256;  // copies of a number that changes from row to row
constexpr std::size_t kMaxElementSize = 16;
constexpr std::int64_t kShortestRow = 32;  // shorter ones are gathered

struct LoopDim {
    std::int64_t size;
    std::array<std::int64_t, kMaxOperands> strides;  // bytes
};
using LoopDims = boost::container::small_vector<LoopDim, 6>;

std::byte* first_element(const TensorImpl& t) {
    return static_cast<std::byte*>(t.storage->data()) + t.offset * element_size(t.dtype);
}

LoopDims broadcast_dims(std::span<const LoopOperand> operands) {
    const TensorImpl& out = *operands[0].tensor;
    const std::size_t rank = out.sizes.size();
    LoopDims dims;
    for (std::size_t d = rank; d-- > 0;) {
        if (out.sizes[d] == 1) continue;
        LoopDim dim{out.sizes[d], {}};
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const TensorImpl* t = operands[i].tensor;
            if (t == nullptr || d + t->sizes.size() < rank) continue;
            const std::size_t own = d + t->sizes.size() - rank;
            if (t->sizes[own] != 1) dim.strides[i] = t->strides[own] * element_size(t->dtype);
        }
        dims.push_back(dim);
    }
    return dims;
}

// Innermost first by the strides of the operands in turn, then neighbours that are one run of memory become one.
void order_and_coalesce(LoopDims& dims, std::size_t operand_count) {
    std::stable_sort(dims.begin(), dims.end(), [&](const LoopDim& a, const LoopDim& b) {
        for (std::size_t i = 0; i < operand_count; ++i) {
            if (a.strides[i] == 0 || b.strides[i] == 0) continue;
            if (a.strides[i] != b.strides[i]) return std::abs(a.strides[i]) < std::abs(b.strides[i]);
        }
        return false;
    });
    std::size_t last = 0;
    for (std::size_t d = 1; d < dims.size(); ++d) {
        bool joins = true;
        for (std::size_t i = 0; i < operand_count; ++i) {
            joins &= dims[d].strides[i] == dims[last].strides[i] * dims[last].size;
        }
        if (joins)
            dims[last].size *= dims[d].size;
        else
            dims[++last] = dims[d];
    }
    if (!dims.empty()) dims.resize(last + 1);
}

enum class Access : std::uint8_t { Direct, Buffered, Constant };

struct LoopArray {
    std::byte* base;
    std::int64_t stored_size;
    std::int64_t seen_size;
    Access access;
    bool is_seen_type;    // stored in the kernel's type
    ConvertFunction in;   // to the kernel's type
    ConvertFunction out;  // back
};

class Loop {
  public:
    Loop(ElementwiseKernel kernel, const void* params, std::span<const LoopOperand> operands, std::size_t outputs)
        : kernel_(kernel),
          params_(params),
          count_(operands.size()),
          outputs_(outputs),
          dims_(broadcast_dims(operands)) {
        order_and_coalesce(dims_, count_);
        numel_ = operands[0].tensor->numel;
        for (std::size_t i = 0; i < count_; ++i) arrays_[i] = describe_array(operands[i], i);
    }

    std::int64_t numel() const { return numel_; }

    // Copies need no order: a row of a few elements is swapped with the next longer dimension.
    void lengthen_rows() {
        constexpr std::int64_t kFew = 8;
        if (dims_.empty() || dims_[0].size >= kFew) return;
        const auto longer = std::find_if(dims_.begin(), dims_.end(), [](const LoopDim& d) { return d.size >= kFew; });
        if (longer != dims_.end()) std::swap(*dims_.begin(), *longer);
    }

    void run(std::int64_t begin, std::int64_t end) const {
        const bool all_direct = std::all_of(arrays_.begin(), arrays_.begin() + static_cast<std::ptrdiff_t>(count_),
                                            [](const LoopArray& a) { return a.access == Access::Direct; });
        if (all_direct) {
            run_kernel(begin, end - begin, nullptr);
            return;
        }
        if (has_plain_rows()) {
            run_rows(begin, end);
            return;
        }
        alignas(64) std::byte buffers[kMaxOperands][static_cast<std::size_t>(kChunk) * kMaxElementSize];
        for (std::size_t i = 0; i < count_; ++i) {
            const LoopArray& a = arrays_[i];
            if (a.access == Access::Constant) fill_buffer(i, a.base, buffers[i], std::min(kChunk, end - begin));
        }
        for (std::int64_t at = begin; at < end; at += kChunk) run_kernel(at, std::min(kChunk, end - at), buffers);
    }

    // The first operand's elements from the second's.
    void convert(std::int64_t begin, std::int64_t end) const {
        for_common_rows(begin, end, [&](const Pointers& rows, std::int64_t length) {
            arrays_[1].in(rows[1], dims_[0].strides[1], rows[0], dims_[0].strides[0], length);
        });
    }

  private:
    using Buffer = std::byte[static_cast<std::size_t>(kChunk) * kMaxElementSize];
    using Pointers = std::array<std::byte*, kMaxOperands>;

    LoopArray describe_array(const LoopOperand& operand, std::size_t index) const {
        const ScalarType stored = operand.tensor != nullptr ? operand.tensor->dtype : operand.as;
        LoopArray a{};
        a.base = operand.tensor != nullptr ? first_element(*operand.tensor)
                                           : static_cast<std::byte*>(const_cast<void*>(operand.number));
        a.stored_size = element_size(stored);
        a.seen_size = element_size(operand.as);
        a.in = convert_function(stored, operand.as);
        a.out = convert_function(operand.as, stored);
        a.is_seen_type = stored == operand.as;
        bool linear = true;
        bool constant = index >= outputs_;
        std::int64_t expected = a.stored_size;
        for (const LoopDim& dim : dims_) {
            linear &= dim.strides[index] == expected;
            constant &= dim.strides[index] == 0;
            expected *= dim.size;
        }
        if (linear && a.is_seen_type)
            a.access = Access::Direct;
        else
            a.access = constant ? Access::Constant : Access::Buffered;
        return a;
    }

    // Are the rows long, and each contiguous, or one number for the whole row?
    bool has_plain_rows() const {
        if (dims_.empty() || dims_[0].size < kShortestRow) return false;
        for (std::size_t i = 0; i < count_; ++i) {
            const std::int64_t stride = dims_[0].strides[i];
            if (!arrays_[i].is_seen_type || (stride != arrays_[i].stored_size && (stride != 0 || i < outputs_)))
                return false;
        }
        return true;
    }

    void fill_buffer(std::size_t i, const std::byte* element, std::byte* buffer, std::int64_t n) const {
        arrays_[i].in(element, 0, buffer, arrays_[i].seen_size, n);
    }
    // Row by row, without buffers but for the numbers.
    void run_rows(std::int64_t begin, std::int64_t end) const {
        alignas(64) std::byte buffers[kMaxOperands][static_cast<std::size_t>(kChunk) * kMaxElementSize];
        std::int64_t most = std::numeric_limits<std::int64_t>::max();
        for (std::size_t i = 0; i < count_; ++i) {
            if (dims_[0].strides[i] != 0) continue;
            const bool is_constant = arrays_[i].access == Access::Constant;
            if (is_constant) fill_buffer(i, arrays_[i].base, buffers[i], std::min(kChunk, end - begin));
            most = std::min(most, is_constant ? kChunk : kRowChunk);
        }
        for_common_rows(begin, end, [&](const Pointers& rows, std::int64_t length) {
            const std::int64_t piece = std::min(most, length);
            std::array<void*, kMaxOperands> pointers;
            for (std::size_t i = 0; i < count_; ++i) {
                pointers[i] = rows[i];
                if (dims_[0].strides[i] != 0) continue;
                pointers[i] = buffers[i];
                if (arrays_[i].access != Access::Constant) fill_buffer(i, rows[i], buffers[i], piece);
            }
            for (std::int64_t done = 0; done < length; done += piece) {
                kernel_(params_, pointers.data(), std::min(piece, length - done));
                for (std::size_t i = 0; i < count_; ++i)
                    pointers[i] = static_cast<std::byte*>(pointers[i]) + dims_[0].strides[i] * piece;
            }
        });
    }

    // Calls visit(first elements, length) for the parts of innermost rows in elements [begin, end).
    template <typename Visit>
    void for_common_rows(std::int64_t begin, std::int64_t end, Visit&& visit) const {
        boost::container::small_vector<std::int64_t, 8> index(dims_.size());
        Pointers rows{};
        for (std::size_t i = 0; i < count_; ++i) rows[i] = arrays_[i].base;
        const auto move = [&](std::size_t d, std::int64_t steps) {
            for (std::size_t i = 0; i < count_; ++i) rows[i] += steps * dims_[d].strides[i];
        };
        std::int64_t rest = begin;
        for (std::size_t d = 0; d < dims_.size(); ++d) {
            index[d] = rest % dims_[d].size;
            rest /= dims_[d].size;
            move(d, index[d]);
        }
        for (std::int64_t at = begin; at < end;) {
            const std::int64_t length = std::min(end - at, dims_[0].size - index[0]);
            visit(rows, length);
            at += length;
            move(0, length);
            index[0] += length;
            for (std::size_t d = 0; d + 1 < dims_.size() && index[d] == dims_[d].size; ++d) {
                move(d, -index[d]);
                move(d + 1, 1);
                index[d] = 0;
                ++index[d + 1];
            }
        }
    }

    void run_kernel(std::int64_t at, std::int64_t n, Buffer* buffers) const {
        std::array<void*, kMaxOperands> pointers;
        for (std::size_t i = 0; i < count_; ++i) {
            const LoopArray& a = arrays_[i];
            if (a.access == Access::Direct) {
                pointers[i] = a.base + at * a.stored_size;
                continue;
            }
            pointers[i] = buffers[i];
            if (a.access == Access::Buffered && i >= outputs_) {
                for_rows(i, at, n, [&](std::byte* row, std::int64_t stride, std::int64_t offset, std::int64_t length) {
                    a.in(row, stride, buffers[i] + offset * a.seen_size, a.seen_size, length);
                });
            }
        }
        kernel_(params_, pointers.data(), n);
        for (std::size_t i = 0; i < outputs_; ++i) {
            const LoopArray& a = arrays_[i];
            if (a.access == Access::Direct) continue;
            for_rows(i, at, n, [&](std::byte* row, std::int64_t stride, std::int64_t offset, std::int64_t length) {
                a.out(buffers[i] + offset * a.seen_size, a.seen_size, row, stride, length);
            });
        }
    }

    // Calls visit(first element, stride, offset in the piece, length) for the rows of operand i in elements [at, at+n).
    template <typename Visit>
    void for_rows(std::size_t i, std::int64_t at, std::int64_t n, Visit&& visit) const {
        boost::container::small_vector<std::int64_t, 8> index(dims_.size());
        std::byte* row = arrays_[i].base;
        std::int64_t rest = at;
        for (std::size_t d = 0; d < dims_.size(); ++d) {
            index[d] = rest % dims_[d].size;
            rest /= dims_[d].size;
            row += index[d] * dims_[d].strides[i];
        }
        if (dims_.empty()) {
            visit(row, std::int64_t{0}, std::int64_t{0}, n);
            return;
        }
        for (std::int64_t done = 0; done < n;) {
            const std::int64_t length = std::min(n - done, dims_[0].size - index[0]);
            visit(row, dims_[0].strides[i], done, length);
            done += length;
            row += length * dims_[0].strides[i];
            index[0] += length;
            for (std::size_t d = 0; d + 1 < dims_.size() && index[d] == dims_[d].size; ++d) {
                row += dims_[d + 1].strides[i] - index[d] * dims_[d].strides[i];
                index[d] = 0;
                ++index[d + 1];
            }
        }
    }

    ElementwiseKernel kernel_;
    const void* params_;
    std::size_t count_;
    std::size_t outputs_;
    LoopDims dims_;
    std::int64_t numel_ = 0;
    std::array<LoopArray, kMaxOperands> arrays_{};
};

// Contiguous arrays of the right type, in one order: no loop to set up. n == 1 includes numbers.
bool collect_plain_arrays(std::span<const LoopOperand> operands, std::int64_t n, void** arrays) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const TensorImpl* t = operands[i].tensor;
        if (t == nullptr) {
            if (n != 1) return false;
            arrays[i] = const_cast<void*>(operands[i].number);
            continue;
        }
        if (!t->contiguous || t->numel != n || t->dtype != operands[i].as) return false;
        arrays[i] = first_element(*t);
    }
    return true;
}

std::int64_t end_of(const TensorImpl& t) {
    std::int64_t last = t.offset;
    for (std::size_t d = 0; d < t.sizes.size(); ++d) last += (t.sizes[d] - 1) * t.strides[d];
    return last;
}

// The same memory in two orders, or shifted: an element might be read after it was written. Only dense tensors are
// looked at, as in PyTorch.
void refuse_overlap(const TensorImpl& out, const TensorImpl& in) {
    if (out.storage != in.storage || &out == &in) return;
    const bool same =
        out.offset == in.offset && out.sizes == in.sizes && out.strides == in.strides && out.dtype == in.dtype;
    if (same || !out.contiguous || !in.contiguous || out.numel == 0 || in.numel == 0) return;
    if (end_of(out) < in.offset || end_of(in) < out.offset) return;
    throw Error(
        ErrorKind::Run,
        "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
        "location. Please clone() the tensor before performing the operation.");
}
void refuse_repeated_elements(const TensorImpl& out) {
    if (out.contiguous) return;
    for (std::size_t d = 0; d < out.sizes.size(); ++d) {
        if (out.sizes[d] > 1 && out.strides[d] == 0) {
            throw Error(ErrorKind::Run,
                        "unsupported operation: more than one element of the written-to tensor refers to a single "
                        "memory location. "
                        "Please clone() the tensor before performing the operation.");
        }
    }
}

}  // namespace

// By the device's own loop, or on the host where it has none.
static void run_on_device(ElementwiseKernel kernel, const void* params, std::span<const LoopOperand> operands,
                          std::size_t outputs) {
    DeviceLoops* const loops = device_loops(operands[0].tensor->storage->device());
    if (loops != nullptr && loops->elementwise(kernel, params, operands, outputs)) return;
    HostCopies copies;
    std::array<Tensor, kMaxOperands> given, host;
    std::array<LoopOperand, kMaxOperands> there;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        there[i] = operands[i];
        if (operands[i].tensor == nullptr) continue;
        given[i] = Tensor(Ptr<TensorImpl>(const_cast<TensorImpl*>(operands[i].tensor)));
        host[i] = copies.of(given[i]);
        there[i].tensor = host[i].impl();
    }
    run_elementwise(kernel, params, {there.data(), operands.size()}, outputs);
    for (std::size_t i = 0; i < outputs; ++i) copies.put_back(given[i], host[i]);
    copies.tell(given[0].device());
}

void run_elementwise(ElementwiseKernel kernel, const void* params, std::span<const LoopOperand> operands,
                     std::size_t outputs, int cost) {
    assert(operands.size() <= kMaxOperands && outputs >= 1);
    const std::int64_t n = operands[0].tensor->numel;
    if (n == 0) return;
    if (detail::thread_loop_recorder != nullptr) [[unlikely]] {
        detail::thread_loop_recorder->on_loop(kernel, params, operands, outputs);
        if (detail::thread_loop_recorder->is_dry()) return;
    }
    for (std::size_t o = 0; o < outputs; ++o) {
        refuse_repeated_elements(*operands[o].tensor);
        for (const LoopOperand& in : operands.subspan(outputs)) {
            if (in.tensor != nullptr) refuse_overlap(*operands[o].tensor, *in.tensor);
        }
    }
    if (any_device_but_cpu() && !operands[0].tensor->storage->device().is_cpu()) [[unlikely]]
        return run_on_device(kernel, params, operands, outputs);
    const std::int64_t grain = std::max<std::int64_t>(kElementwiseGrain / cost, 1024);
    std::array<void*, kMaxOperands> arrays;
    if (collect_plain_arrays(operands, n, arrays.data())) {
        if (n <= grain) {
            kernel(params, arrays.data(), n);
            return;
        }
        parallel_for(0, n, grain, [&](std::int64_t begin, std::int64_t end) {
            std::array<void*, kMaxOperands> shifted;
            for (std::size_t i = 0; i < operands.size(); ++i) {
                shifted[i] = static_cast<std::byte*>(arrays[i]) + begin * element_size(operands[i].as);
            }
            kernel(params, shifted.data(), end - begin);
        });
        return;
    }
    const Loop loop(kernel, params, operands, outputs);
    parallel_for(0, n, grain, [&](std::int64_t begin, std::int64_t end) { loop.run(begin, end); });
}

void convert_elements(const Tensor& to, const Tensor& from) {
    if (to.numel() == 0) return;
    refuse_repeated_elements(*to.impl());
    refuse_overlap(*to.impl(), *from.impl());
    if (to.is_contiguous() && from.is_contiguous() && to.numel() == from.numel()) {
        const ConvertFunction convert = convert_function(from.dtype(), to.dtype());
        const std::int64_t from_size = from.element_size(), to_size = to.element_size();
        return parallel_for(0, to.numel(), kElementwiseGrain, [&](std::int64_t begin, std::int64_t end) {
            convert(from.data<std::byte>() + begin * from_size, from_size, to.data<std::byte>() + begin * to_size,
                    to_size, end - begin);
        });
    }
    const std::array<LoopOperand, 2> operands{LoopOperand(to, to.dtype()), LoopOperand(from, to.dtype())};
    Loop loop(nullptr, nullptr, operands, 1);
    loop.lengthen_rows();
    parallel_for(0, to.numel(), kElementwiseGrain,
                 [&](std::int64_t begin, std::int64_t end) { loop.convert(begin, end); });
}

LoopNumber::LoopNumber(const Scalar& value, ScalarType as) : bytes_{} {
    visit_any_dtype(as, [&]<typename T>(std::type_identity<T>) {
        const T element = value.to<T>();
        std::memcpy(bytes_.data(), &element, sizeof(T));
    });
}

}  // namespace loupe

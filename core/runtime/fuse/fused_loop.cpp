// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/fuse/fused_loop.h"

#include <algorithm>

#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/kernels/convert.h"
#include "core/kernels/elementwise.h"

namespace loupe::runtime {
namespace {

constexpr std::int64_t kPiece = 1024;      // elements that are gathered at once
constexpr std::int64_t kShortestRow = 32;  // shorter ones are gathered

}  // namespace

FusedLoop::FusedLoop(std::span<const FusedArray> arrays, std::size_t outputs) : outputs_(outputs) {
    std::size_t rank = 0;
    for (const FusedArray& array : arrays) {
        rank = std::max(rank, array.sizes.size());
        sizes_.push_back(element_size(array.dtype));
        dtypes_.push_back(array.dtype);
    }
    numel_ = 1;
    for (const std::int64_t size : arrays[0].sizes) numel_ *= size;
    for (std::size_t back = 1; back <= rank; ++back) {
        Dim dim{1, std::vector<std::int64_t>(arrays.size(), 0)};
        for (std::size_t i = 0; i < arrays.size(); ++i) {
            if (arrays[i].sizes.size() < back) continue;
            const std::size_t d = arrays[i].sizes.size() - back;
            if (arrays[i].sizes[d] == 1) continue;
            if (i < outputs) dim.size = arrays[i].sizes[d];
            dim.strides[i] = arrays[i].strides[d] * sizes_[i];
        }
        if (dim.size != 1) dims_.push_back(std::move(dim));
    }
    order_and_join();
    const bool has_plain_rows = dims_.empty() || dims_[0].size >= kShortestRow || dims_.size() == 1;
    bool are_plain = has_plain_rows;
    for (std::size_t i = 0; are_plain && !dims_.empty() && i < sizes_.size(); ++i) {
        const std::int64_t stride = dims_[0].strides[i];
        are_plain = stride == sizes_[i] || (stride == 0 && i >= outputs_);
    }
    mode_ = are_plain ? Mode::Rows : Mode::Packed;
}

// Innermost first by the strides of the arrays in turn; merges adjacent dimensions that are contiguous.
void FusedLoop::order_and_join() {
    std::stable_sort(dims_.begin(), dims_.end(), [](const Dim& a, const Dim& b) {
        for (std::size_t i = 0; i < a.strides.size(); ++i) {
            if (a.strides[i] == 0 || b.strides[i] == 0) continue;
            if (a.strides[i] != b.strides[i]) return std::abs(a.strides[i]) < std::abs(b.strides[i]);
        }
        return false;
    });
    std::vector<Dim> joined;
    for (Dim& dim : dims_) {
        bool joins = !joined.empty();
        for (std::size_t i = 0; joins && i < dim.strides.size(); ++i) {
            joins = dim.strides[i] == joined.back().strides[i] * joined.back().size;
        }
        if (joins)
            joined.back().size *= dim.size;
        else
            joined.push_back(std::move(dim));
    }
    dims_ = std::move(joined);
}

bool FusedLoop::is_constant(std::size_t array) const {
    return std::all_of(dims_.begin(), dims_.end(), [array](const Dim& dim) { return dim.strides[array] == 0; });
}

bool FusedLoop::is_linear(std::size_t array) const {
    std::int64_t expected = sizes_[array];
    for (const Dim& dim : dims_) {
        if (dim.strides[array] != expected) return false;
        expected *= dim.size;
    }
    return true;
}

std::vector<bool> FusedLoop::numbers() const {
    std::vector<bool> numbers;
    for (std::size_t i = outputs_; i < sizes_.size(); ++i) {
        numbers.push_back(mode_ == Mode::Packed ? is_constant(i) : dims_.empty() || dims_[0].strides[i] == 0);
    }
    return numbers;
}

std::string FusedLoop::text() const {
    if (mode_ == Mode::Packed) return concat(numel_, " elements, strided ones gathered by ", kPiece);
    const std::int64_t length = dims_.empty() ? 1 : dims_[0].size;
    const std::int64_t runs = length == 0 ? 0 : numel_ / length;
    return concat(runs, runs == 1 ? " run of " : " runs of ", length, " elements");
}

FusedSpace FusedLoop::space() const {
    FusedSpace space;
    for (const Dim& dim : dims_) space.outer.push_back({dim.size, dim.strides});
    space.dtypes = dtypes_;
    space.is_on_host.assign(dtypes_.size(), false);
    space.outputs = outputs_;
    return space;
}

std::int64_t FusedSpace::bytes() const {
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < dtypes.size(); ++i) {
        std::int64_t elements = 1;
        for (const auto* dims : {&outer, &inner}) {
            for (const Dim& dim : *dims) elements *= dim.strides[i] != 0 ? dim.size : 1;
        }
        bytes += elements * element_size(dtypes[i]);
    }
    return bytes;
}

void FusedLoop::run(const FusedKernel& kernel, std::span<std::byte* const> bases, int cost) const {
    if (numel_ == 0) return;
    const std::int64_t grain = std::max<std::int64_t>(kElementwiseGrain / std::max(cost, 1), 1024);
    if (dims_.size() <= 1 && mode_ == Mode::Rows && numel_ <= grain) {
        kernel.run(bases.data(), numel_);
        return;
    }
    parallel_for(0, numel_, grain, [&](std::int64_t begin, std::int64_t end) {
        if (mode_ == Mode::Rows)
            run_rows(kernel, bases, begin, end);
        else
            run_packed(kernel, bases, begin, end);
    });
}

void FusedLoop::run_rows(const FusedKernel& kernel, std::span<std::byte* const> bases, std::int64_t begin,
                         std::int64_t end) const {
    std::vector<std::int64_t> index(dims_.size());
    std::vector<std::byte*> rows(bases.begin(), bases.end());
    const auto move = [&](std::size_t d, std::int64_t steps) {
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i] += steps * dims_[d].strides[i];
    };
    std::int64_t rest = begin;
    for (std::size_t d = 0; d < dims_.size(); ++d) {
        index[d] = rest % dims_[d].size;
        rest /= dims_[d].size;
        move(d, index[d]);
    }
    if (dims_.empty()) return kernel.run(rows.data(), 1);
    for (std::int64_t at = begin; at < end;) {
        const std::int64_t length = std::min(end - at, dims_[0].size - index[0]);
        kernel.run(rows.data(), length);
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

// visit(first element, stride, offset in the piece, length) for the rows of one array in elements [begin, end).
template <typename Visit>
void FusedLoop::for_rows(std::size_t array, std::byte* base, std::int64_t begin, std::int64_t end,
                         Visit&& visit) const {
    boost::container::small_vector<std::int64_t, 8> index(dims_.size());
    std::int64_t rest = begin;
    for (std::size_t d = 0; d < dims_.size(); ++d) {
        index[d] = rest % dims_[d].size;
        rest /= dims_[d].size;
        base += index[d] * dims_[d].strides[array];
    }
    for (std::int64_t at = begin; at < end;) {
        const std::int64_t length = std::min(end - at, dims_[0].size - index[0]);
        visit(base, dims_[0].strides[array], at - begin, length);
        at += length;
        base += length * dims_[0].strides[array];
        index[0] += length;
        for (std::size_t d = 0; d + 1 < dims_.size() && index[d] == dims_[d].size; ++d) {
            base += dims_[d + 1].strides[array] - index[d] * dims_[d].strides[array];
            index[d] = 0;
            ++index[d + 1];
        }
    }
}

void FusedLoop::run_packed(const FusedKernel& kernel, std::span<std::byte* const> bases, std::int64_t begin,
                           std::int64_t end) const {
    constexpr std::int64_t kBytes = kPiece * 16;
    thread_local std::vector<std::byte> memory;
    memory.resize(bases.size() * kBytes + 64);
    std::byte* const buffers = memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64);
    std::vector<std::byte*> pointers(bases.begin(), bases.end());
    for (std::int64_t at = begin; at < end; at += kPiece) {
        const std::int64_t stop = std::min(at + kPiece, end);
        for (std::size_t i = 0; i < bases.size(); ++i) {
            if (is_linear(i)) {
                pointers[i] = bases[i] + at * sizes_[i];
                continue;
            }
            if (i >= outputs_ && is_constant(i)) continue;
            pointers[i] = buffers + static_cast<std::int64_t>(i) * kBytes;
            if (i < outputs_) continue;
            const ConvertFunction gather = convert_function(dtypes_[i], dtypes_[i]);
            for_rows(i, bases[i], at, stop,
                     [&](const std::byte* row, std::int64_t stride, std::int64_t offset, std::int64_t length) {
                         gather(row, stride, pointers[i] + offset * sizes_[i], sizes_[i], length);
                     });
        }
        kernel.run(pointers.data(), stop - at);
        for (std::size_t i = 0; i < outputs_; ++i) {
            if (is_linear(i)) continue;
            const ConvertFunction scatter = convert_function(dtypes_[i], dtypes_[i]);
            for_rows(i, bases[i], at, stop,
                     [&](std::byte* row, std::int64_t stride, std::int64_t offset, std::int64_t length) {
                         scatter(pointers[i] + offset * sizes_[i], sizes_[i], row, stride, length);
                     });
        }
    }
}

}  // namespace loupe::runtime

// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/fuse/fused_rows.h"

#include <algorithm>

#include "core/base/parallel.h"
#include "core/kernels/convert.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/row_loop.h"

namespace loupe::runtime {
namespace {

constexpr std::int64_t kGatheredBytes = 32 * 1024;  // of one array at once, but a row at least

template <typename T>
void add_to(std::byte* total, const std::byte* part, std::int64_t n) {
    T* const to = reinterpret_cast<T*>(total);
    const T* const from = reinterpret_cast<const T*>(part);
    for (std::int64_t i = 0; i < n; ++i) to[i] += from[i];
}

}  // namespace

FusedRows::FusedRows(const FusedPart& part, std::span<const FusedArray> arrays) : outputs_(part.outputs.size()) {
    const std::size_t rank = part.whole.size();
    const std::size_t first_inner = rank - static_cast<std::size_t>(part.reduced);
    const auto array_of = [&](std::size_t i) { return i < outputs_ ? part.outputs[i] : part.inputs[i - outputs_]; };
    const auto value_of = [&](std::size_t i) {
        return i < outputs_ ? part.expression.outputs[i] : static_cast<std::uint32_t>(i - outputs_);
    };
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        arrays_.push_back({part.expression.shapes[value_of(i)], element_size(arrays[i].dtype), arrays[i].dtype, true,
                           part.expression.dtype_of(value_of(i))});
        has_sums_ |= is_sum(i);
    }
    for (std::size_t d = rank; d-- > 0;) {
        if (part.whole[d] == 1) continue;
        Dim dim{part.whole[d], std::vector<std::int64_t>(arrays.size(), 0)};
        for (std::size_t i = 0; i < arrays.size(); ++i) {
            const std::size_t lacking = array_of(i).lacks_row ? static_cast<std::size_t>(part.reduced) : 0;
            const std::size_t back = rank - d;  // 1: the last dimension
            if (back <= lacking || back - lacking > arrays[i].sizes.size()) continue;
            const std::size_t own = arrays[i].sizes.size() - (back - lacking);
            if (arrays[i].sizes[own] != 1) dim.strides[i] = arrays[i].strides[own] * arrays_[i].element;
        }
        auto& dims = d < first_inner ? outer_ : inner_;
        const auto joins = [&](const Dim& last) {
            for (std::size_t i = 0; i < arrays.size(); ++i) {
                if (dim.strides[i] != last.strides[i] * last.size) return false;
            }
            return true;
        };
        (d < first_inner ? rows_ : n_) *= dim.size;
        if (!dims.empty() && joins(dims.back()))
            dims.back().size *= dim.size;
        else
            dims.push_back(std::move(dim));
    }
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        if (arrays_[i].shape == RowShape::PerRow) continue;
        std::int64_t expected = arrays_[i].element;
        for (const Dim& dim : inner_) {
            arrays_[i].is_plain &= dim.strides[i] == expected;
            expected *= dim.size;
        }
    }
}

FusedSpace FusedRows::space() const {
    FusedSpace space;
    for (const Dim& dim : outer_) space.outer.push_back({dim.size, dim.strides});
    for (const Dim& dim : inner_) space.inner.push_back({dim.size, dim.strides});
    for (const Array& array : arrays_) space.dtypes.push_back(array.dtype);
    space.is_on_host.assign(arrays_.size(), false);
    space.outputs = outputs_;
    return space;
}

// packed: rows follow each other without gaps.
bool FusedRows::is_direct(std::size_t i, bool packed) const {
    if (!arrays_[i].is_plain) return false;
    if (!packed || outer_.empty() || arrays_[i].shape == RowShape::Columns) return true;
    return outer_[0].strides[i] == row_bytes(i);
}

void FusedRows::copy_row(std::size_t i, std::byte* strided, std::byte* plain, bool gathers) const {
    const std::int64_t element = arrays_[i].element;
    const ConvertFunction copy = convert_function(arrays_[i].dtype, arrays_[i].dtype);
    if (arrays_[i].shape == RowShape::PerRow || inner_.empty()) {
        if (gathers)
            copy(strided, 0, plain, element, 1);
        else
            copy(plain, element, strided, element, 1);
        return;
    }
    std::vector<std::int64_t> index(inner_.size(), 0);
    const std::int64_t stride = inner_[0].strides[i];
    for (std::int64_t at = 0; at < n_; at += inner_[0].size, plain += inner_[0].size * element) {
        if (gathers)
            copy(strided, stride, plain, element, inner_[0].size);
        else
            copy(plain, element, strided, stride, inner_[0].size);
        for (std::size_t d = 1; d < inner_.size(); ++d) {
            strided += inner_[d].strides[i];
            if (++index[d] < inner_[d].size) break;
            strided -= inner_[d].strides[i] * inner_[d].size;
            index[d] = 0;
        }
    }
}

// One thread's rows.
class FusedRows::Walk {
  public:
    Walk(const FusedRows& rows, const FusedKernel& kernel, std::span<std::byte* const> bases)
        : r_(rows),
          kernel_(kernel),
          bases_(bases.begin(), bases.end()),
          strides_(bases.size(), 0),
          pointers_(bases.size()),
          is_direct_(bases.size()) {
        std::int64_t most = 1;
        for (std::size_t i = 0; i < bases.size(); ++i) {
            is_direct_[i] = r_.is_sum(i) || r_.is_direct(i, kernel.needs_packed_rows());
            if (!is_direct_[i]) most = std::max(most, r_.row_bytes(i));
            has_gathered_ |= !is_direct_[i] && r_.arrays_[i].shape != RowShape::Columns;
        }
        block_ = std::max<std::int64_t>(1, kGatheredBytes / most);
        buffers_.resize(bases.size());
        for (std::size_t i = 0; i < bases.size(); ++i) {
            const bool is_columns = r_.arrays_[i].shape == RowShape::Columns;
            if (!is_direct_[i])
                buffers_[i].resize(static_cast<std::size_t>(r_.row_bytes(i) * (is_columns ? 1 : block_) + 64));
            if (is_columns && !is_direct_[i]) r_.copy_row(i, bases_[i], buffer(i), true);
        }
    }

    void run(std::int64_t begin, std::int64_t end) {
        const std::int64_t line = r_.outer_.empty() ? 1 : r_.outer_[0].size;
        for (std::int64_t at = begin; at < end;) {
            std::int64_t length = std::min(end - at, line - at % line);
            if (has_gathered_) length = std::min(length, block_);
            run_rows(at, length);
            at += length;
        }
    }

  private:
    std::byte* buffer(std::size_t i) {
        const auto address = reinterpret_cast<std::uintptr_t>(buffers_[i].data());
        return buffers_[i].data() + (64 - address % 64) % 64;
    }
    std::byte* row(std::size_t i, std::int64_t at) const {
        std::byte* pointer = bases_[i];
        for (const Dim& dim : r_.outer_) {
            pointer += at % dim.size * dim.strides[i];
            at /= dim.size;
        }
        return pointer;
    }
    std::int64_t step(std::size_t i) const { return r_.outer_.empty() ? 0 : r_.outer_[0].strides[i]; }

    // Rows of one line of the innermost dimension.
    void run_rows(std::int64_t at, std::int64_t count) {
        for (std::size_t i = 0; i < bases_.size(); ++i) {
            const bool is_columns = r_.arrays_[i].shape == RowShape::Columns;
            if (is_direct_[i]) {
                pointers_[i] = is_columns ? bases_[i] : row(i, at);
                strides_[i] = is_columns ? 0 : step(i);
                continue;
            }
            pointers_[i] = buffer(i);
            strides_[i] = is_columns ? 0 : r_.row_bytes(i);
            if (is_columns || i < r_.outputs_) continue;
            std::byte* from = row(i, at);
            for (std::int64_t k = 0; k < count; ++k)
                r_.copy_row(i, from + k * step(i), pointers_[i] + k * strides_[i], true);
        }
        kernel_.run_rows(pointers_.data(), strides_.data(), count, r_.n_);
        for (std::size_t i = 0; i < r_.outputs_; ++i) {
            if (is_direct_[i]) continue;
            std::byte* to = row(i, at);
            for (std::int64_t k = 0; k < count; ++k)
                r_.copy_row(i, to + k * step(i), pointers_[i] + k * strides_[i], false);
        }
    }

    const FusedRows& r_;
    const FusedKernel& kernel_;
    std::vector<std::byte*> bases_;
    std::vector<std::int64_t> strides_;
    std::vector<std::byte*> pointers_;
    std::vector<bool> is_direct_;
    std::vector<std::vector<std::byte>> buffers_;
    std::int64_t block_ = 1;
    bool has_gathered_ = false;
};

// Each part of the rows has separate sums.
void FusedRows::run_with_sums(const FusedKernel& kernel, std::span<std::byte* const> bases) const {
    std::vector<std::int64_t> places(outputs_, 0);  // offset of an output's sums in those of a part
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < outputs_; ++i) {
        if (!is_sum(i)) continue;
        places[i] = bytes;
        bytes += (n_ * element_size(arrays_[i].sum_as) + 63) / 64 * 64;
    }
    const std::int64_t parts = row_parts(rows_, n_);
    std::vector<std::byte> sums(static_cast<std::size_t>(bytes * parts + 64), std::byte{0});
    std::byte* const first = sums.data() + (64 - reinterpret_cast<std::uintptr_t>(sums.data()) % 64) % 64;
    parallel_for(0, parts, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t part = begin; part < end; ++part) {
            std::vector<std::byte*> own(bases.begin(), bases.end());
            for (std::size_t i = 0; i < outputs_; ++i) {
                if (is_sum(i)) own[i] = first + part * bytes + places[i];
            }
            Walk(*this, kernel, own).run(part * rows_ / parts, (part + 1) * rows_ / parts);
        }
    });
    for (std::size_t i = 0; i < outputs_; ++i) {
        if (!is_sum(i)) continue;
        std::byte* const total = first + places[i];
        const ScalarType as = arrays_[i].sum_as;
        for (std::int64_t part = 1; part < parts; ++part) {
            if (as == ScalarType::Float64)
                add_to<double>(total, total + part * bytes, n_);
            else
                add_to<float>(total, total + part * bytes, n_);
        }
        convert_function(as, arrays_[i].dtype)(total, element_size(as), bases[i], arrays_[i].element, n_);
    }
}

void FusedRows::run(const FusedKernel& kernel, std::span<std::byte* const> bases, int cost) const {
    if (has_sums_ && n_ > 0) return run_with_sums(kernel, bases);
    if (rows_ == 0 || n_ == 0) return;
    const std::int64_t grain = std::max<std::int64_t>(kElementwiseGrain / std::max(cost, 1) / n_, 1);
    parallel_for(0, rows_, grain,
                 [&](std::int64_t begin, std::int64_t end) { Walk(*this, kernel, bases).run(begin, end); });
}

}  // namespace loupe::runtime

// SPDX-License-Identifier: Apache-2.0
#include "core/ops/joining/index_maps.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/base/parallel.h"
#include "core/kernels/complex_half.h"
#include "core/kernels/device_loops.h"
#include "core/kernels/elementwise.h"
#include "core/ops/nn/simd.h"

namespace loupe {
namespace {

constexpr std::int64_t kGrainBytes = 128 * 1024;

// Maps with the source's strides multiplied in: offsets in elements.
std::vector<IndexMap> to_offsets(std::span<const IndexMap> maps, IntSpan strides) {
    std::vector<IndexMap> offsets(maps.begin(), maps.end());
    for (std::size_t d = 0; d < offsets.size(); ++d) {
        for (std::int64_t& index : offsets[d]) index *= strides[d];
    }
    return offsets;
}

bool counts_up(const IndexMap& offsets, std::int64_t step) {
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        if (offsets[i] != static_cast<std::int64_t>(i) * step) return false;
    }
    return true;
}
bool counts_down(const IndexMap& offsets) {
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        if (offsets[i] != offsets[0] - static_cast<std::int64_t>(i)) return false;
    }
    return true;
}
// Merges the last two dimensions when contiguous; else false.
bool merge_last_two(std::vector<IndexMap>& offsets) {
    if (offsets.size() < 2) return false;
    const auto inner = static_cast<std::int64_t>(offsets.back().size());
    const IndexMap& outer = offsets[offsets.size() - 2];
    if (!counts_up(offsets.back(), 1) || !counts_up(outer, inner)) return false;
    const auto length = static_cast<std::int64_t>(outer.size()) * inner;
    offsets.pop_back();
    offsets.back() = identity_map(length);
    return true;
}

// Runs of consecutive offsets in the last dimension.
struct Run {
    std::int64_t to;
    std::int64_t from;
    std::int64_t length;
};
std::vector<Run> runs_of(const IndexMap& offsets) {
    std::vector<Run> runs;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        if (!runs.empty() && runs.back().from + runs.back().length == offsets[i])
            ++runs.back().length;
        else
            runs.push_back({static_cast<std::int64_t>(i), offsets[i], 1});
    }
    return runs;
}

// Calls visit(row, offset) for the rows [begin, end) of the result: all dimensions but the last, in row-major order.
template <typename Visit>
void for_rows(std::span<const IndexMap> outer, std::int64_t begin, std::int64_t end, Visit visit) {
    Dims index(outer.size());
    std::int64_t rest = begin;
    for (std::size_t d = outer.size(); d-- > 0;) {
        const auto size = static_cast<std::int64_t>(outer[d].size());
        index[d] = rest % size;
        rest /= size;
    }
    for (std::int64_t row = begin; row < end; ++row) {
        std::int64_t offset = 0;
        for (std::size_t d = 0; d < outer.size(); ++d) offset += outer[d][static_cast<std::size_t>(index[d])];
        visit(row, offset);
        for (std::size_t d = outer.size(); d-- > 0;) {
            if (++index[d] < static_cast<std::int64_t>(outer[d].size())) break;
            index[d] = 0;
        }
    }
}

template <typename Word>
void gather_row(Word* to, const Word* from, const IndexMap& offsets) {
    for (std::size_t i = 0; i < offsets.size(); ++i) to[i] = from[offsets[i]];
}
template <typename Word>
void reverse_row(Word* to, const Word* from, std::int64_t length) {
    with_best_instructions([=]() LOUPE_INLINE {
#pragma omp simd
        for (std::int64_t i = 0; i < length; ++i) to[i] = from[length - 1 - i];
    });
}
struct Word16 {
    std::uint64_t low, high;
};

template <typename Word>
void copy_rows(const Tensor& out, const void* source, std::span<const IndexMap> offsets) {
    const IndexMap& last = offsets.back();
    const auto row_length = static_cast<std::int64_t>(last.size());
    const std::vector<Run> runs = runs_of(last);
    const bool is_reversed = counts_down(last);
    const bool has_long_runs = static_cast<std::int64_t>(runs.size()) * 8 <= row_length;
    const std::int64_t rows = out.numel() / row_length;
    auto* to = out.data<Word>();
    const auto* from = static_cast<const Word*>(source);
    const std::int64_t grain =
        std::max<std::int64_t>(kGrainBytes / (row_length * static_cast<std::int64_t>(sizeof(Word))), 1);
    parallel_for(0, rows, grain, [&](std::int64_t begin, std::int64_t end) {
        for_rows(offsets.first(offsets.size() - 1), begin, end, [&](std::int64_t row, std::int64_t offset) {
            if (is_reversed) {
                reverse_row(to + row * row_length, from + offset + last.back(), row_length);
                return;
            }
            if (!has_long_runs) {
                gather_row(to + row * row_length, from + offset, last);
                return;
            }
            for (const Run& run : runs) {
                std::memcpy(to + row * row_length + run.to, from + offset + run.from,
                            static_cast<std::size_t>(run.length) * sizeof(Word));
            }
        });
    });
}

template <typename T>
void add_rows(const Tensor& out, const Tensor& in, std::span<const IndexMap> offsets, std::size_t independent) {
    const IndexMap& last = offsets.back();
    const auto row_length = static_cast<std::int64_t>(last.size());
    std::int64_t blocks = 1;
    for (std::size_t d = 0; d < independent; ++d) blocks *= static_cast<std::int64_t>(offsets[d].size());
    const std::int64_t rows = in.numel() / row_length / std::max<std::int64_t>(blocks, 1);
    T* to = out.data<T>();
    const T* from = in.data<T>();
    parallel_for(0, blocks, std::max<std::int64_t>(kGrainBytes / std::max<std::int64_t>(rows * row_length * 4, 1), 1),
                 [&](std::int64_t begin, std::int64_t end) {
                     for_rows(offsets.first(offsets.size() - 1), begin * rows, end * rows,
                              [&](std::int64_t row, std::int64_t offset) {
                                  const T* source = from + row * row_length;
                                  T* target = to + offset;
                                  for (std::size_t i = 0; i < last.size(); ++i)
                                      target[last[i]] = T(target[last[i]] + source[i]);
                              });
                 });
}

}  // namespace

IndexMap identity_map(std::int64_t size) {
    IndexMap map(static_cast<std::size_t>(size));
    std::iota(map.begin(), map.end(), 0);
    return map;
}

void copy_mapped(const Tensor& out, const Tensor& in, std::span<const IndexMap> maps) {
    if (out.numel() == 0) return;
    if (maps.empty()) {
        copy_into(out, in);
        return;
    }
    if (!out.device().is_cpu() && copy_by_taps(out, in, maps)) return;
    copy_by_offsets(out, in.raw_data(), to_offsets(maps, in.strides()));
}

void copy_by_offsets(const Tensor& out, const void* from, std::vector<IndexMap> offsets) {
    if (out.numel() == 0) return;
    while (merge_last_two(offsets)) {
    }
    switch (out.element_size()) {
        case 1:
            return copy_rows<std::uint8_t>(out, from, offsets);
        case 2:
            return copy_rows<std::uint16_t>(out, from, offsets);
        case 4:
            return copy_rows<std::uint32_t>(out, from, offsets);
        case 8:
            return copy_rows<std::uint64_t>(out, from, offsets);
        default:
            return copy_rows<Word16>(out, from, offsets);
    }
}

void add_mapped(const Tensor& out, const Tensor& in, std::span<const IndexMap> maps, std::size_t independent) {
    fill_with(out, 0);
    if (in.numel() == 0) return;
    if (!out.device().is_cpu() && add_by_taps(out, in, maps)) return;
    Tensor dense = in;
    if (!in.is_contiguous()) {
        dense = empty(in.sizes(), in.dtype(), in.device());
        copy_into(dense, in);
    }
    const std::vector<IndexMap> offsets = to_offsets(maps, out.strides());
    visit_dtype(in.dtype(), [&]<typename T>(std::type_identity<T>) {
        if constexpr (!std::is_integral_v<T>) add_rows<T>(out, dense, offsets, independent);
    });
}

}  // namespace loupe

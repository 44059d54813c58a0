// SPDX-License-Identifier: Apache-2.0
#include "core/ops/matrix/layout.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/base/parallel.h"
#include "core/kernels/elementwise.h"

namespace loupe {
namespace {

struct Dimension {
    std::int64_t size;
    std::int64_t to;
    std::int64_t from;
};
using Dimensions = boost::container::small_vector<Dimension, 6>;

// Dimensions by falling stride of the target, neighbours that step together merged.
Dimensions merged_dimensions(const Tensor& to, const Tensor& from) {
    Dimensions dims;
    for (std::size_t d = 0; d < to.sizes().size(); ++d) {
        if (to.sizes()[d] != 1) dims.push_back({to.sizes()[d], to.strides()[d], from.strides()[d]});
    }
    std::stable_sort(dims.begin(), dims.end(), [](const Dimension& a, const Dimension& b) { return a.to > b.to; });
    Dimensions merged;
    for (const Dimension& dim : dims) {
        if (!merged.empty() && merged.back().to == dim.to * dim.size && merged.back().from == dim.from * dim.size) {
            merged.back() = {merged.back().size * dim.size, dim.to, dim.from};
        } else {
            merged.push_back(dim);
        }
    }
    if (merged.empty()) merged.push_back({1, 1, 1});
    return merged;
}

template <typename T>
void copy_row(T* to, const T* from, const Dimension& row) {
    if (row.to == 1 && row.from == 1) {
        std::memcpy(to, from, static_cast<std::size_t>(row.size) * sizeof(T));
        return;
    }
    if (row.to == 1 && row.from == 0) {
        std::fill(to, to + row.size, *from);
        return;
    }
    for (std::int64_t i = 0; i < row.size; ++i) to[i * row.to] = from[i * row.from];
}

// Both inner dimensions in tiles, so that neither side runs through memory with a long stride for long.
template <typename T>
void copy_plane(T* to, const T* from, const Dimension& outer, const Dimension& inner) {
    if (inner.from == 1 || outer.from != 1) {
        for (std::int64_t i = 0; i < outer.size; ++i) copy_row(to + i * outer.to, from + i * outer.from, inner);
        return;
    }
    constexpr std::int64_t kTile = 16;
    for (std::int64_t i0 = 0; i0 < outer.size; i0 += kTile) {
        const std::int64_t i1 = std::min(outer.size, i0 + kTile);
        for (std::int64_t j0 = 0; j0 < inner.size; j0 += kTile) {
            const std::int64_t j1 = std::min(inner.size, j0 + kTile);
            for (std::int64_t i = i0; i < i1; ++i) {
                for (std::int64_t j = j0; j < j1; ++j) to[i * outer.to + j * inner.to] = from[i + j * inner.from];
            }
        }
    }
}

template <typename T>
void copy_planes(T* to, const T* from, Dimensions dims) {
    if (dims.size() == 1) {
        const Dimension& row = dims[0];
        parallel_for(0, row.size, 65536, [&](std::int64_t b, std::int64_t e) {
            copy_row(to + b * row.to, from + b * row.from, Dimension{e - b, row.to, row.from});
        });
        return;
    }
    // The dimension in which the source is dense goes next to the one in which the target is.
    const auto dense = std::find_if(dims.begin(), dims.end() - 1, [](const Dimension& d) { return d.from == 1; });
    if (dense != dims.end() - 1) std::rotate(dense, dense + 1, dims.end() - 1);
    const Dimension inner = dims.back();
    const Dimension outer = dims[dims.size() - 2];
    std::int64_t planes = 1;
    for (std::size_t d = 0; d + 2 < dims.size(); ++d) planes *= dims[d].size;
    auto copy_pieces = [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t plane = begin; plane < end; ++plane) {
            std::int64_t rest = plane;
            std::int64_t to_offset = 0;
            std::int64_t from_offset = 0;
            for (std::size_t d = dims.size() - 2; d-- > 0;) {
                to_offset += rest % dims[d].size * dims[d].to;
                from_offset += rest % dims[d].size * dims[d].from;
                rest /= dims[d].size;
            }
            copy_plane(to + to_offset, from + from_offset, outer, inner);
        }
    };
    if (planes == 1) {
        parallel_for(0, outer.size, std::max<std::int64_t>(1, 32768 / inner.size), [&](std::int64_t b, std::int64_t e) {
            copy_plane(to + b * outer.to, from + b * outer.from, Dimension{e - b, outer.to, outer.from}, inner);
        });
        return;
    }
    parallel_for(0, planes, std::max<std::int64_t>(1, 32768 / (inner.size * outer.size)), copy_pieces);
}

struct Wide16 {
    std::uint64_t parts[2];
};

}  // namespace

void copy_strided(const Tensor& to, const Tensor& from) {
    if (to.numel() == 0) return;
    if (!to.device().is_cpu() || !from.device().is_cpu()) return copy_into(to, from);
    const Dimensions dims = merged_dimensions(to, from);
    switch (to.element_size()) {
        case 1:
            return copy_planes(to.data<std::uint8_t>(), from.data<std::uint8_t>(), dims);
        case 2:
            return copy_planes(to.data<std::uint16_t>(), from.data<std::uint16_t>(), dims);
        case 4:
            return copy_planes(to.data<std::uint32_t>(), from.data<std::uint32_t>(), dims);
        case 8:
            return copy_planes(to.data<std::uint64_t>(), from.data<std::uint64_t>(), dims);
        default:
            return copy_planes(to.data<Wide16>(), from.data<Wide16>(), dims);
    }
}

Tensor packed(const Tensor& t) {
    if (!t.defined() || t.is_contiguous()) return t;
    Tensor copy = empty(t.sizes(), t.dtype(), t.device());
    copy_strided(copy, t);
    return copy;
}

Tensor packed_as(const Tensor& t, ScalarType dtype) {
    if (!t.defined() || t.dtype() == dtype) return packed(t);
    Tensor out = empty(t.sizes(), dtype, t.device());
    convert_into(out, t);
    return out;
}

void convert_into(const Tensor& out, const Tensor& from) {
    if (out.dtype() == from.dtype())
        copy_strided(out, from);
    else
        copy_into(out, from);
}

Tensor expanded(const Tensor& t, IntSpan sizes) {
    const std::size_t rank = sizes.size();
    const std::size_t own = t.sizes().size();
    require(own <= rank, "expand(", describe(t), ", size=", shape_list_text(sizes), "): the number of sizes provided (",
            rank, ") must be greater or equal to the number of dimensions in the tensor (", own, ")");
    Dims strides(rank, 0);
    for (std::size_t i = 0; i < own; ++i) {
        const std::size_t d = rank - own + i;
        const std::int64_t size = t.sizes()[i];
        require(size == sizes[d] || size == 1, "The expanded size of the tensor (", sizes[d],
                ") must match the existing size (", size, ") at non-singleton dimension ", d,
                ".  Target sizes: ", shape_list_text(sizes), ".  Tensor sizes: ", shape_list_text(t.sizes()));
        strides[d] = size == 1 ? 0 : t.strides()[i];
    }
    return t.view_as_strided(sizes, span_of(strides), t.storage_offset());
}

Tensor buffer_for(const Tensor& out) {
    return out.is_contiguous() ? out : empty(out.sizes(), out.dtype(), out.device());
}

void fill_zero(const Tensor& contiguous) { std::memset(contiguous.raw_data(), 0, contiguous.bytes()); }

}  // namespace loupe

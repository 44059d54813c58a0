// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/compressed.h"

#include <array>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/tensor/copy_elements.h"

namespace loupe {
namespace {

struct LayoutNames {
    CompressedLayout layout;
    std::string_view message, python;
};
constexpr std::array kLayouts{LayoutNames{CompressedLayout::Csr, "SparseCsr", "sparse_csr"},
                              LayoutNames{CompressedLayout::Csc, "SparseCsc", "sparse_csc"},
                              LayoutNames{CompressedLayout::Bsr, "SparseBsr", "sparse_bsr"},
                              LayoutNames{CompressedLayout::Bsc, "SparseBsc", "sparse_bsc"}};
const LayoutNames& names_of(CompressedLayout layout) {
    for (const LayoutNames& each : kLayouts) {
        if (each.layout == layout) return each;
    }
    __builtin_unreachable();
}

template <typename... Parts>
void require(bool holds, const Parts&... parts) {
    if (!holds) throw Error(ErrorKind::Run, concat(parts...));
}

struct Words {
    std::string_view compressed, plain, compressed_size, plain_size;
};
Words words_of(CompressedLayout layout) {
    return compresses_rows(layout) ? Words{"crow_indices", "col_indices", "nrows", "ncols"}
                                   : Words{"ccol_indices", "row_indices", "ncols", "nrows"};
}

bool are_indices(const Tensor& t) { return t.dtype() == ScalarType::Int32 || t.dtype() == ScalarType::Int64; }

void check_ranks(const CompressedParts& parts, IntSpan sizes) {
    const Words words = words_of(parts.layout);
    require(parts.compressed.dim() >= 1, words.compressed, " must have dimensionality >= 1 but got ",
            parts.compressed.dim());
    require(parts.plain.dim() == parts.compressed.dim(), words.compressed, " and ", words.plain,
            " dimensionalities must be equal but got ", parts.compressed.dim(), " and ", parts.plain.dim(),
            ", respectively");
    const std::int64_t batch = parts.batch_dim(), blocks = has_blocks(parts.layout) ? 2 : 0;
    require(parts.dense_dim() >= 0,
            "values must have dimensionality > sum of batch and block dimensionalities (=", batch, " + ", blocks,
            ") but got ", parts.values.dim());
    require(static_cast<std::int64_t>(sizes.size()) == batch + 2 + parts.dense_dim(),
            "tensor dimensionality must be sum of batch, base, and dense dimensionalities (=", batch, " + 2 + ",
            parts.dense_dim(), ") but got ", sizes.size());
    require(are_indices(parts.compressed) && are_indices(parts.plain), words.compressed, " and ", words.plain,
            " must be an int32 or int64 type, but got ", dtype_graph_name(parts.compressed.dtype()));
    require(parts.compressed.dtype() == parts.plain.dtype(), words.compressed, " and ", words.plain,
            " must have the same dtype, but got ", dtype_graph_name(parts.compressed.dtype()), " and ",
            dtype_graph_name(parts.plain.dtype()), ", respectively");
}

void check_sizes(const CompressedParts& parts, IntSpan sizes) {
    const Words words = words_of(parts.layout);
    const bool by_rows = compresses_rows(parts.layout);
    const std::int64_t batch = parts.batch_dim(), blocks = has_blocks(parts.layout) ? 2 : 0;
    const auto b = static_cast<std::size_t>(batch);
    const auto same_batch = [&](const Tensor& t) { return std::ranges::equal(t.sizes().first(b), sizes.first(b)); };
    require(same_batch(parts.compressed) && same_batch(parts.plain) && same_batch(parts.values),
            "all batch dimensions of ", words.compressed, " (=", shape_list_text(parts.compressed.sizes().first(b)),
            "), ", words.plain, " (=", shape_list_text(parts.plain.sizes().first(b)),
            "), values (=", shape_list_text(parts.values.sizes().first(b)),
            ") and the size (=", shape_list_text(sizes.first(b)), ") must be equal");
    require(parts.values.size(batch) == parts.entries(), "number of elements in ", words.plain,
            " and values must be equal, but got ", parts.entries(), " and ", parts.values.size(batch));
    for (std::int64_t d = 0; d < 2; ++d) {
        const std::int64_t size = sizes[b + static_cast<std::size_t>(d)];
        require(parts.block(d) > 0 && size % parts.block(d) == 0, "tensor shape[", batch + d, "] (=", size,
                ") must be divisible with blocksize[", d, "] (=", parts.block(d), ") as defined by values shape");
    }
    const std::int64_t count = sizes[by_rows ? b : b + 1] / parts.block(by_rows ? 0 : 1);
    require(parts.compressed.size(-1) == count + 1, words.compressed, ".shape[-1] must be equal to the number of ",
            by_rows ? "rows" : "columns", " + 1 (=", count + 1, "), but got ", parts.compressed.size(-1));
    const IntSpan dense = sizes.subspan(b + 2);
    require(std::ranges::equal(parts.values.sizes().last(dense.size()), dense), "values.shape[", batch + 1 + blocks,
            ":] must be ", shape_list_text(dense), ", but got ",
            shape_list_text(parts.values.sizes().last(dense.size())));
}

template <typename Index>
void check_batch(const CompressedParts& parts, const Index* ends, const Index* plain, std::int64_t count,
                 std::int64_t plain_size) {
    const Words words = words_of(parts.layout);
    require(ends[0] == 0, "`", words.compressed, "[..., 0] == 0` is not satisfied.");
    require(ends[count] == parts.entries(), "`", words.compressed, "[..., -1] == nnz` is not satisfied.");
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t n = ends[i + 1] - ends[i];
        require(n >= 0 && n <= plain_size, "`0 <= ", words.compressed, "[..., 1:] - ", words.compressed,
                "[..., :-1] <= ", words.plain_size, "` is not satisfied.");
        for (std::int64_t k = ends[i]; k < ends[i + 1]; ++k) {
            require(plain[k] >= 0 && plain[k] < plain_size, "`0 <= ", words.plain, " < ", words.plain_size,
                    "` is not satisfied.");
            require(k == ends[i] || plain[k - 1] < plain[k], "`", words.plain, "[..., ", words.compressed,
                    "[..., i - 1]:", words.compressed, "[..., i]] for all i = 1, ..., ", words.compressed_size,
                    " are sorted and distinct along the last dimension values` is not satisfied.");
        }
    }
}

void check_indices(const CompressedParts& parts, IntSpan sizes) {
    const Tensor compressed = copy_elements(parts.compressed), plain = copy_elements(parts.plain);
    const bool by_rows = compresses_rows(parts.layout);
    const auto b = static_cast<std::size_t>(parts.batch_dim());
    const std::int64_t count = compressed.size(-1) - 1;
    const std::int64_t plain_size = sizes[by_rows ? b + 1 : b] / parts.block(by_rows ? 1 : 0);
    const auto check_as = [&]<typename Index>(std::type_identity<Index>) {
        for (std::int64_t i = 0; i < compressed.numel() / (count + 1); ++i)
            check_batch(parts, compressed.data<Index>() + i * (count + 1), plain.data<Index>() + i * parts.entries(),
                        count, plain_size);
    };
    if (compressed.dtype() == ScalarType::Int32)
        check_as(std::type_identity<std::int32_t>{});
    else
        check_as(std::type_identity<std::int64_t>{});
}

}  // namespace

std::string_view layout_message_name(CompressedLayout layout) { return names_of(layout).message; }
std::string_view layout_python_name(CompressedLayout layout) { return names_of(layout).python; }
std::optional<CompressedLayout> compressed_layout(std::int64_t number) {
    for (const LayoutNames& each : kLayouts) {
        if (static_cast<std::int64_t>(each.layout) == number) return each.layout;
    }
    return std::nullopt;
}
std::optional<CompressedLayout> compressed_layout(std::string_view python_name) {
    for (const LayoutNames& each : kLayouts) {
        if (each.python == python_name) return each.layout;
    }
    return std::nullopt;
}

Tensor make_compressed(CompressedLayout layout, const Tensor& compressed, const Tensor& plain, const Tensor& values,
                       IntSpan sizes) {
    const CompressedParts parts(layout, compressed, plain, values);
    check_ranks(parts, sizes);
    check_sizes(parts, sizes);
    check_indices(parts, sizes);
    return make_compressed_unchecked(layout, compressed, plain, values, sizes);
}

Tensor make_compressed_unchecked(CompressedLayout layout, const Tensor& compressed, const Tensor& plain,
                                 const Tensor& values, IntSpan sizes) {
    return make_with_parts(std::make_shared<const CompressedParts>(layout, compressed, plain, values), sizes,
                           values.dtype());
}

Tensor with_compressed_values(const Tensor& t, const Tensor& values) {
    const CompressedParts& parts = compressed_parts(t);
    return make_compressed_unchecked(parts.layout, parts.compressed, parts.plain, values, t.sizes());
}

}  // namespace loupe

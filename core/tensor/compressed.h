// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sparse tensors whose rows or columns are compressed: torch.sparse_csr, sparse_csc, sparse_bsr, sparse_bsc.

#include "core/tensor/sparse.h"

namespace loupe {

// As torch.layout numbers them.
enum class CompressedLayout : std::int8_t { Csr = 2, Csc = 4, Bsr = 5, Bsc = 6 };
// "SparseCsr", as PyTorch's messages write it; "sparse_csr", as after "torch.".
std::string_view layout_message_name(CompressedLayout layout);
std::string_view layout_python_name(CompressedLayout layout);
std::optional<CompressedLayout> compressed_layout(std::int64_t number);
std::optional<CompressedLayout> compressed_layout(std::string_view python_name);
constexpr bool compresses_rows(CompressedLayout layout) {
    return layout == CompressedLayout::Csr || layout == CompressedLayout::Bsr;
}
constexpr bool has_blocks(CompressedLayout layout) {
    return layout == CompressedLayout::Bsr || layout == CompressedLayout::Bsc;
}

// Of a tensor of sizes [batch..., rows, columns, dense...].
struct CompressedParts final : SparseParts {
    CompressedParts(CompressedLayout of, Tensor compressed_, Tensor plain_, Tensor values_)
        : SparseParts(TensorForm::Compressed),
          layout(of),
          compressed(std::move(compressed_)),
          plain(std::move(plain_)),
          values(std::move(values_)) {}

    const CompressedLayout layout;
    const Tensor compressed;  // crow_indices or ccol_indices, int32 or int64 [batch..., compressed size + 1]
    const Tensor plain;       // col_indices or row_indices [batch..., entries]
    const Tensor values;      // [batch..., entries, block sizes if any..., dense...]

    Tensor elements() const override { return values; }
    std::int64_t batch_dim() const { return compressed.dim() - 1; }
    std::int64_t dense_dim() const { return values.dim() - batch_dim() - 1 - (has_blocks(layout) ? 2 : 0); }
    std::int64_t entries() const { return plain.size(-1); }
    // Rows (0) or columns (1) of a block; 1 without blocks.
    std::int64_t block(std::int64_t d) const { return has_blocks(layout) ? values.size(batch_dim() + 1 + d) : 1; }
};

inline bool is_compressed(const Tensor& t) { return has_form(t, TensorForm::Compressed); }
// The tensor must be compressed.
inline const CompressedParts& compressed_parts(const Tensor& t) {
    return static_cast<const CompressedParts&>(*t.impl()->sparse);
}
// Throws Error (Run) with PyTorch's messages when the parts do not fit each other and the sizes.
Tensor make_compressed(CompressedLayout layout, const Tensor& compressed, const Tensor& plain, const Tensor& values,
                       IntSpan sizes);
// The same for parts that were checked before.
Tensor make_compressed_unchecked(CompressedLayout layout, const Tensor& compressed, const Tensor& plain,
                                 const Tensor& values, IntSpan sizes);
// The same entries with other values.
Tensor with_compressed_values(const Tensor& t, const Tensor& values);

}  // namespace loupe

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Matrices of packed weights as ggml lays them out: each row is a sequence of blocks, mostly a scale and a few bits an
// element. The tensor has the sizes and the dtype (float32) of the numbers that they stand for.

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/tensor/ggml_type.h"
#include "core/tensor/sparse.h"

namespace loupe {

struct PackedParts final : SparseParts {
    PackedParts(const GgmlType& of, Tensor packed, std::vector<std::int32_t> rows)
        : SparseParts(TensorForm::Packed), type(&of), bytes(std::move(packed)), row_order(std::move(rows)) {}

    const GgmlType* const type;
    const Tensor bytes;  // uint8 [rows, bytes of a row]
    // Row i of the matrix is row row_order[i] of the bytes; empty: row i.
    const std::vector<std::int32_t> row_order;
    bool is_transposed = false;  // the tensor is the transpose of that matrix

    // The numbers, float32, in the sizes of the tensor.
    Tensor elements() const override;
    // Of `count` rows from `first` on, each `step` behind the one before: float32 [count, columns].
    Tensor unpacked_rows(std::int64_t first, std::int64_t step, std::int64_t count) const;
    std::int64_t rows() const { return bytes.size(0); }
    std::int64_t columns() const { return bytes.size(1) / type->bytes * type->elements; }
    std::int64_t stored_row(std::int64_t i) const {
        return row_order.empty() ? i : row_order[static_cast<std::size_t>(i)];
    }
};

inline bool is_packed(const Tensor& t) { return has_form(t, TensorForm::Packed); }
// Throws Error (Run) for a tensor that is not packed.
const PackedParts& packed_parts(const Tensor& t);
// [rows, columns] of a contiguous uint8 [rows, bytes of a row]. Throws Error (Run) unless the bytes are whole blocks
// and the order names each row once.
Tensor make_packed(const GgmlType& type, const Tensor& bytes, std::vector<std::int32_t> row_order = {});
// Its elements. Throws Error (Run) for a tensor that is not packed.
Tensor unpacked(const Tensor& t);
// For writers: of packed weights the numbers, made once, so that tied weights share them; another tensor itself.
class UnpackedOnce {
  public:
    Tensor operator()(const Tensor& t);

  private:
    std::unordered_map<const SparseParts*, Tensor> numbers_;
};
// Another view of the same bytes.
Tensor packed_transpose(const Tensor& t);
Tensor packed_alias(const Tensor& t);
// Of a matrix that is not transposed the rows, in that order: a view of the bytes where they lie one behind the other.
// Throws Error (Run) for a row that there is none.
Tensor packed_rows(const Tensor& t, std::span<const std::int64_t> rows);

}  // namespace loupe

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Nested tensors of the layout torch.strided: a batch of constituents of one rank that may differ in every size, each
// strided in one flat buffer. What both layouts of nested tensors share stands below; jagged ones are in jagged.h.

#include "core/tensor/jagged.h"

namespace loupe {

// Of a tensor of sizes [batch, ...]; a size that differs between the constituents is irregular.
struct NestedParts final : SparseParts {
    NestedParts() : SparseParts(TensorForm::Nested) {}

    Tensor buffer;               // [n]: the elements of all constituents. It has the history
    std::vector<Dims> sizes;     // of each constituent
    std::vector<Dims> strides;   // likewise
    Dims offsets;                // where each begins in the buffer
    std::int64_t rank = 0;       // of a constituent
    bool is_contiguous = false;  // row-major, one after the other

    // The constituents' elements, one after the other.
    Tensor elements() const override;
    std::int64_t batch() const { return static_cast<std::int64_t>(sizes.size()); }
};

inline bool is_strided_nested(const Tensor& t) { return has_form(t, TensorForm::Nested); }
// The tensor must be a nested one with the strided layout.
inline const NestedParts& nested_parts(const Tensor& t) { return static_cast<const NestedParts&>(*t.impl()->sparse); }

// sizes: of each constituent; row-major, one after the other. Throws Error (Run) when the buffer has another number of
// elements, or the ranks differ.
Tensor make_nested(const Tensor& buffer, std::vector<Dims> sizes);
// Throws Error (Run) when a constituent would leave the buffer.
Tensor make_nested(const Tensor& buffer, std::vector<Dims> sizes, std::vector<Dims> strides, Dims offsets);

// The size of the whole in a dimension, -1 the last. Throws Error (Run) for an irregular one.
std::int64_t regular_size(const Tensor& nested, std::int64_t dim);

// Of either layout.
inline bool is_nested(const Tensor& t) { return is_jagged(t) || is_strided_nested(t); }
// Where the elements are: the values of a jagged tensor, the buffer of a strided one. The tensor must be nested.
const Tensor& nested_values(const Tensor& t);
// nested_values; another tensor, and an undefined one, itself.
Tensor nested_values_or_itself(const Tensor& t);
// The same structure with other elements, as many.
Tensor with_nested_values(const Tensor& t, const Tensor& values);

}  // namespace loupe

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tensors that are no plain arrays: what they hold instead of elements. Here sparse ones in coordinate form,
// torch.sparse_coo, mostly gradients of embeddings; others in compressed.h, packed.h and quantizer.h. Few operators
// take them.

#include "core/tensor/tensor.h"

namespace loupe {

enum class TensorForm : std::uint8_t {
    Coordinate,
    Compressed,  // torch.sparse_csr, sparse_csc, sparse_bsr, sparse_bsc
    Quantized,   // torch.qint8, quint8, qint32
    Packed,      // blocks of ggml: packed.h
    Jagged,      // nested tensors of torch.jagged
    Nested,      // nested tensors of torch.strided: nested.h
    Sharded,     // of which this rank holds a part: sharded.h
};

// The base of what each form holds.
struct SparseParts {
    explicit SparseParts(TensorForm of) : form(of) {}
    SparseParts(const SparseParts&) = delete;
    SparseParts& operator=(const SparseParts&) = delete;
    virtual ~SparseParts() = default;

    // What is read where the elements are looked at (statistics, slices, files): of sparse and nested tensors the
    // values that they hold, of quantised and packed ones the numbers that they stand for, in the tensor's sizes.
    virtual Tensor elements() const = 0;

    const TensorForm form;
};

struct CoordinateParts final : SparseParts {
    CoordinateParts(Tensor places, Tensor elements, bool coalesced)
        : SparseParts(TensorForm::Coordinate),
          indices(std::move(places)),
          values(std::move(elements)),
          is_coalesced(coalesced) {}

    const Tensor indices;     // int64 [sparse dimensions, entries]
    const Tensor values;      // [entries, sizes of the dense dimensions...]
    const bool is_coalesced;  // indices in order, each once

    Tensor elements() const override { return values; }
    std::int64_t sparse_dim() const { return indices.size(0); }
    std::int64_t dense_dim() const { return values.dim() - 1; }
    std::int64_t entries() const { return indices.size(1); }
};

// An undefined tensor has none.
inline bool has_form(const Tensor& t, TensorForm form) {
    return t.defined() && t.is_sparse() && t.impl()->sparse->form == form;
}
inline bool is_coordinate(const Tensor& t) { return has_form(t, TensorForm::Coordinate); }
// The tensor must be in coordinate form.
inline const CoordinateParts& coordinate_parts(const Tensor& t) {
    return static_cast<const CoordinateParts&>(*t.impl()->sparse);
}

// SparseParts::elements; a plain array, and an undefined tensor, itself.
inline Tensor elements_or_itself(const Tensor& t) {
    return t.defined() && t.is_sparse() ? t.impl()->sparse->elements() : t;
}

// Throws Error (Run) with PyTorch's messages when indices, values and sizes do not fit each other.
Tensor make_sparse(const Tensor& indices, const Tensor& values, IntSpan sizes, bool is_coalesced = false);
// Replaces a tensor's parts, for changes in place.
void set_sparse_parts(const Tensor& t, std::shared_ptr<const SparseParts> parts);
// A tensor of these sizes that has parts and no elements of its own.
Tensor make_with_parts(std::shared_ptr<const SparseParts> parts, IntSpan sizes, ScalarType dtype);

}  // namespace loupe

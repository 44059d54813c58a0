// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tensors of which each rank of a mesh holds a part: torch.distributed.tensor.DTensor. Sizes are those of the whole.

#include "core/tensor/sparse.h"

namespace loupe {

// How the whole lies over the ranks; what a mesh and placements are is the program's.
class ShardSpec {
  public:
    virtual ~ShardSpec() = default;
    virtual bool equals(const ShardSpec& other) const = 0;
    // "device_mesh=DeviceMesh(...), placements=(Shard(dim=0),)", for printing.
    virtual std::string describe() const = 0;
    // Does some dimension of the mesh hold terms of a sum (a maximum, ...) instead of elements?
    virtual bool is_partial() const = 0;
    // Of one number that each rank has computed of its part, to be joined by "sum", "max", "min".
    virtual std::shared_ptr<const ShardSpec> with_partial(std::string_view reduction) const = 0;
};

struct ShardedParts final : SparseParts {
    ShardedParts(Tensor own, std::shared_ptr<const ShardSpec> layout)
        : SparseParts(TensorForm::Sharded), local(std::move(own)), spec(std::move(layout)) {}

    const Tensor local;  // this rank's part, without history
    const std::shared_ptr<const ShardSpec> spec;

    Tensor elements() const override { return local; }
};

inline bool is_sharded(const Tensor& t) { return has_form(t, TensorForm::Sharded); }
// The tensor must be sharded.
inline const ShardedParts& sharded_parts(const Tensor& t) {
    return static_cast<const ShardedParts&>(*t.impl()->sparse);
}

// sizes: of the whole.
Tensor make_sharded(const Tensor& local, std::shared_ptr<const ShardSpec> spec, IntSpan sizes);
// Another part of a whole of the same sizes and layout.
Tensor with_local(const Tensor& t, const Tensor& local);
// This rank's part; another tensor, and an undefined one, itself.
inline Tensor local_or_itself(const Tensor& t) { return is_sharded(t) ? sharded_parts(t).local : t; }

}  // namespace loupe

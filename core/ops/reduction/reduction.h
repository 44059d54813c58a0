// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the records of this family share.

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/gradient_context.h"
#include "core/kernels/promotion.h"
#include "core/ops/reduction/kernels.h"

namespace loupe::reduction {

template <typename... Parts>
void require(bool holds, const Parts&... parts) {
    if (!holds) throw Error(ErrorKind::Run, concat(parts...));
}

// Which dimensions of a tensor are reduced.
class Reduced {
  public:
    // dim: an int or a list; none or an empty list is all of them. Throws Error (Run) for repeated ones.
    Reduced(std::int64_t rank, const IValue& dim);
    std::span<const bool> mask() const { return {mask_.data(), rank_}; }
    bool is_all() const { return all_; }
    Dims sizes(IntSpan input, bool keepdim) const;
    Dims dims() const;
    std::int64_t count(IntSpan input) const;

  private:
    std::array<bool, 64> mask_{};
    std::size_t rank_;
    bool all_ = true;
};

// A number for each kept index back to the input's shape: the reduced dimensions come back as 1, then it is expanded.
Tensor spread(const Tensor& reduced, IntSpan input, const IValue& dim, bool keepdim);
// With the reduced dimensions as 1 only.
Tensor unsqueezed(const Tensor& reduced, std::int64_t rank, const IValue& dim, bool keepdim);

// Runs a reduction of self's elements seen as `as`. Throws Error (Run) for a null kernel.
void run(const Reduction* kernel, const Tensor& self, const IValue& dim, std::span<const Tensor> outputs,
         const double* params = nullptr);

TensorMeta reduced_meta(const Tensor& self, const IValue& dim, bool keepdim, ScalarType dtype);
inline ScalarType dtype_or(const IValue& dtype, ScalarType otherwise) {
    return detail::Unbox<std::optional<ScalarType>>::from(dtype).value_or(otherwise);
}

// Tensors for operators (self, dim, keepdim): whole, one dimension, several, kept.
std::vector<Sample> dim_list_samples(Random& random, ScalarType dtype);
std::vector<Sample> one_dim_samples(Random& random, ScalarType dtype);  // no element is equal to another
std::vector<Sample> whole_samples(Random& random, ScalarType dtype);

}  // namespace loupe::reduction

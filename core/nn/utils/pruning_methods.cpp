// SPDX-License-Identifier: Apache-2.0
// The methods of torch.nn.utils.prune.
#include <cmath>

#include "core/base/strings.h"
#include "core/base/typed_error.h"
#include "core/dispatch/functions.h"
#include "core/nn/utils/prune.h"

namespace loupe::nn {
namespace {

const OperatorHandle<> rand_of("aten::rand");
const OperatorHandle<fn::TwoTensors> kthvalue("aten::kthvalue");

bool is_count(const Scalar& amount) { return amount.is_integral(); }

const Scalar& checked_amount(const Scalar& amount) {
    const double value = amount.to_double();
    if (is_count(amount) ? value < 0 : !(value >= 0 && value <= 1)) {
        fail_with_value(concat("amount=", python_str(IValue(amount)),
                               " should either be a float in the range [0, 1] or a non-negative integer"));
    }
    return amount;
}

// How many of `size`; Python's round().
std::int64_t count_to_prune(const Scalar& amount, std::int64_t size) {
    if (!is_count(amount))
        return static_cast<std::int64_t>(std::nearbyint(amount.to_double() * static_cast<double>(size)));
    if (amount.to_int() > size) {
        fail_with_value(
            concat("amount=", amount.to_int(), " should be smaller than the number of parameters to prune=", size));
    }
    return amount.to_int();
}

Tensor without(const Tensor& mask, const Tensor& places) {
    return fn::view(fn::index_fill(fn::reshape(mask, Dims{-1}), 0, places, Scalar(0)), to_dims(mask.sizes()));
}
// Ones in the slices at `places` of dimension dim, times the mask of before.
Tensor slices_at(const Tensor& t, std::int64_t dim, const Tensor& places, const Tensor& mask) {
    const Tensor ones = fn::index_fill(fn::zeros_like(detach(t)), dim, places, Scalar(1));
    return fn::mul(ones, fn::to_dtype(mask, static_cast<std::int64_t>(ones.dtype())));
}

void check_structured(const Tensor& t, std::int64_t dim) {
    const std::string shape = concat("torch.Size(", shape_list_text(t.sizes()), ")");
    if (t.dim() <= 1) {
        fail_with_value(
            concat("Structured pruning can only be applied to multidimensional tensors. Found tensor of shape ", shape,
                   " with ", t.dim(), " dims"));
    }
    if (dim >= t.dim()) throw TypedError("IndexError", concat("Invalid index ", dim, " for tensor of size ", shape));
}

class IdentityPruning final : public PruningMethod {
  public:
    std::string_view class_name() const override { return "Identity"; }
    Tensor compute_mask(const Tensor&, const Tensor& mask) override { return mask; }
};

class UnstructuredPruning final : public PruningMethod {
  public:
    UnstructuredPruning(const Scalar& amount, bool is_random)
        : amount_(checked_amount(amount)), is_random_(is_random) {}
    std::string_view class_name() const override { return is_random_ ? "RandomUnstructured" : "L1Unstructured"; }
    Tensor compute_mask(const Tensor& t, const Tensor& mask) override {
        const std::int64_t count = count_to_prune(amount_, t.numel());
        if (count == 0) return fn::clone(mask, 0);
        const Tensor size = is_random_ ? fn::rand_like(t) : fn::abs(t);
        return without(mask, std::get<1>(fn::topk(fn::reshape(detach(size), Dims{-1}), count, -1, is_random_, true)));
    }

  private:
    Scalar amount_;
    bool is_random_;
};

class StructuredPruning : public PruningMethod {
  public:
    StructuredPruning(const Scalar& amount, std::int64_t dim) : amount_(checked_amount(amount)), dim_(dim) {}
    Kind kind() const override { return Kind::Structured; }
    std::optional<std::int64_t> dim() const override { return dim_; }
    Tensor compute_mask(const Tensor& t, const Tensor& mask) final {
        check_structured(t, dim_);
        const std::int64_t slices = t.size(dim_), count = count_to_prune(amount_, slices);
        const Tensor kept = kept_slices(detach(t), slices, count);
        return count == 0 ? mask : slices_at(t, dim_, kept, mask);
    }

  protected:
    virtual Tensor kept_slices(const Tensor& t, std::int64_t slices, std::int64_t count) const = 0;
    std::int64_t dim_of(const Tensor& t) const { return dim_ < 0 ? dim_ + t.dim() : dim_; }

  private:
    Scalar amount_;
    std::int64_t dim_;
};

class RandomStructured final : public StructuredPruning {
  public:
    using StructuredPruning::StructuredPruning;
    std::string_view class_name() const override { return "RandomStructured"; }

  protected:
    Tensor kept_slices(const Tensor&, std::int64_t slices, std::int64_t count) const override {
        if (count == 0) return {};
        const Tensor drawn = rand_of(Dims{slices});
        const Tensor threshold = std::get<0>(kthvalue(drawn, count));
        return fn::flatten(fn::nonzero(fn::gt(drawn, threshold)), 0, -1);
    }
};

class LnStructured final : public StructuredPruning {
  public:
    LnStructured(const Scalar& amount, const Scalar& n, std::int64_t dim) : StructuredPruning(amount, dim), n_(n) {}
    std::string_view class_name() const override { return "LnStructured"; }

  protected:
    Tensor kept_slices(const Tensor& t, std::int64_t slices, std::int64_t count) const override {
        Dims others;
        for (std::int64_t d = 0; d < t.dim(); ++d) {
            if (d != dim_of(t)) others.push_back(d);
        }
        return std::get<1>(fn::topk(fn::vector_norm(t, n_, others, false, IValue()), slices - count, -1, true, true));
    }

  private:
    Scalar n_;
};

class MaskPruning final : public PruningMethod {
  public:
    explicit MaskPruning(Tensor mask) : mask_(std::move(mask)) {}
    std::string_view class_name() const override { return "CustomFromMask"; }
    Kind kind() const override { return Kind::Global; }
    Tensor compute_mask(const Tensor&, const Tensor& mask) override {
        if (!std::ranges::equal(mask.sizes(), mask_.sizes())) throw TypedError("AssertionError", "");
        return fn::mul(mask, fn::to_dtype(mask_, static_cast<std::int64_t>(mask.dtype())));
    }

  private:
    Tensor mask_;
};

}  // namespace

PruningMethodPtr identity_pruning() { return make_ptr<IdentityPruning>(); }
PruningMethodPtr random_unstructured(const Scalar& amount) { return make_ptr<UnstructuredPruning>(amount, true); }
PruningMethodPtr l1_unstructured(const Scalar& amount) { return make_ptr<UnstructuredPruning>(amount, false); }
PruningMethodPtr random_structured(const Scalar& amount, std::int64_t dim) {
    return make_ptr<RandomStructured>(amount, dim);
}
PruningMethodPtr ln_structured(const Scalar& amount, const Scalar& n, std::int64_t dim) {
    return make_ptr<LnStructured>(amount, n, dim);
}
PruningMethodPtr custom_from_mask(const Tensor& mask) { return make_ptr<MaskPruning>(mask); }

}  // namespace loupe::nn

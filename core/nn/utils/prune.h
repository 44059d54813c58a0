// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pruning: parameters under masks that a hook applies before every forward; torch.nn.utils.prune.
//
//     apply_pruning(*linear, "weight", l1_unstructured(0.3));  // weight_orig, weight_mask, weight = orig * mask
//     remove_pruning(*linear, "weight");                        // makes it permanent

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/nn/module.h"

namespace loupe::nn {

// Computes a mask. The classes of torch.nn.utils.prune, and classes of a model source derived from BasePruningMethod.
class PruningMethod : public RefCounted {
  public:
    enum class Kind { Unstructured, Structured, Global };

    virtual std::string_view class_name() const = 0;
    virtual Kind kind() const { return Kind::Unstructured; }
    // Of a structured method: the dimension whose slices it takes whole.
    virtual std::optional<std::int64_t> dim() const { return std::nullopt; }
    // scores, default_mask: of the tensor's shape, or [n] for its unpruned elements; returns zeros where it is pruned.
    virtual Tensor compute_mask(const Tensor& scores, const Tensor& default_mask) = 0;

    // t times its mask, without a module.
    Tensor prune(const Tensor& t, const Tensor& default_mask = {}, const Tensor& scores = {});
    // name_mask times name_orig of a module that is pruned.
    Tensor apply_mask(const Module& module) const;

    // The tensor of the module that it prunes; empty until it is applied.
    std::string tensor_name;
};
using PruningMethodPtr = Ptr<PruningMethod>;

// Several in sequence, each pruning the elements that are left.
class PruningContainer final : public PruningMethod {
  public:
    std::string_view class_name() const override { return "PruningContainer"; }
    // Throws TypedError (ValueError) for one of another tensor.
    void add(PruningMethodPtr method);
    const std::vector<PruningMethodPtr>& methods() const { return methods_; }
    // The last one's mask within the existing mask.
    Tensor compute_mask(const Tensor& scores, const Tensor& default_mask) override;

  private:
    std::vector<PruningMethodPtr> methods_;
};

// amount: a share from 0 to 1, or how many. Throw TypedError with PyTorch's messages for others.
PruningMethodPtr identity_pruning();
PruningMethodPtr random_unstructured(const Scalar& amount);
PruningMethodPtr l1_unstructured(const Scalar& amount);
PruningMethodPtr random_structured(const Scalar& amount, std::int64_t dim = -1);
PruningMethodPtr ln_structured(const Scalar& amount, const Scalar& n, std::int64_t dim = -1);
PruningMethodPtr custom_from_mask(const Tensor& mask);

// Prunes a parameter, further when it is pruned already. scores: used instead of the elements. Returns the method that
// is applied from now on: the given one, or the container that holds it.
PruningMethodPtr apply_pruning(Module& module, const std::string& name, const PruningMethodPtr& method,
                               const Tensor& scores = {});
// Makes pruning permanent. Throws TypedError (ValueError) when the parameter is not pruned.
void remove_pruning(Module& module, const std::string& name);
// Is any parameter of the tree pruned?
bool is_pruned(Module& module);
// The method that prunes a parameter of the module; null when there is none.
PruningMethodPtr pruning_of(Module& module, std::string_view name);
// The method behind a hook that prunes; null for other hooks.
PruningMethodPtr pruning_method_of(const ForwardPreHookWithKeywords& hook);
// The pruned tensors of a module with their methods' classes, for display.
std::vector<std::pair<std::string, std::string>> prunings_of(Module& module);

// One unstructured method over all these parameters together. scores: one for each place, undefined: its elements.
void global_unstructured(const std::vector<std::pair<ModulePtr, std::string>>& parameters,
                         const PruningMethodPtr& method, const TensorList& scores = {});

}  // namespace loupe::nn

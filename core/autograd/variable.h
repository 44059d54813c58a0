// SPDX-License-Identifier: Apache-2.0
#pragma once
// The autograd side of a tensor: torch.Tensor's requires_grad, grad, grad_fn, is_leaf, retain_grad, register_hook,
// detach; and the metadata of views.

#include <functional>
#include <optional>

#include "core/autograd/node.h"
#include "core/base/scoped_value.h"
#include "core/tensor/tensor.h"

namespace loupe {

// How to recompute a view from a changed base.
struct ViewInfo {
    Tensor base;
    bool is_multi_output = false;  // of split, unbind, chunk: in-place writes are refused, as in PyTorch
    bool made_without_grad = false;
    std::uint32_t seen_version = 0;  // the version at which grad_fn was made
};

struct AutogradMeta final : AutogradData {
    ~AutogradMeta() override {
        if (retained) *retained = nullptr;
    }

    bool requires_grad = false;  // of a leaf; a non-leaf has a grad_fn
    bool is_parameter = false;   // torch.nn.Parameter: assigned to an attribute of a module, it is registered
    RetainedTensor retained;     // of a non-leaf with retain_grad
    std::uint32_t output = 0;    // which output of grad_fn this tensor is
    Tensor grad;
    Ptr<Node> grad_fn;
    Node* accumulator = nullptr;  // the leaf's AccumulateGrad, not owned
    std::optional<ViewInfo> view;
    HookList<Tensor(const Tensor&)> leaf_hooks;
    HookList<void(const Tensor&)> accumulated_hooks;  // after the leaf's grad has been added to
};

AutogradMeta* autograd_meta(const Tensor& t);  // null when it has none
AutogradMeta& ensure_autograd_meta(const Tensor& t);

bool requires_grad(const Tensor& t);
// Throws Error (Run) for an integral dtype, or false on a non-leaf, with PyTorch's messages.
void set_requires_grad(const Tensor& t, bool value);
bool is_leaf(const Tensor& t);
Tensor grad_of(const Tensor& t);  // undefined when there is none
void set_grad(const Tensor& t, const Tensor& grad);
// Null for leaves. Rebuilt first for a view whose base was changed in place.
Ptr<Node> grad_fn(const Tensor& t);
// Where gradients for t go: its grad_fn, or the accumulator of a leaf that requires grad; empty otherwise.
Edge gradient_edge(const Tensor& t);
void retain_grad(const Tensor& t);
// hook: gets the gradient, returns a replacement or an undefined tensor.
RemovableHandle register_hook(const Tensor& t, std::function<Tensor(const Tensor&)> hook);
// hook: gets the leaf after its grad has been added to; torch's register_post_accumulate_grad_hook. Throws Error (Run)
// for tensors that do not require grad and for non-leaves.
RemovableHandle register_post_accumulate_grad_hook(const Tensor& t, std::function<void(const Tensor&)> hook);
// Shares elements and version; no history.
Tensor detach(const Tensor& t);
// torch.nn.Parameter(data, requires_grad): shares the elements. Throws Error (Run) for an integral dtype
// that shall require grad.
Tensor make_parameter(const Tensor& data, bool requires_grad = true);
bool is_parameter(const Tensor& t);

// Makes t output `output` of node. For tensors that an operator has just made.
void set_history(const Tensor& t, const Ptr<Node>& node);
// After an operator has written t in place: node becomes its grad_fn, and that of the base of a differentiable view.
// Throws Error (Run) with PyTorch's messages for leaves that require grad.
void rebase_history(const Tensor& t, const Ptr<Node>& node);
// The checks before the write.
void check_inplace(const Tensor& t, bool will_record);
// Declares result a view of base (or of base's base).
void set_view(const Tensor& result, const Tensor& base, bool is_multi_output);

// What a pack hook returned for a saved tensor.
class PackedTensor : public RefCounted {
  public:
    virtual Tensor unpack() = 0;
};
using PackHook = std::function<Ptr<PackedTensor>(const Tensor&)>;

// In this scope tensors that this thread's operators save go through the hook, the innermost only;
// torch.autograd.graph.saved_tensors_hooks.
class SavedTensorHooks {
  public:
    explicit SavedTensorHooks(PackHook pack);
    SavedTensorHooks(const SavedTensorHooks&) = delete;
    SavedTensorHooks& operator=(const SavedTensorHooks&) = delete;
    ~SavedTensorHooks();

  private:
    friend class SavedTensor;
    PackHook pack_;
    SavedTensorHooks* before_;
};

// In this scope SavedTensorHooks of this thread throw Error (Run) with the message, as does this inside of one;
// torch.autograd.graph.disable_saved_tensors_hooks.
class SavedTensorHooksDisabled final : ScopedValue<std::optional<std::string>> {
  public:
    explicit SavedTensorHooksDisabled(std::string message);
};

// A tensor saved for backward. No reference cycle for the node's own outputs; unpack checks the version.
class SavedTensor {
  public:
    SavedTensor() = default;
    SavedTensor(const Tensor& t, bool is_output);
    // owner: the node that saved it. Throws Error (Run) "one of the variables needed for gradient computation has been
    // modified by an inplace operation: ..." when it was.
    Tensor unpack(const Ptr<Node>& owner) const;
    // To inspect: without the version check and history; undefined when a pack hook took it.
    const Tensor& peek() const { return data_; }
    bool defined() const { return data_.defined() || packed_ != nullptr; }
    void reset() {
        data_ = Tensor();
        packed_ = nullptr;
    }

  private:
    // With a pack hook: its result, and where gradients of the tensor go.
    struct Packed final : RefCounted {
        Ptr<PackedTensor> tensor;
        Edge edge;
    };
    void pack(const Tensor& t, const SavedTensorHooks& hooks);
    Tensor unpack_packed(const Ptr<Node>& owner) const;

    Tensor data_;
    Ptr<Packed> packed_;
    std::uint32_t version_ = 0;
    std::uint32_t output_ = 0;
    bool is_output_ = false;
    bool requires_grad_ = false;
};

}  // namespace loupe

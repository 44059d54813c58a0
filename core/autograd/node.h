// SPDX-License-Identifier: Apache-2.0
#pragma once
// The autograd graph: one node per recorded operator, edges to the nodes of its inputs.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/tensor/tensor.h"

namespace loupe {

class Node;

// Where a gradient flows: to input `input` of `node` (which is output `input` of the forward operator).
struct Edge {
    Ptr<Node> node;
    std::uint32_t input = 0;
    explicit operator bool() const { return node != nullptr; }
};

// Weak reference of a node to a tensor that retains its gradient: null once the tensor is freed.
using RetainedTensor = std::shared_ptr<TensorImpl*>;

// Metadata that the gradient of one forward output must match.
struct GradientShape {
    Dims sizes;
    ScalarType dtype = ScalarType::Float32;
    Device device;
    bool defined = false;
};

// Handle that removes a hook; removing it again does nothing. Copies are handles of the same hook.
class RemovableHandle {
  public:
    RemovableHandle() = default;
    explicit RemovableHandle(std::function<void()> remove)
        : remove_(std::make_shared<std::function<void()>>(std::move(remove))) {}
    void remove() {
        if (remove_ && *remove_) {
            auto action = std::move(*remove_);
            *remove_ = nullptr;
            action();
        }
    }

  private:
    std::shared_ptr<std::function<void()>> remove_;
};

// Hooks in the order in which they were added; removing one keeps the others' order.
template <typename Signature>
class HookList {
  public:
    using Hook = std::function<Signature>;
    struct Entry {
        std::uint64_t id;
        Hook hook;
    };

    // Snapshot of the entries: hooks may add and remove hooks while they run. Costs one reference count.
    class Snapshot {
      public:
        Snapshot() = default;
        explicit Snapshot(std::shared_ptr<const std::vector<Entry>> entries) : entries_(std::move(entries)) {}
        const Entry* begin() const { return entries_ ? entries_->data() : nullptr; }
        const Entry* end() const { return entries_ ? entries_->data() + entries_->size() : nullptr; }
        bool empty() const { return begin() == end(); }
        std::size_t size() const { return entries_ ? entries_->size() : 0; }
        const Entry& operator[](std::size_t i) const { return (*entries_)[i]; }
        // Appends the entries of another list.
        Snapshot joined(const Snapshot& other) const {
            if (other.empty()) return *this;
            if (empty()) return other;
            auto all = std::make_shared<std::vector<Entry>>(begin(), end());
            all->insert(all->end(), other.begin(), other.end());
            return Snapshot(std::move(all));
        }

      private:
        std::shared_ptr<const std::vector<Entry>> entries_;
    };

    bool empty() const { return !shared_ || !shared_->entries || shared_->entries->empty(); }
    std::size_t size() const { return empty() ? 0 : shared_->entries->size(); }
    RemovableHandle add(Hook hook, bool prepend = false) {
        if (!shared_) shared_ = std::make_shared<Shared>();
        const std::uint64_t id = next_id_++;
        shared_->change([&](std::vector<Entry>& entries) {
            entries.insert(prepend ? entries.begin() : entries.end(), Entry{id, std::move(hook)});
        });
        return RemovableHandle([shared = std::weak_ptr(shared_), id] {
            if (auto list = shared.lock()) {
                list->change([id](std::vector<Entry>& entries) {
                    std::erase_if(entries, [id](const Entry& e) { return e.id == id; });
                });
            }
        });
    }
    // Removes the hooks for which is_gone(hook) holds.
    template <typename IsGone>
    void remove_if(IsGone&& is_gone) {
        if (shared_)
            shared_->change([&](std::vector<Entry>& entries) {
                std::erase_if(entries, [&](const Entry& e) { return is_gone(e.hook); });
            });
    }
    Snapshot snapshot() const { return shared_ ? Snapshot(shared_->entries) : Snapshot(); }

  private:
    // Lists are immutable: a change makes a new one.
    struct Shared {
        std::shared_ptr<const std::vector<Entry>> entries;
        template <typename Change>
        void change(Change&& change_entries) {
            auto changed =
                entries ? std::make_shared<std::vector<Entry>>(*entries) : std::make_shared<std::vector<Entry>>();
            change_entries(*changed);
            entries = std::move(changed);
        }
    };

    std::shared_ptr<Shared> shared_;
    std::uint64_t next_id_ = 1;
};

class Node : public RefCounted {
  public:
    Node();
    ~Node() override;

    // As PyTorch's grad_fn prints it, without brackets: "AddmmBackward0".
    virtual std::string name() const = 0;
    // grads: one per forward output, undefined where none arrived. Returns one per next edge; undefined means none.
    virtual TensorList apply(TensorList grads) = 0;
    // Frees saved tensors; a second apply then throws Error (Run) with PyTorch's message.
    virtual void release_saved() {}

    const std::vector<Edge>& next_edges() const { return next_edges_; }
    void set_next_edges(std::vector<Edge> edges) { next_edges_ = std::move(edges); }
    const Edge& next_edge(std::size_t i) const { return next_edges_[i]; }
    // True when the gradient of forward input i (in edge order) is needed.
    bool should_compute(std::size_t i) const { return i < next_edges_.size() && next_edges_[i].node != nullptr; }

    // Declares one more forward output; returns its index.
    std::uint32_t add_output(const Tensor& output);
    const std::vector<GradientShape>& outputs() const { return outputs_; }

    // Later nodes have greater numbers; the engine runs greater ones first. Leaves' accumulators come first of all.
    std::uint64_t sequence() const { return sequence_; }
    // The event of the recording that made the node; 0 without a recording.
    std::uint64_t forward_event() const { return forward_event_; }
    // Bytes of the tensors that this node keeps for backward, for the memory view.
    virtual std::size_t saved_bytes() const { return 0; }
    // Do its gradients go to the device of the tensor that they belong to, wherever they were made? Those that a
    // program gives must be there.
    virtual bool follows_device() const { return false; }

    // Called with the gradient of output `output` before apply; may return a replacement (else undefined).
    RemovableHandle add_tensor_hook(std::uint32_t output, std::function<Tensor(const Tensor&)> hook);
    // Called with all incoming gradients before apply; may change them.
    HookList<void(TensorList& grads)> pre_hooks;
    // Called after apply with the outgoing and incoming gradients; may change the outgoing.
    HookList<void(TensorList& grad_inputs, const TensorList& grad_outputs)> post_hooks;

    // Runs tensor hooks and pre hooks, in that order, on the incoming gradients.
    void run_pre_hooks(TensorList& grads);
    void set_retain_grad(std::uint32_t output, RetainedTensor tensor);

  protected:
    static constexpr std::uint64_t kFirst = ~std::uint64_t{0};  // the sequence of accumulators
    explicit Node(std::uint64_t sequence);

  private:
    struct TensorHooks {
        std::uint32_t output;
        HookList<Tensor(const Tensor&)> hooks;
    };

    std::vector<Edge> next_edges_;
    std::vector<GradientShape> outputs_;
    std::vector<TensorHooks> tensor_hooks_;
    std::vector<std::pair<std::uint32_t, RetainedTensor>> retained_;
    std::uint64_t sequence_;
    std::uint64_t forward_event_;
};

}  // namespace loupe

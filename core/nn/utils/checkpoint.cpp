// SPDX-License-Identifier: Apache-2.0
#include "core/nn/utils/checkpoint.h"

#include <algorithm>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/whole_backward.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/autocast.h"
#include "core/dispatch/functions.h"
#include "core/ops/numbers/warnings.h"
#include "core/ops/random/generator.h"

namespace loupe::nn {
namespace {

[[noreturn]] void run_error(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

// State that the second run must have in common with the first.
class Surroundings {
  public:
    explicit Surroundings(bool with_random) : autocast_(autocast_settings()) {
        if (with_random) random_ = random_state();
    }

    // run() in this state and with gradients; the current state is restored afterwards.
    template <typename Run>
    auto restored(Run&& run) const {
        struct Restore {
            std::optional<RandomState> random;
            ~Restore() {
                if (random) set_random_state(*random);
            }
        } restore;
        if (random_) {
            restore.random = random_state();
            set_random_state(*random_);
        }
        const AutocastScope autocast(autocast_);
        const GradModeScope grad(true);
        return run();
    }

  private:
    AutocastSettings autocast_;
    std::optional<RandomState> random_;
};

// Arguments whose tensors are saved like those of operators.
class KeptArguments {
  public:
    explicit KeptArguments(const CallArguments& arguments) : others_(arguments) {
        each(others_, [&](IValue& value) {
            if (!value.is_tensor()) return;
            tensors_.emplace_back(value.to_tensor(), false);
            value = IValue();
            is_tensor_.push_back(position_);
        });
    }
    CallArguments unpacked() {
        CallArguments out = others_;
        std::size_t next = 0;
        each(out, [&](IValue& value) {
            if (next < is_tensor_.size() && is_tensor_[next] == position_) value = tensors_[next++].unpack(nullptr);
        });
        return out;
    }

  private:
    template <typename Visit>
    void each(CallArguments& arguments, Visit&& visit) {
        position_ = 0;
        for (IValue& value : arguments.positional) visit(value), ++position_;
        for (auto& [name, value] : arguments.keywords) visit(value), ++position_;
    }

    CallArguments others_;
    std::vector<SavedTensor> tensors_;
    std::vector<std::size_t> is_tensor_;
    std::size_t position_ = 0;
};

// ---- without reentering

class Holder;

// One call of checkpoint(): data to run the function again, and the slots of its saved tensors, in order.
class Frame final : public RefCounted {
  public:
    Frame(CheckpointedFunction function, const CallArguments& arguments, bool with_random)
        : function_(std::move(function)), arguments_(arguments), surroundings_(with_random) {}

    Ptr<PackedTensor> add_holder();
    void forget(std::size_t place) { holders_[place] = nullptr; }
    void run_again();

  private:
    CheckpointedFunction function_;
    KeptArguments arguments_;
    Surroundings surroundings_;
    std::vector<Holder*> holders_;  // null: no longer needed
};

class Holder final : public PackedTensor {
  public:
    Holder(Ptr<Frame> frame, std::size_t place) : frame_(std::move(frame)), place_(place) {}
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;
    ~Holder() override { frame_->forget(place_); }
    Tensor unpack() override {
        if (!value_.defined()) frame_->run_again();
        return value_;
    }
    void put(const Tensor& value) { value_ = detach(value); }

  private:
    Ptr<Frame> frame_;
    std::size_t place_;
    Tensor value_;
};

// The second run's own graph is not for backward.
class Unreachable final : public PackedTensor {
  public:
    Tensor unpack() override {
        run_error("You are calling backwards on a tensor that is never exposed. Please open an issue.");
    }
};

Ptr<PackedTensor> Frame::add_holder() {
    const auto holder = make_ptr<Holder>(Ptr<Frame>(this), holders_.size());
    holders_.push_back(holder.get());
    return holder;
}

void Frame::run_again() {
    std::size_t saved = 0;
    const SavedTensorHooks hooks([&](const Tensor& t) -> Ptr<PackedTensor> {
        if (saved < holders_.size() && holders_[saved] != nullptr) holders_[saved]->put(t);
        ++saved;
        return make_ptr<Unreachable>();
    });
    CallArguments arguments = arguments_.unpacked();
    surroundings_.restored([&] { return function_(std::move(arguments)); });
    if (saved != holders_.size()) {
        run_error(
            concat("torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
                   "recomputation.\n"
                   "Number of tensors saved during forward: ",
                   holders_.size(), "\nNumber of tensors saved during recomputation: ", saved));
    }
}

IValue run_without_reentering(CheckpointedFunction function, CallArguments arguments,
                              const CheckpointOptions& options) {
    if (!GradMode::is_enabled()) return function(std::move(arguments));
    const auto frame = make_ptr<Frame>(function, arguments, options.preserve_rng_state);
    const SavedTensorHooks hooks([frame](const Tensor&) { return frame->add_holder(); });
    return function(std::move(arguments));
}

// ---- reentering

// Each tensor of a result: itself, or the elements of a tuple or list.
template <typename Visit>
void each_output(IValue& output, Visit&& visit) {
    if (output.is_tensor()) {
        visit(output);
    } else if (output.is_tuple()) {
        auto elements = output.to_tuple().elements;
        for (IValue& element : elements) {
            if (element.is_tensor()) visit(element);
        }
        output = make_ptr<TupleObject>(std::move(elements));
    }
}

class CheckpointNode final : public Node {
  public:
    CheckpointNode(CheckpointedFunction function, const CallArguments& arguments, bool with_random)
        : function_(std::move(function)), arguments_(arguments), surroundings_(with_random) {
        std::vector<Edge> edges;
        for (const IValue& value : arguments.positional)
            edges.push_back(value.is_tensor() ? gradient_edge(value.to_tensor()) : Edge{});
        set_next_edges(std::move(edges));
    }
    std::string name() const override { return "CheckpointFunctionBackward"; }

    TensorList apply(TensorList grads) override {
        if (!is_whole_backward()) {
            run_error(
                "Checkpointing is not compatible with .grad() or when an `inputs` parameter is passed to .backward(). "
                "Please use "
                ".backward() and do not pass its `inputs` argument.");
        }
        CallArguments inputs = arguments_.unpacked();
        for (IValue& value : inputs.positional) {
            if (!value.is_tensor()) continue;
            const bool wanted = requires_grad(value.to_tensor());
            const Tensor alone = detach(value.to_tensor());
            if (wanted) set_requires_grad(alone, true);
            value = alone;
        }
        IValue output = surroundings_.restored([&] { return function_(inputs); });
        TensorList roots, gradients;
        std::size_t index = 0;
        each_output(output, [&](const IValue& value) {
            const Tensor t = value.to_tensor();
            if (requires_grad(t)) {
                roots.push_back(t);
                gradients.push_back(index < grads.size() && grads[index].defined() ? grads[index]
                                                                                   : fn::zeros_like(detach(t)));
            }
            ++index;
        });
        if (roots.empty()) run_error("none of output has requires_grad=True, this checkpoint() is not necessary");
        backward(roots, gradients);
        TensorList out;
        for (const IValue& value : inputs.positional)
            out.push_back(value.is_tensor() ? grad_of(value.to_tensor()) : Tensor());
        return out;
    }

  private:
    CheckpointedFunction function_;
    KeptArguments arguments_;
    Surroundings surroundings_;
};

IValue run_reentering(CheckpointedFunction function, CallArguments arguments, const CheckpointOptions& options) {
    const bool any = std::ranges::any_of(arguments.positional,
                                         [](const IValue& v) { return v.is_tensor() && requires_grad(v.to_tensor()); });
    if (!any) warn("None of the inputs have requires_grad=True. Gradients will be None");
    const bool records = any && GradMode::is_enabled();
    Ptr<CheckpointNode> node;
    if (records) node = make_ptr<CheckpointNode>(function, arguments, options.preserve_rng_state);
    IValue output;
    {
        const GradModeScope no_grad(false);
        output = function(std::move(arguments));
    }
    if (!records) return output;
    each_output(output, [&](IValue& value) {
        const Tensor t = value.to_tensor().shallow_copy();
        if (is_differentiable(t.dtype()))
            set_history(t, node);
        else
            node->add_output({});
        value = t;
    });
    return output;
}

class OnCpu final : public PackedTensor {
  public:
    explicit OnCpu(const Tensor& t) : device_(t.device()), kept_(moved(t, Device{})) {}
    Tensor unpack() override { return moved(kept_, device_); }

  private:
    static Tensor moved(const Tensor& t, Device device) {
        if (t.device() == device) return detach(t);
        return fn::to_copy(t, IValue(), IValue(), device, IValue(), false, IValue());
    }
    Device device_;
    Tensor kept_;
};

}  // namespace

IValue checkpoint(CheckpointedFunction function, CallArguments arguments, const CheckpointOptions& options) {
    return options.use_reentrant ? run_reentering(std::move(function), std::move(arguments), options)
                                 : run_without_reentering(std::move(function), std::move(arguments), options);
}

IValue checkpoint_sequential(const std::vector<CheckpointedFunction>& functions, std::int64_t segments,
                             const IValue& input, const CheckpointOptions& options) {
    const auto run = [&functions](std::size_t first, std::size_t last) {
        return [part = std::vector(functions.begin() + static_cast<std::ptrdiff_t>(first),
                                   functions.begin() + static_cast<std::ptrdiff_t>(last))](CallArguments arguments) {
            IValue value = std::move(arguments.positional.at(0));
            for (const CheckpointedFunction& function : part) value = function({{std::move(value)}, {}});
            return value;
        };
    };
    if (segments < 1) run_error("integer division or modulo by zero");
    const std::size_t size = functions.size() / static_cast<std::size_t>(segments);
    IValue value = input;
    std::size_t at = 0;
    for (std::int64_t i = 0; size > 0 && i + 1 < segments; ++i, at += size)
        value = checkpoint(run(at, at + size), {{value}, {}}, options);
    return run(at, functions.size())({{value}, {}});
}

PackHook save_on_cpu() {
    return [](const Tensor& t) -> Ptr<PackedTensor> { return make_ptr<OnCpu>(t); };
}

}  // namespace loupe::nn

// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/graphs/graphed_call.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/autograd/accumulate_grad.h"
#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/autograd/variable.h"
#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/interceptor.h"
#include "core/kernels/elementwise.h"
#include "core/tensor/device_interface.h"
#include "core/value/map_tensors.h"

namespace loupe::runtime {
namespace {

// Before it is captured: libraries choose, programs settle.
constexpr int kWarmUps = 3;
constexpr std::size_t kMostKinds = 8;

Tensor copy_of(const Tensor& t) {
    Tensor copy = empty_strided(t.sizes(), t.strides(), t.dtype(), t.device());
    copy_into(copy, t);
    return copy;
}

TensorList tensors_of(const std::vector<IValue>& values) {
    TensorList all;
    for (const IValue& value : values) {
        visit_tensors(value, [&](const Tensor& t) {
            if (t.defined()) all.push_back(t);
        });
    }
    return all;
}

// Tensors, numbers, texts, and lists, tuples and dicts of them: what can be copied, and told from others.
bool is_plain(const IValue& value) {
    if (value.is_list()) return std::ranges::all_of(value.to_list().elements, is_plain);
    if (value.is_tuple()) return std::ranges::all_of(value.to_tuple().elements, is_plain);
    if (value.is_dict())
        return std::ranges::all_of(value.to_dict().entries(),
                                   [](const auto& entry) { return is_plain(entry.first) && is_plain(entry.second); });
    return !value.is_other() && !value.is_object();
}

void describe_to(std::string& text, const IValue& value) {
    const auto describe_all = [&](const std::vector<IValue>& all) {
        text += '(';
        for (const IValue& each : all) describe_to(text, each);
        text += ')';
    };
    if (value.is_tensor()) {
        const Tensor& t = value.to_tensor();
        text += describe(t);
        if (!t.defined()) return;
        for (const std::int64_t stride : t.strides()) text += concat(" ", stride);
        text += requires_grad(t) ? " leaf;" : ";";
    } else if (value.is_list()) {
        describe_all(value.to_list().elements);
    } else if (value.is_tuple()) {
        describe_all(value.to_tuple().elements);
    } else if (value.is_dict()) {
        for (const auto& [key, each] : value.to_dict().entries()) {
            text += python_repr(key) + ":";
            describe_to(text, each);
        }
    } else {
        text += python_repr(value) + ";";
    }
}

// What a capture is good for: the same again, but for elements of tensors.
std::string kind_of(const std::vector<IValue>& arguments, const TensorList& parameters) {
    const DeviceMathSettings math = device_math();
    std::string kind = concat(GradMode::is_enabled() ? "grad" : "no grad", math.products_in_tf32 ? " tf32" : "",
                              math.convolutions_in_tf32 ? " convolutions" : "", "|");
    for (const IValue& argument : arguments) {
        describe_to(kind, argument);
        kind += '|';
    }
    for (const Tensor& parameter : parameters)
        kind +=
            concat(reinterpret_cast<std::uintptr_t>(parameter.address()), requires_grad(parameter) ? " leaf;" : ";");
    return kind;
}

}  // namespace

struct GraphedCall::Captured {
    int runs = 0;
    std::string why_not;
    CapturedGraph forward, backward;
    TensorList inputs;                 // where the captured work reads the arguments' tensors
    IValue result;                     // where it writes
    std::vector<std::size_t> roots;    // places of the result's tensors that gradients come from
    TensorList cotangents, gradients;  // of these; of what requires them: inputs, then parameters
    std::uint64_t replays = 0;         // of forward
    std::weak_ptr<bool> awaited;       // set while a backward may come

    void capture(const Call& call, const std::vector<IValue>& arguments, const TensorList& parameters);
    void load(const TensorList& tensors) const;

  private:
    void capture_forward(const Call& call, const std::vector<IValue>& arguments, Device device);
    void capture_backward(const TensorList& parameters, Device device);
};

namespace {

// begin .. end, and the end also of what failed in between.
template <typename Work>
void capture_into(CapturedGraph& graph, Device device, std::optional<MemoryPoolId> pool, Work&& work) {
    graph.begin(device, pool, CaptureMode::ThreadLocal);
    try {
        work();
    } catch (...) {
        graph.reset();
        throw;
    }
    graph.end();
}

// Gradients that would flow elsewhere have no place in the captured backward.
void require_leaves_among(const TensorList& from, const TensorList& leaves) {
    std::vector<const Node*> open;
    std::set<const Node*> seen;
    const auto visit = [&](const Edge& edge) {
        if (edge && seen.insert(edge.node.get()).second) open.push_back(edge.node.get());
    };
    for (const Tensor& t : from) visit(gradient_edge(t));
    while (!open.empty()) {
        const Node& node = *open.back();
        open.pop_back();
        if (const auto* const sink = dynamic_cast<const AccumulateGrad*>(&node)) {
            if (std::ranges::none_of(leaves, [&](const Tensor& t) { return t.is_same(sink->variable()); }))
                throw Error(ErrorKind::Run, "gradients flow to a tensor that is no argument and no parameter");
        }
        for (const Edge& edge : node.next_edges()) visit(edge);
    }
}

class ReplayBackward final : public Node {
  public:
    ReplayBackward(std::shared_ptr<GraphedCall::Captured> captured, std::shared_ptr<bool> awaited)
        : captured_(std::move(captured)), replay_(captured_->replays), awaited_(std::move(awaited)) {}

    std::string name() const override { return "GraphReplayBackward0"; }
    TensorList apply(TensorList grads) override {
        if (replay_ != captured_->replays)
            throw Error(ErrorKind::Run,
                        "the captured forward has been replayed since: what this backward needs of it is overwritten");
        for (std::size_t i = 0; i < captured_->cotangents.size(); ++i) {
            if (grads[i].defined())
                copy_into(captured_->cotangents[i], grads[i]);
            else
                fill_with(captured_->cotangents[i], 0);
        }
        captured_->backward.replay();
        TensorList out;
        for (const Tensor& t : captured_->gradients) out.push_back(t.defined() ? copy_of(t) : t);
        return out;
    }
    void release_saved() override { awaited_ = nullptr; }

  private:
    std::shared_ptr<GraphedCall::Captured> captured_;
    std::uint64_t replay_;
    std::shared_ptr<bool> awaited_;
};

}  // namespace

void GraphedCall::Captured::load(const TensorList& tensors) const {
    const GradModeScope no_grad(false);
    for (std::size_t i = 0; i < inputs.size(); ++i) copy_into(inputs[i], tensors[i]);
}

void GraphedCall::Captured::capture(const Call& call, const std::vector<IValue>& arguments,
                                    const TensorList& parameters) {
    const Device device = tensors_of(arguments).front().device();
    DeviceInterface& devices = *device_interface(device.type);
    devices.synchronize(device);
    const StreamScope scope(devices, device, devices.make_stream(device, 0));
    capture_forward(call, arguments, device);
    capture_backward(parameters, device);
    devices.synchronize(device);
}

void GraphedCall::Captured::capture_forward(const Call& call, const std::vector<IValue>& arguments, Device device) {
    std::vector<IValue> own;
    for (const IValue& argument : arguments) {
        own.push_back(copy_with_tensors(argument, [&](const Tensor& t) {
            Tensor copy;
            {
                const GradModeScope no_grad(false);
                copy = copy_of(t);
            }
            if (requires_grad(t)) set_requires_grad(copy, true);
            inputs.push_back(copy);
            return copy;
        }));
    }
    capture_into(forward, device, std::nullopt, [&] { result = call(std::move(own)); });
    if (!is_plain(result)) throw Error(ErrorKind::Run, "a result is an object, in which tensors may be");
}

void GraphedCall::Captured::capture_backward(const TensorList& parameters, Device device) {
    TensorList from, leaves;
    std::size_t place = 0;
    visit_tensors(result, [&](const Tensor& t) {
        if (!t.defined()) return;
        if (requires_grad(t)) {
            from.push_back(t);
            roots.push_back(place);
        }
        ++place;
    });
    if (!from.empty()) {
        for (const TensorList* const each : {&std::as_const(inputs), &parameters}) {
            for (const Tensor& t : *each) {
                if (requires_grad(t)) leaves.push_back(t);
            }
        }
        require_leaves_among(from, leaves);
        for (const Tensor& t : from) cotangents.push_back(empty_strided(t.sizes(), t.strides(), t.dtype(), t.device()));
        capture_into(backward, device, forward.pool(),
                     [&] { gradients = gradients_of(from, leaves, cotangents, {}, true); });
    }
    // The captured work alone knows what it keeps from forward to backward.
    result = copy_with_tensors(result, [](const Tensor& t) { return detach(t); });
}

namespace {

// By a debugger, a recording, a trace, or who asks for shapes alone.
bool is_looked_at() {
    const loupe::detail::Watchers& watchers = loupe::detail::thread_watchers;
    return watchers.observer != nullptr || watchers.tracer != nullptr || loupe::detail::thread_interceptor != nullptr;
}

}  // namespace

GraphedCall::GraphedCall(Call call, TensorList parameters)
    : call_(std::move(call)), parameters_(std::move(parameters)) {}
GraphedCall::~GraphedCall() = default;

std::string GraphedCall::note() const {
    if (!is_captured()) return concat("not captured: ", why_not_.empty() ? "it has run too few times" : why_not_);
    std::string text = concat("captured as a graph of ", counted(nodes_, "node", "nodes"));
    if (backward_nodes_ > 0) text += concat(", backward of ", backward_nodes_);
    return text;
}

std::string GraphedCall::why_not_capturable(const std::vector<IValue>& arguments) const {
    const TensorList tensors = tensors_of(arguments);
    if (!std::ranges::all_of(arguments, is_plain)) return "an input is an object, in which tensors may be";
    if (tensors.empty()) return "no tensor is among the inputs";
    const Device device = tensors.front().device();
    for (const Tensor& t : tensors) {
        if (t.device().is_cpu()) return "inputs are on the CPU";
        if (!(t.device() == device)) return "inputs are on several devices";
        if (t.is_sparse()) return "an input is sparse";
    }
    if (loupe::is_capturing(device)) return "it is a part of another capture";
    if (device_interface(device.type)->graphs() == nullptr) return concat(device_name(device), " captures no work");
    return {};
}

IValue GraphedCall::run_plain(std::vector<IValue> arguments, std::string why) {
    nodes_ = backward_nodes_ = 0;
    why_not_ = std::move(why);
    return call_(std::move(arguments));
}

IValue GraphedCall::operator()(std::vector<IValue> arguments) {
    if (is_looked_at()) return call_(std::move(arguments));
    if (std::string why = why_not_capturable(arguments); !why.empty())
        return run_plain(std::move(arguments), std::move(why));
    const std::string kind = kind_of(arguments, parameters_);
    auto found = std::ranges::find_if(known_, [&](const auto& each) { return each.first == kind; });
    if (found == known_.end()) {
        if (known_.size() >= kMostKinds) known_.erase(known_.begin());
        found = known_.insert(known_.end(), {kind, std::make_shared<Captured>()});
    }
    std::shared_ptr<Captured> captured = found->second;
    if (!captured->why_not.empty()) return run_plain(std::move(arguments), captured->why_not);
    if (captured->runs++ < kWarmUps) return run_plain(std::move(arguments), {});
    if (!captured->forward.is_ended()) {
        try {
            captured->capture(call_, arguments, parameters_);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            auto failed = std::make_shared<Captured>();
            failed->why_not = error.message();
            found->second = failed;
            return run_plain(std::move(arguments), error.message());
        }
    }
    if (!captured->awaited.expired())
        return run_plain(std::move(arguments), "the backward of the call before is still to come");
    return replay(captured, arguments);
}

IValue GraphedCall::replay(const std::shared_ptr<Captured>& captured, const std::vector<IValue>& arguments) {
    nodes_ = captured->forward.nodes();
    backward_nodes_ = captured->backward.nodes();
    why_not_.clear();
    const TensorList tensors = tensors_of(arguments);
    captured->load(tensors);
    captured->forward.replay();
    ++captured->replays;
    std::size_t place = 0;
    Ptr<Node> node;
    if (captured->backward.is_ended()) {
        auto awaited = std::make_shared<bool>(true);
        captured->awaited = awaited;
        node = make_ptr<ReplayBackward>(captured, std::move(awaited));
        std::vector<Edge> edges;
        for (const TensorList* const each : {&tensors, &std::as_const(parameters_)}) {
            for (const Tensor& t : *each) {
                if (requires_grad(t)) edges.push_back(gradient_edge(t));
            }
        }
        node->set_next_edges(std::move(edges));
    }
    return copy_with_tensors(captured->result, [&](const Tensor& t) {
        Tensor copy;
        {
            const GradModeScope no_grad(false);
            copy = copy_of(t);
        }
        if (node && std::ranges::find(captured->roots, place) != captured->roots.end()) set_history(copy, node);
        ++place;
        return copy;
    });
}

}  // namespace loupe::runtime

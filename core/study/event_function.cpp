// SPDX-License-Identifier: Apache-2.0
#include "core/study/event_function.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <unordered_set>

#include "core/autograd/accumulate_grad.h"
#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/autograd/variable.h"
#include "core/autograd/view_nodes.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/autocast.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/interceptor.h"
#include "core/dispatch/operator_node.h"
#include "core/ops/random/generator.h"
#include "core/study/explained_forms.h"
#include "core/tensor/copy_elements.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/element_walk.h"

namespace loupe::session {
namespace {

constexpr double kBoundedInf = 1e30;
constexpr double kBoundedNan = 7e29;

// Results of the right sizes without a number computed; numbers that choose are 0.
class NoElements final : public DispatchInterceptor {
  public:
    bool run(const Operator& op, std::span<const IValue> arguments, IValue* results) override {
        const bool is_plain = op.variant == OperatorVariant::Functional && !op.is_view && op.record->kernel.fills;
        const auto metas = is_plain ? infer_outputs(op, arguments) : std::nullopt;
        if (!metas) return false;
        for (std::size_t i = 0; i < metas->size(); ++i) {
            const TensorMeta& meta = (*metas)[i];
            const bool is_number = is_differentiable(meta.dtype);
            results[i] = is_number ? empty(span_of(meta.sizes), meta.dtype) : zeros(span_of(meta.sizes), meta.dtype);
        }
        return true;
    }
};

// Calls in it are the question's own: unobserved, in float precision as given, drawing no numbers of the run.
class OwnCalls {
  public:
    explicit OwnCalls(bool records) : grad_(records), unobserved_(nullptr), random_(random_state()) {}
    OwnCalls(const OwnCalls&) = delete;
    OwnCalls& operator=(const OwnCalls&) = delete;
    ~OwnCalls() { set_random_state(random_); }

  private:
    GradModeScope grad_;
    ObserverScope unobserved_;
    detail::AutocastOff no_autocast_;
    RandomState random_;
};

Tensor in_dtype(const Tensor& t, ScalarType dtype) {
    return t.dtype() == dtype ? t : fn::to_dtype(t, static_cast<std::int64_t>(dtype));
}

// Half precision is computed with in float32: shares shall add up.
Tensor widened(const Tensor& t) {
    return is_floating(t.dtype()) && t.element_size() < 4 ? in_dtype(t, ScalarType::Float32) : t;
}

template <typename T>
void bound(const Tensor& t) {
    T* const data = t.data<T>();
    for (std::int64_t i = 0; i < t.numel(); ++i) {
        if (std::isnan(data[i])) data[i] = static_cast<T>(kBoundedNan);
        if (std::isinf(data[i])) data[i] = static_cast<T>(std::copysign(kBoundedInf, static_cast<double>(data[i])));
    }
}

Tensor bounded(const Tensor& t) {
    const Tensor own = fn::clone(fn::contiguous(t, 0));
    if (own.dtype() == ScalarType::Float32) bound<float>(own);
    if (own.dtype() == ScalarType::Float64) bound<double>(own);
    return own;
}

bool is_written(const Operator& op, const TensorPlace& place) {
    const std::uint64_t bits =
        place.element < 0 ? op.written_arguments | op.unmarked_writes : op.written_elements | op.written_arguments;
    return (bits >> place.argument & 1) != 0;
}

TensorList flattened(std::span<const IValue> results) {
    TensorList all;
    for (const IValue& result : results) {
        visit_tensors(result, [&](const Tensor& t) {
            if (t.defined()) all.push_back(t);
        });
    }
    return all;
}

// Nodes that lead from the outputs to leaves, in the order in which backward runs them. Sinks of leaves live only as
// long as something holds them.
std::vector<Ptr<Node>> nodes_of(const TensorList& outputs) {
    std::vector<Ptr<Node>> all;
    std::unordered_set<const Node*> seen;
    const auto add = [&](const Edge& edge) {
        const bool is_sink = edge && dynamic_cast<const AccumulateGrad*>(edge.node.get()) != nullptr;
        if (edge && !is_sink && seen.insert(edge.node.get()).second) all.push_back(edge.node);
    };
    for (const Tensor& t : outputs) add(gradient_edge(t));
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::vector<Edge> edges = all[i]->next_edges();
        for (const Edge& edge : edges) add(edge);
    }
    std::sort(all.begin(), all.end(),
              [](const Ptr<Node>& a, const Ptr<Node>& b) { return a->sequence() > b->sequence(); });
    return all;
}

bool is_linear_node(const Node& node) {
    if (const auto* own = dynamic_cast<const OperatorNode*>(&node)) return !own->reads_history();
    return dynamic_cast<const CopySlices*>(&node) != nullptr || dynamic_cast<const AsStridedNode*>(&node) != nullptr;
}

TensorList leaves_of(const std::vector<FunctionSource>& sources) {
    TensorList leaves;
    for (const FunctionSource& source : sources) leaves.push_back(source.leaf);
    return leaves;
}

}  // namespace

EventFunction forward_function(const RecordedCall& call, const std::vector<bool>& is_source,
                               EventFunction::Elements how, EventFunction::Scale scale) {
    using Elements = EventFunction::Elements;
    const OwnCalls own(true);
    NoElements nothing;
    const InterceptorScope computed(how == Elements::None ? &nothing : nullptr);
    EventFunction out;
    RecordedCall changed = call;
    for (std::size_t i = 0; i < call.places.size(); ++i) {
        const TensorPlace& place = call.places[i];
        Tensor t = widened(call.tensor(place));
        const bool is_number = is_floating(t.dtype());
        if (how == Elements::Ones && is_number) {
            // Of the sources another point, at which few derivatives are 0 or infinite.
            t = is_source[i] ? fn::mul_scalar(fn::ones_like(t), Scalar(0.5)) : fn::ones_like(t);
        }
        if (how == Elements::Bounded && is_number) t = bounded(t);
        if (is_source[i]) {
            if (!is_number && !is_complex(t.dtype())) t = in_dtype(t, ScalarType::Float64);
            // Memory of its own: a view shows what its base is made of else.
            const Tensor leaf = detach(fn::clone(t));
            set_requires_grad(leaf, true);
            out.sources_.push_back({place, leaf});
            t = leaf;
        }
        if (is_written(*call.op, place)) t = fn::clone(t);
        changed.set_tensor(place, t);
    }
    const ExplainedForm* form = scale == EventFunction::Scale::Held ? explained_form(call.op->full_name) : nullptr;
    const bool has_form = form != nullptr && form->result != nullptr;
    if (const auto result = has_form ? form->result(changed.arguments) : std::nullopt) {
        out.outputs_ = {*result};
        out.held_ = form->held;
    } else {
        std::vector<IValue> results(std::max<std::size_t>(1, call.op->result_count()));
        call_operator(*call.op, changed.arguments, results.data());
        results.resize(call.op->result_count());
        out.outputs_ = flattened(results);
    }
    const std::vector<Ptr<Node>> nodes = nodes_of(out.outputs_);
    out.is_linear_ = !nodes.empty() && std::all_of(nodes.begin(), nodes.end(),
                                                   [](const Ptr<Node>& node) { return is_linear_node(*node); });
    return out;
}

TensorList EventFunction::pull(std::size_t output, const Tensor& gradient, bool recorded) const {
    TensorList gradients(outputs_.size());
    gradients[output] = gradient;
    const OwnCalls own(true);
    BackwardOptions options;
    options.retain_graph = true;
    options.create_graph = recorded;
    if (output >= outputs_.size() || !requires_grad(outputs_[output])) return TensorList(sources_.size());
    return gradients_of({outputs_[output]}, leaves_of(sources_), {gradient}, options, true);
}

TensorList EventFunction::pull_all(const TensorList& gradients) const {
    const OwnCalls own(true);
    TensorList from;
    TensorList with;
    for (std::size_t i = 0; i < std::min(gradients.size(), outputs_.size()); ++i) {
        if (!gradients[i].defined() || !requires_grad(outputs_[i])) continue;
        from.push_back(outputs_[i]);
        with.push_back(in_dtype(gradients[i], outputs_[i].dtype()));
    }
    if (from.empty()) return TensorList(sources_.size());
    return gradients_of(from, leaves_of(sources_), with, {.retain_graph = true}, true);
}

TensorList EventFunction::push(const TensorList& tangents) const {
    const OwnCalls own(true);
    TensorList from;
    TensorList probes;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
        if (!requires_grad(outputs_[i])) continue;
        from.push_back(outputs_[i]);
        // Any point serves: the gradient is linear in it.
        probes.push_back(fn::ones_like(detach(outputs_[i])));
        set_requires_grad(probes.back(), true);
        places.push_back(i);
    }
    TensorList out(outputs_.size());
    if (from.empty()) return out;
    const TensorList pulled =
        gradients_of(from, leaves_of(sources_), probes, {.retain_graph = true, .create_graph = true}, true);
    TensorList roots;
    TensorList weights;
    for (std::size_t i = 0; i < pulled.size(); ++i) {
        if (!pulled[i].defined() || !tangents[i].defined() || !requires_grad(pulled[i])) continue;
        roots.push_back(pulled[i]);
        weights.push_back(in_dtype(tangents[i], pulled[i].dtype()));
    }
    if (roots.empty()) return out;
    const TensorList pushed = gradients_of(roots, probes, weights, {.retain_graph = true}, true);
    for (std::size_t i = 0; i < places.size(); ++i) out[places[i]] = pushed[i];
    return out;
}

// --- backward ---

namespace {

// Gradients in the order of the node's outputs: those that arrived, by their shapes.
std::vector<std::size_t> places_of(const Recording& recording, const Event& event, const Node& node) {
    std::vector<std::size_t> places;
    std::size_t at = 0;
    const auto& outputs = node.outputs();
    for (const ValueId id : event.inputs) {
        if (id == 0) throw Error(ErrorKind::Unsupported, "a gradient that came in was not recorded");
        const Shape& shape = recording.value(id).shape;
        const std::size_t left = event.inputs.size() - places.size();
        const auto fits = [&](const GradientShape& own) {
            return std::equal(shape.begin(), shape.end(), own.sizes.begin(), own.sizes.end());
        };
        while (at < outputs.size() && outputs.size() - at > left && !fits(outputs[at])) ++at;
        if (at >= outputs.size() || !fits(outputs[at]))
            throw Error(ErrorKind::Unsupported, concat("the gradients of ", event.op, " do not fit its forward"));
        places.push_back(at++);
    }
    return places;
}

// Which of the nodes alike of one forward event this backward event ran.
std::size_t number_among_alike(const Recording& recording, const Event& event) {
    std::size_t before = 0;
    for (EventId id = recording.backward_peer(event.peer); id != 0 && id < event.id; ++id) {
        const Event& other = recording.event(id);
        if (other.peer == event.peer && other.op == event.op && other.phase == RunPhase::Backward) ++before;
    }
    return before;
}

}  // namespace

EventFunction backward_function(const Recording& recording, const Event& event, const ElementsOf& elements) {
    if (event.peer == 0 || event.peer >= event.id)
        throw Error(ErrorKind::Unsupported, concat(event.op, " has no forward event"));
    const RecordedCall call = recorded_call(recording, recording.event(event.peer), elements);
    // The gradients that the run asked for, so that the derivative is the same.
    std::vector<bool> is_source;
    for (const TensorPlace& place : call.places) {
        const Tensor t = call.tensor(place);
        is_source.push_back(is_differentiable(t.dtype()) && recording.value(place.value).requires_grad);
    }
    const EventFunction forward = forward_function(call, is_source);
    const OwnCalls own(true);
    std::size_t number = number_among_alike(recording, event);
    Ptr<Node> node;
    for (const Ptr<Node>& each : nodes_of(forward.outputs())) {
        if (each->name() != event.op) continue;
        if (number-- == 0) {
            node = each;
            break;
        }
    }
    if (node == nullptr)
        throw Error(ErrorKind::Unsupported, concat(event.op, " is not in the derivative of #", event.peer));
    EventFunction out;
    TensorList gradients(node->outputs().size());
    const std::vector<std::size_t> places = places_of(recording, event, *node);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const Tensor t = elements(event.inputs[i]);
        if (!t.defined()) throw Error(ErrorKind::Usage, "the elements of a gradient that came in were not kept");
        const Tensor leaf = detach(fn::clone(widened(on_host(t))));
        set_requires_grad(leaf, true);
        const std::string name = places.size() == 1 ? std::string("grad") : concat("grad of result ", places[i]);
        out.sources_.push_back({{i, -1, event.inputs[i], name}, leaf});
        gradients[places[i]] = leaf;
    }
    for (const Tensor& t : node->apply(std::move(gradients))) {
        if (t.defined()) out.outputs_.push_back(t);
    }
    if (out.outputs_.size() != event.outputs.size())
        throw Error(ErrorKind::Unsupported, concat(event.op, " gives other gradients than it gave in the run"));
    out.is_linear_ = true;
    return out;
}

// --- which sources ---

ValueKinds::ValueKinds(const Recording& recording) : recording_(recording) {
    for (std::size_t i = 0; i < recording.allocation_count(); ++i) {
        const Allocation a = recording.allocation(i);
        kinds_.try_emplace(a.storage_id, a.category);
    }
}

bool ValueKinds::is_of_model(ValueId id) const {
    const auto found = kinds_.find(recording_.value(id).storage_id);
    return found != kinds_.end() && (found->second == Category::Parameter || found->second == Category::Buffer);
}

std::string ValueKinds::name(ValueId id) const {
    const Value& value = recording_.value(id);
    if (value.producer != 0) return value.gradient_of != 0 ? "gradient" : "value";
    const auto found = kinds_.find(value.storage_id);
    if (found == kinds_.end()) return "constant";
    switch (found->second) {
        case Category::Parameter:
            return "weight";
        case Category::Buffer:
            return "buffer";
        case Category::Input:
            return "input";
        default:
            return "constant";
    }
}

namespace {

template <typename T>
T from_double(double number) {
    if constexpr (is_floating(scalar_type_of<T>) && sizeof(T) < 4)
        return static_cast<T>(static_cast<float>(number));
    else
        return static_cast<T>(number);
}

template <typename T>
void multiply(const Tensor& from, const Tensor& to, double factor) {
    const T* const data = from.data<T>();
    for (std::int64_t i = 0; i < from.numel(); ++i)
        to.data<T>()[i] = from_double<T>(static_cast<double>(data[i]) * factor);
}

Tensor ones_like(const Tensor& t) {
    const OwnCalls own(false);
    return fn::ones_like(detach(t));
}

std::vector<double> numbers_of(const TensorList& outputs) {
    std::vector<double> all;
    for (const Tensor& t : outputs) {
        if (t.dtype() != ScalarType::Float32 && t.dtype() != ScalarType::Float64) continue;
        visit_dtypes<kFloatingDtypes>(t.dtype(), [&]<typename T>(std::type_identity<T>) {
            walk_elements<T>(t, true, [&](const T* data, std::int64_t n) {
                for (std::int64_t i = 0; i < n; ++i) all.push_back(static_cast<double>(data[i]));
            });
        });
    }
    return all;
}

double sum_of(const std::vector<double>& numbers) { return std::accumulate(numbers.begin(), numbers.end(), 0.0); }

// Pictures of it a few pixels wide: whether it is linear does not depend on their size.
RecordedCall corner_of(const RecordedCall& call) {
    constexpr std::int64_t kSide = 8;
    const OwnCalls own(false);
    RecordedCall cropped = call;
    for (const TensorPlace& place : call.places) {
        Tensor t = call.tensor(place);
        if (t.dim() < 4) continue;
        for (const std::int64_t d : {t.dim() - 2, t.dim() - 1}) t = fn::narrow(t, d, 0, std::min(t.size(d), kSide));
        cropped.set_tensor(place, fn::clone(fn::contiguous(t, 0)));
    }
    return cropped;
}

// As it comes out with 0, 1, -1 and 2 times the sources: on a line through 0 for every element, whose slope is the
// derivative (a running mean has none).
bool is_affine(const RecordedCall& call, const std::vector<bool>& is_source) {
    constexpr double kRounding = 1e-4;
    const auto at = [&](double factor) { return forward_function(scaled_call(call, is_source, factor), is_source); };
    const EventFunction function = at(1);
    const std::vector<double> one = numbers_of(function.outputs());
    const std::vector<double> zero = numbers_of(at(0).outputs());
    const std::vector<double> minus = numbers_of(at(-1).outputs());
    const std::vector<double> two = numbers_of(at(2).outputs());
    double scale = 0;
    for (const double number : one) scale = std::max(scale, std::abs(number));
    if (one.empty() || !std::isfinite(scale) || scale == 0) return false;
    for (std::size_t i = 0; i < one.size(); ++i) {
        const double slope = one[i] - zero[i];
        const bool is_line = std::abs(zero[i] - slope - minus[i]) <= kRounding * scale &&
                             std::abs(zero[i] + 2 * slope - two[i]) <= kRounding * scale;
        if (!is_line) return false;
    }
    TensorList ones;
    for (const Tensor& t : function.outputs()) ones.push_back(ones_like(t));
    const TensorList pulled = function.pull_all(ones);
    double followed = 0;
    double magnitude = scale;
    for (std::size_t i = 0; i < pulled.size(); ++i) {
        if (!pulled[i].defined()) return false;
        const std::vector<double> slopes = numbers_of({pulled[i]});
        const std::vector<double> elements = numbers_of({detach(function.sources()[i].leaf)});
        for (std::size_t k = 0; k < std::min(slopes.size(), elements.size()); ++k) {
            followed += slopes[k] * elements[k];
            magnitude += std::abs(slopes[k] * elements[k]);
        }
    }
    return std::abs(followed - (sum_of(one) - sum_of(zero))) <= kRounding * magnitude;
}

}  // namespace

RecordedCall scaled_call(const RecordedCall& call, const std::vector<bool>& is_source, double factor) {
    const OwnCalls own(false);
    RecordedCall changed = call;
    for (std::size_t i = 0; i < call.places.size(); ++i) {
        if (!is_source[i]) continue;
        const Tensor t = fn::contiguous(call.tensor(call.places[i]), 0);
        if (is_complex(t.dtype()) || t.dtype() == ScalarType::Bool) continue;
        const Tensor to = zeros(t.sizes(), t.dtype());
        if (factor != 0)
            visit_dtype(t.dtype(), [&]<typename T>(std::type_identity<T>) {
                if constexpr (!is_complex(scalar_type_of<T>)) multiply<T>(t, to, factor);
            });
        changed.set_tensor(call.places[i], to);
    }
    return changed;
}

namespace {

// All between 0 and 1: attention, a gate or a mask, which weighs what it is multiplied with.
bool is_weighing(const Tensor& given) {
    if (given.dtype() != ScalarType::Float32 || given.numel() < 2) return false;
    const Tensor t = look_at_elements(given);
    bool is_between = true;
    walk_elements<float>(t, false, [&](const float* data, std::int64_t n) {
        is_between = is_between && std::all_of(data, data + n, [](float x) { return x >= 0 && x <= 1; });
    });
    return is_between;
}

}  // namespace

SourceChoice::Choice SourceChoice::choose(const RecordedCall& call) const {
    using Scale = EventFunction::Scale;
    const std::size_t n = call.places.size();
    const auto with = [n](const std::vector<std::size_t>& places) {
        std::vector<bool> is_source(n, false);
        for (const std::size_t i : places) is_source[i] = true;
        return is_source;
    };
    using Test = std::function<bool(const std::vector<std::size_t>&)>;
    const Test by_structure = [&](const auto& places) {
        try {
            return forward_function(call, with(places), EventFunction::Elements::None, Scale::Held).is_linear();
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            // Its numbers decide what it is made of.
            return forward_function(call, with(places), EventFunction::Elements::AsTheyAre, Scale::Held).is_linear();
        }
    };
    const Test by_numbers = [&](const auto& places) {
        try {
            return is_affine(corner_of(call), with(places));
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            return is_affine(call, with(places));  // sizes that must fit others
        }
    };
    std::vector<std::size_t> activations;
    std::vector<std::size_t> parameters;
    for (std::size_t i = 0; i < n; ++i) {
        if (!is_floating(call.tensor(call.places[i]).dtype())) continue;
        (kinds_.is_of_model(call.places[i].value) ? parameters : activations).push_back(i);
    }
    std::stable_partition(activations.begin(), activations.end(),
                          [&](std::size_t i) { return !is_weighing(call.tensor(call.places[i])); });
    std::vector<std::size_t> all = activations;
    all.insert(all.end(), parameters.begin(), parameters.end());
    if (all.empty()) return {};
    if (by_structure(all)) return {with(all), true};
    const auto add = [](std::vector<std::size_t>& joint, const std::vector<std::size_t>& more, const Test& is_linear) {
        // Many tensors of a list are alike.
        if (more.size() > 8) return;
        for (const std::size_t i : more) {
            joint.push_back(i);
            if (!is_linear(joint)) joint.pop_back();
        }
    };
    for (const Test& test : {by_structure, by_numbers}) {
        std::vector<std::size_t> joint;
        add(joint, activations.empty() ? parameters : activations, test);
        if (joint.empty()) continue;
        if (!activations.empty()) add(joint, parameters, test);
        return {with(joint), true};
    }
    return {with(activations.empty() ? all : activations), false};
}

const SourceChoice::Choice& SourceChoice::of(const Event& event, const RecordedCall& call) {
    std::string key = concat(call.op->full_name, "(", join(event.arguments, ", "), ")");
    for (const TensorPlace& place : call.places) {
        const Tensor t = call.tensor(place);
        const bool is_model = kinds_.is_of_model(place.value);
        const bool is_factor = !is_model && call.places.size() > 1 && is_weighing(t);
        key += concat(place.argument, is_model ? "m" : "a", is_floating(t.dtype()) ? "f" : "i", is_factor ? "w" : "",
                      t.dim(), " ");
    }
    const auto found = known_.find(key);
    return found != known_.end() ? found->second : known_.emplace(std::move(key), choose(call)).first->second;
}

}  // namespace loupe::session

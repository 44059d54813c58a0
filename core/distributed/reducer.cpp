// SPDX-License-Identifier: Apache-2.0
#include "core/distributed/reducer.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "core/autograd/accumulate_grad.h"
#include "core/autograd/backward_actions.h"
#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/distributed/operators.h"

namespace loupe::distributed {
namespace {

const OperatorHandle<> kMultiplyInto("aten::mul.out");

// A gradient's own strides where they are dense: the bucket holds it in that order.
Tensor view_in(const Tensor& flat, const Tensor& parameter, std::int64_t offset) {
    if (parameter.is_non_overlapping_and_dense())
        return flat.view_as_strided(parameter.sizes(), parameter.strides(), offset);
    const Tensor packed = empty(parameter.sizes(), ScalarType::UInt8);
    return flat.view_as_strided(parameter.sizes(), packed.strides(), offset);
}

// Leaves that the outputs come from.
std::unordered_set<const TensorImpl*> leaves_behind(const TensorList& outputs) {
    std::unordered_set<const TensorImpl*> leaves;
    std::unordered_set<const Node*> seen;
    std::vector<Ptr<Node>> open;
    for (const Tensor& output : outputs) {
        if (const Edge edge = gradient_edge(output)) open.push_back(edge.node);
    }
    while (!open.empty()) {
        const Ptr<Node> node = std::move(open.back());
        open.pop_back();
        if (!seen.insert(node.get()).second) continue;
        if (const auto* leaf = dynamic_cast<const AccumulateGrad*>(node.get())) leaves.insert(leaf->variable().impl());
        for (const Edge& edge : node->next_edges()) {
            if (edge.node && !seen.contains(edge.node.get())) open.push_back(edge.node);
        }
    }
    return leaves;
}

}  // namespace

Reducer::Reducer(ProcessGroup& group, TensorList parameters, std::vector<std::string> names, ReducerOptions options)
    : group_(&group), parameters_(std::move(parameters)), names_(std::move(names)), options_(std::move(options)) {
    if (parameters_.empty()) throw Error(ErrorKind::Usage, "Expected at least one parameter.");
    divisor_ = group_->size();
    uses_.assign(parameters_.size(), 0);
    used_.assign(parameters_.size(), 0);
    std::vector<BucketItem> items;
    for (const Tensor& each : parameters_) items.push_back(bucket_item(each));
    BucketPlan plan = assign_buckets(items, options_.limits);
    std::reverse(plan.buckets.begin(), plan.buckets.end());
    std::reverse(plan.limits.begin(), plan.limits.end());
    make_buckets(std::move(plan));
    for (std::size_t i = 0; i < parameters_.size(); ++i)
        handles_.push_back(
            register_post_accumulate_grad_hook(parameters_[i], [this, i](const Tensor&) { on_gradient(i); }));
}

Reducer::~Reducer() {
    for (RemovableHandle& handle : handles_) handle.remove();
}

void Reducer::make_buckets(BucketPlan plan) {
    plan_ = std::move(plan);
    states_.assign(plan_.buckets.size(), {});
    places_.assign(parameters_.size(), {});
    for (std::size_t b = 0; b < plan_.buckets.size(); ++b) {
        std::int64_t count = 0;
        for (const std::size_t p : plan_.buckets[b]) count += parameters_[p].numel();
        State& state = states_[b];
        const Tensor& first = parameters_[plan_.buckets[b].front()];
        state.flat = empty(IntSpan(&count, 1), first.dtype(), first.device());
        state.flat.storage()->set_category(MemoryCategory::Gradient);
        std::int64_t offset = 0;
        for (const std::size_t p : plan_.buckets[b]) {
            places_[p] = {b, state.views.size()};
            state.views.push_back(view_in(state.flat, parameters_[p], offset));
            offset += parameters_[p].numel();
            // What has been gathered so far stays.
            const Tensor grad = grad_of(parameters_[p]);
            if (options_.views && grad.defined()) {
                gradient_arithmetic().copy(state.views.back(), grad);
                set_grad(parameters_[p], state.views.back());
            }
        }
    }
}

void Reducer::set_hook(Hook hook) {
    if (hook_) throw Error(ErrorKind::Run, "register_comm_hook or register_builtin_comm_hook can only be called once.");
    hook_ = std::move(hook);
}

void Reducer::reset() {
    next_ = 0;
    calls_finish_ = false;
    is_ready_.assign(parameters_.size(), 0);
    seen_.assign(parameters_.size(), 0);
    for (std::size_t b = 0; b < states_.size(); ++b) {
        states_[b].missing = plan_.buckets[b].size();
        states_[b].work = nullptr;
        states_[b].pending = nullptr;
    }
    if (rebuilds()) arrival_.clear();
}

void Reducer::prepare(const TensorList& outputs) {
    const bool is_same_run = std::exchange(run_, group_->run()) == group_->run();
    if (is_same_run && expects_ && !has_finished_) {
        std::vector<std::string> missing;
        for (std::size_t i = 0; i < parameters_.size(); ++i) {
            if (is_ready_[i] == 0) missing.push_back(names_[i]);
        }
        std::vector<std::string> places;
        for (std::size_t i = 0; i < parameters_.size(); ++i) {
            if (is_ready_[i] == 0) places.push_back(concat(i));
        }
        std::string text =
            "Expected to have finished reduction in the prior iteration before starting a new one. This error "
            "indicates "
            "that your module has parameters that were not used in producing loss. ";
        text +=
            options_.find_unused
                ? "Since `find_unused_parameters=True` is enabled, this likely  means that not all `forward` outputs "
                  "participate in computing loss. You can fix this by making sure all `forward` function outputs "
                  "participate in calculating loss. "
                : "You can enable unused parameter detection by passing the keyword argument "
                  "`find_unused_parameters=True` to `torch.nn.parallel.DistributedDataParallel`, and by \nmaking "
                  "sure all `forward` function outputs participate in calculating loss. ";
        text +=
            "\nIf you already have done the above, then the distributed data parallel module wasn't able to locate the "
            "output tensors in the return value of your module's `forward` function. Please include the loss function "
            "and the structure of the return value of `forward` of your module when reporting this issue (e.g. list, "
            "dict, iterable).";
        if (!missing.empty()) {
            text +=
                concat("\nParameters which did not receive grad for rank ", group_->rank(), ": ", join(missing, ", "));
            text += concat("\nParameter indices which did not receive grad for rank ", group_->rank(), ": ",
                           join(places, " "));
        }
        throw Error(ErrorKind::Run, text);
    }
    reset();
    expects_ = true;
    has_finished_ = false;
    is_delayed_ = options_.is_static && !has_static_graph_;
    if (is_delayed_) {
        uses_.assign(parameters_.size(), 0);
        has_queued_ = false;
        return;
    }
    if (options_.is_static) {
        for (std::size_t i = 0; i < parameters_.size(); ++i) {
            if (uses_[i] == 0) mark_ready(i, false);
        }
        return;
    }
    if (!options_.find_unused) return;
    const auto leaves = leaves_behind(outputs);
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        if (!leaves.contains(parameters_[i].impl())) mark_ready(i, false);
    }
}

void Reducer::on_gradient(std::size_t parameter) {
    used_[parameter] = 1;
    if (!syncs_ || !expects_) return;
    if (is_delayed_) {
        ++uses_[parameter];
        arrival_.push_back(parameter);
        if (has_queued_) return;
        has_queued_ = true;
        // The whole graph is known when the pass ends.
        after_backward([this] {
            has_static_graph_ = true;
            is_delayed_ = false;
            const std::vector<std::size_t> came = std::exchange(arrival_, {});
            for (const std::size_t p : came) {
                if (std::find(arrival_.begin(), arrival_.end(), p) == arrival_.end()) mark_ready(p, true);
            }
            for (std::size_t i = 0; i < parameters_.size(); ++i) {
                if (uses_[i] == 0) mark_ready(i, false);
            }
        });
        return;
    }
    if (options_.is_static && ++seen_[parameter] < uses_[parameter]) return;
    mark_ready(parameter, true);
}

void Reducer::mark_ready(std::size_t parameter, bool is_used) {
    if (is_ready_[parameter] != 0) {
        throw Error(
            ErrorKind::Run,
            concat(
                "Expected to mark a variable ready only once. This error is caused by one of the following reasons: "
                "1) Use of a module parameter outside the `forward` function. Please make sure model parameters are "
                "not shared across multiple concurrent forward-backward passes. or try to use _set_static_graph() as "
                "a workaround if this module graph does not change during training loop.2) Reused parameters in "
                "multiple reentrant backward passes. For example, if you use multiple `checkpoint` functions to wrap "
                "the same part of your model, it would result in the same set of parameters been used by different "
                "reentrant backward passes multiple times, and hence marking a variable ready multiple times. DDP "
                "does not support such use cases in default. You can try to use _set_static_graph() as a workaround "
                "if your module graph does not change over iterations.\nParameter at index ",
                parameter, " with name ", names_[parameter],
                " has been marked as ready twice. This means that multiple autograd engine  hooks have fired for "
                "this particular parameter during this iteration."));
    }
    is_ready_[parameter] = 1;
    if (rebuilds()) arrival_.push_back(parameter);
    const auto [b, member] = places_[parameter];
    State& state = states_[b];
    const Tensor& view = state.views[member];
    const Tensor grad = grad_of(parameters_[parameter]);
    const GradModeScope off(false);
    if (is_used && grad.defined()) {
        const bool is_view = grad.address() == view.address() && grad.numel() == view.numel();
        if (!hook_) {
            // Divides while it copies into the bucket.
            kMultiplyInto(grad, wrapped_number(Scalar(1.0 / divisor_)), view);
        } else if (!is_view) {
            gradient_arithmetic().copy(view, grad);
        }
        if (options_.views && !is_view) set_grad(parameters_[parameter], view);
    } else {
        fn::zero_(view);
    }
    if (--state.missing == 0) after_this_node([this] { launch_ready(); });
}

// In the order of the buckets, whichever is ready first.
void Reducer::launch_ready() {
    while (next_ < states_.size() && states_[next_].missing == 0) launch(next_++);
    if (next_ < states_.size() || calls_finish_) return;
    calls_finish_ = true;
    if (options_.find_unused) share_used();
    after_backward([this] { finish(); });
}

void Reducer::launch(std::size_t b) {
    State& state = states_[b];
    if (!hook_) {
        state.launched = Clock::now();
        state.work = launch_observed("c10d::allreduce_", {state.flat}, true,
                                     [&] { return group_->all_reduce({state.flat}, Reduction::Sum); });
        return;
    }
    state.pending = hook_(bucket_of(b));
}

Reducer::Bucket Reducer::bucket_of(std::size_t b) const {
    Bucket bucket;
    bucket.index = b;
    bucket.is_last = b + 1 == states_.size();
    bucket.buffer = states_[b].flat;
    bucket.gradients = states_[b].views;
    for (const std::size_t p : plan_.buckets[b]) bucket.parameters.push_back(parameters_[p]);
    return bucket;
}

void Reducer::shadow() {
    const GradModeScope off(false);
    std::vector<WorkPtr> works;
    std::vector<Pending> pending;
    for (std::size_t b = 0; b < states_.size(); ++b) {
        const Tensor zeros = fn::zeros_like(states_[b].flat);
        if (!hook_) {
            works.push_back(launch_observed("c10d::allreduce_", {zeros}, true,
                                            [&] { return group_->all_reduce({zeros}, Reduction::Sum); }));
            continue;
        }
        Bucket bucket = bucket_of(b);
        bucket.buffer = zeros;
        for (Tensor& each : bucket.gradients)
            each = zeros.view_as_strided(each.sizes(), each.strides(), each.storage_offset());
        pending.push_back(hook_(bucket));
    }
    if (options_.find_unused) {
        // As PyTorch's joined ranks say it: what all used when this one last heard of it, again and again. Parameters
        // that nobody uses any more so get gradients of zero.
        used_ = shared_used_.empty() ? std::vector<std::int32_t>(parameters_.size(), 0) : shared_used_;
        share_used();
    }
    for (const WorkPtr& work : works) wait_observed(*work);
    for (const Pending& each : pending) each();
    if (used_work_) wait_observed(*used_work_);
    forget_used_work();
    // As if gradients had come in the order of the parameters; the order that counts is rank 0's.
    if (!rebuilds()) return;
    arrival_.clear();
    for (std::size_t p = 0; p < parameters_.size(); ++p) arrival_.push_back(p);
}

// Which parameters some rank has used.
void Reducer::share_used() {
    used_tensor_ = tensor_of<std::int32_t>(std::span<const std::int32_t>(used_),
                                           span_of(Dims{static_cast<std::int64_t>(used_.size())}));
    used_work_ = launch_observed("c10d::allreduce_", {used_tensor_}, true,
                                 [&] { return group_->all_reduce({used_tensor_}, Reduction::Sum); });
}

void Reducer::forget_used_work() {
    if (used_tensor_.defined()) {
        const auto* shared = used_tensor_.data<std::int32_t>();
        shared_used_.assign(shared, shared + used_tensor_.numel());
    }
    used_work_ = nullptr;
    used_tensor_ = Tensor();
    used_.assign(parameters_.size(), 0);
}

void Reducer::note_times(Clock::time_point waited_from, Clock::time_point waited_until) {
    const auto seconds = [](Clock::duration time) { return std::chrono::duration<double>(time).count(); };
    Clock::time_point reached{};
    Clock::time_point last{};
    for (const State& state : states_) {
        if (!state.work) continue;
        const auto completed = state.work->state()->completed();
        if (!completed) continue;
        const auto from = std::max(reached, state.launched);
        if (*completed > from) times_.under_way += seconds(*completed - from);
        reached = std::max(reached, *completed);
        last = std::max(last, *completed);
    }
    if (last > waited_from) times_.waited += seconds(std::min(last, waited_until) - waited_from);
}

void Reducer::finish() {
    const auto waited_from = Clock::now();
    for (const State& state : states_) {
        if (state.work) wait_observed(*state.work);
    }
    note_times(waited_from, Clock::now());
    if (used_work_) wait_observed(*used_work_);
    const GradModeScope off(false);
    for (std::size_t b = 0; b < states_.size(); ++b) {
        State& state = states_[b];
        if (state.pending) {
            const Tensor result = state.pending();
            if (result.numel() != state.flat.numel())
                throw Error(ErrorKind::Run, concat("the communication hook gave ", result.numel(), " elements for ",
                                                   state.flat.numel()));
            if (result.address() != state.flat.address()) gradient_arithmetic().copy(state.flat, result);
        }
        for (std::size_t m = 0; m < state.views.size(); ++m) {
            const std::size_t p = plan_.buckets[b][m];
            const bool is_unused_by_all = used_tensor_.defined() && used_tensor_.data<std::int32_t>()[p] == 0;
            if (is_unused_by_all) continue;
            const Tensor grad = grad_of(parameters_[p]);
            const Tensor& view = state.views[m];
            if (grad.defined() && grad.address() == view.address()) continue;
            if (options_.views)
                set_grad(parameters_[p], view);
            else if (grad.defined())
                gradient_arithmetic().copy(grad, view);
            else
                set_grad(parameters_[p], fn::clone(view));
        }
    }
    forget_used_work();
    expects_ = false;
    has_finished_ = true;
}

bool Reducer::rebuild() {
    if (!rebuilds() || arrival_.empty() || !has_finished_) return false;
    if (arrival_.size() != parameters_.size()) {
        arrival_.clear();
        return false;
    }
    std::vector<BucketItem> items;
    for (const std::size_t p : arrival_) items.push_back(bucket_item(parameters_[p]));
    BucketPlan plan = assign_buckets(items, options_.rebuilt_limits, arrival_);
    // Rank 0's for all: the number of buckets, then of each how many and which.
    std::vector<std::int64_t> text(2 * parameters_.size() + 2, 0);
    std::size_t at = 0;
    text[at++] = static_cast<std::int64_t>(plan.buckets.size());
    for (const auto& bucket : plan.buckets) {
        text[at++] = static_cast<std::int64_t>(bucket.size());
        for (const std::size_t p : bucket) text[at++] = static_cast<std::int64_t>(p);
    }
    const Tensor shared = tensor_of<std::int64_t>(std::span<const std::int64_t>(text),
                                                  span_of(Dims{static_cast<std::int64_t>(text.size())}));
    if (group_->size() > 1) {
        launch_observed("c10d::broadcast_", {shared}, false, [&] { return group_->broadcast(shared, 0); });
        const std::int64_t* read = shared.data<std::int64_t>();
        plan.buckets.assign(static_cast<std::size_t>(*read++), {});
        for (auto& bucket : plan.buckets) {
            bucket.resize(static_cast<std::size_t>(*read++));
            for (std::size_t& p : bucket) p = static_cast<std::size_t>(*read++);
        }
    }
    make_buckets(std::move(plan));
    has_rebuilt_ = true;
    arrival_.clear();
    return true;
}

}  // namespace loupe::distributed

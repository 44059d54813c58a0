// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/fuse/fuser.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <unordered_map>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/setup_clock.h"
#include "core/base/strings.h"
#include "core/dispatch/dispatch.h"
#include "core/ops/pointwise/kernels.h"
#include "core/runtime/fuse/fused_loop.h"
#include "core/runtime/fuse/fused_parts.h"
#include "core/runtime/fuse/fused_rows.h"
#include "core/runtime/fuse/fuser_backends.h"
#include "core/runtime/fuse/fusion_recorder.h"
#include "core/runtime/interpreter/interpreter.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/device_interface.h"

namespace loupe::runtime {

thread_local FusionWatcher* detail::thread_fusion_watcher = nullptr;

namespace {

// A group for certain dtypes, dimensions and numbers.
struct Specialisation : RefCounted {
    std::string reason;               // why it is not fused; other fields are unset then
    std::vector<std::size_t> inputs;  // of the group, that are tensors
    std::vector<ScalarType> dtypes;   // of the values
    FusedExpression expression;
    std::vector<RecordedCall> calls;
    std::vector<std::int64_t> outputs;                      // values
    std::vector<const ir::Node*> sites;                     // of the steps
    std::map<std::string, Ptr<const FusedKernel>> kernels;  // by their expression and the inputs that are numbers
    std::map<std::string, Ptr<const DeviceFusedKernel>> device_kernels;        // by their expression and themselves
    std::map<std::string, std::vector<std::vector<const ir::Node*>>> made_by;  // of these, see FusedKernelText
};

// For certain sizes and strides as well.
struct Plan : RefCounted {
    Ptr<Specialisation> what;
    std::vector<TensorMeta> metas;  // of the values
    std::string reason;             // why it is not fused for these
    struct Run {
        FusedPart part;
        FusedLoop loop;
        FusedRows rows;  // instead of the loop
        Ptr<const FusedKernel> kernel;
        int cost = 1;
        // Of a device, instead.
        FusedSpace space;
        Ptr<const DeviceFusedKernel> device_kernel;
    };
    Device device;
    std::vector<Run> runs;
};

std::string key_of(const IValue& value, bool with_sizes) {
    if (!value.is_tensor() || !value.to_tensor().defined()) {
        if (value.is_bool()) return value.to_bool() ? "T;" : "F;";
        if (value.is_int()) return concat("i", value.to_int(), ";");
        if (value.is_double()) return concat("d", std::bit_cast<std::int64_t>(value.to_double()), ";");
        if (value.is_string()) return concat("s", value.to_string().size(), ":", value.to_string(), ";");
        return value.is_none() || value.is_tensor() ? "-;" : "?";
    }
    const TensorImpl& t = *value.tensor_impl();
    std::string key = concat("t", static_cast<int>(t.dtype), t.wrapped_number ? "w" : "");
    if (const Device device = t.storage->device(); !device.is_cpu())
        key += concat("x", static_cast<int>(device.type), ".", static_cast<int>(device.index));
    for (std::size_t d = 0; d < t.sizes.size(); ++d) {
        if (with_sizes)
            key += concat(",", t.sizes[d], "/", t.strides[d]);
        else
            key += t.sizes[d] == 0 ? ",0" : (t.sizes[d] == 1 ? ",1" : ",n");
    }
    return key + ";";
}

// Key of the inputs for a specialisation, or with their sizes for a plan. A tensor that occurs twice is one value.
std::string key_of(std::span<const IValue> inputs, bool with_sizes) {
    std::string key;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        key += key_of(inputs[i], with_sizes);
        if (!inputs[i].is_tensor()) continue;
        for (std::size_t j = 0; j < i; ++j) {
            if (inputs[j].is_tensor() && inputs[j].tensor_impl() == inputs[i].tensor_impl()) key += concat("=", j, ";");
        }
    }
    return key;
}

Tensor make_result(const TensorMeta& meta) {
    if (meta.strides.empty()) return empty(span_of(meta.sizes), meta.dtype, meta.device);
    return empty_strided(span_of(meta.sizes), span_of(meta.strides), meta.dtype, meta.device);
}

// Where a group runs: numbers of the host may stand among a device's tensors.
Device device_of(std::span<const IValue> inputs) {
    for (const IValue& input : inputs) {
        if (input.is_tensor() && input.to_tensor().defined() && !input.to_tensor().device().is_cpu())
            return input.to_tensor().device();
    }
    return {};
}

// A tensor of the host's that stands for a device's in a dry run: of its sizes and order, with elements where there is
// one alone, which a kernel may look at.
Tensor stand_in(const Tensor& t) {
    if (t.device().is_cpu()) return t;
    if (t.numel() == 1) return on_device(t, Device{});
    return empty_strided(t.sizes(), t.strides(), t.dtype());
}

// How many additions a step is worth, as the operators reckon, to choose when threads pay.
int cost_of(const FusedExpression& expression) {
    int cost = 0;
    for (const FusedStep& step : expression.steps) {
        const bool is_function =
            step.kind.family == LoopFamily::Unary && static_cast<UnaryOp>(step.kind.op) >= UnaryOp::Exp;
        cost += is_function || step.kind.family == LoopFamily::Activation || step.rows ? 4 : 1;
    }
    return std::clamp(cost, 1, 16);
}

}  // namespace

class FusedGroup::State {
  public:
    State(Ptr<const ir::Graph> graph, std::string backend)
        : code_(Code::make(std::move(graph), {})), backend_(std::move(backend)) {}

    void run(std::span<const IValue> inputs, IValue* outputs) {
        const Plan* plan = find_plan(inputs);
        if (plan == nullptr) return run_first(inputs, outputs);
        if (!plan->reason.empty()) return run_plain(inputs, outputs, plan->reason);
        reason.clear();
        last_ = plan;
        run_plan(*plan, inputs, nullptr, outputs);
    }

    Ptr<const RefCounted> plan_for(std::span<const IValue> inputs) {
        const Plan* plan = find_plan(inputs);
        return plan == nullptr || !plan->reason.empty() ? nullptr : Ptr<const RefCounted>(plan);
    }

    // targets: the outputs, or null to make them.
    static void run_plan(const Plan& plan, std::span<const IValue> inputs, const IValue* targets, IValue* outputs) {
        const Specialisation& what = *plan.what;
        boost::container::small_vector<Tensor, 16> values(plan.metas.size());
        for (std::size_t i = 0; i < what.inputs.size(); ++i) values[i] = inputs[what.inputs[i]].to_tensor();
        for (std::size_t i = 0; targets != nullptr && i < what.outputs.size(); ++i)
            values[static_cast<std::size_t>(what.outputs[i])] = targets[i].to_tensor();
        boost::container::small_vector<std::byte*, 16> bases;
        for (const Plan::Run& run : plan.runs) {
            bases.clear();
            for (const FusedPart::Array& array : run.part.outputs) {
                if (!values[array.value].defined()) values[array.value] = make_result(plan.metas[array.value]);
                bases.push_back(first_element(values[array.value]));
            }
            for (const FusedPart::Array& array : run.part.inputs) bases.push_back(first_element(values[array.value]));
            if (run.device_kernel)
                run.device_kernel->launch(run.space, {bases.data(), bases.size()}, plan.device);
            else if (run.part.reduced > 0)
                run.rows.run(*run.kernel, {bases.data(), bases.size()}, run.cost);
            else
                run.loop.run(*run.kernel, {bases.data(), bases.size()}, run.cost);
        }
        for (std::size_t i = 0; outputs != nullptr && i < what.outputs.size(); ++i)
            outputs[i] = values[static_cast<std::size_t>(what.outputs[i])];
    }

    std::size_t output_count() const { return code_->output_count(); }

    std::vector<FusedKernelText> kernels() const {
        std::vector<FusedKernelText> texts;
        for (const auto& [key, what] : specialisations_) {
            for (const auto& [content, kernel] : what->kernels) {
                texts.push_back(kernel->text());
                texts.back().made_by = what->made_by.at(content);
            }
            for (const auto& [content, kernel] : what->device_kernels) {
                texts.push_back(kernel->text());
                texts.back().made_by = what->made_by.at(content);
            }
        }
        return texts;
    }

    std::vector<std::string> loops() const {
        std::vector<std::string> texts;
        if (!last_) return texts;
        for (const Plan::Run& run : last_->runs) {
            if (run.part.reduced > 0)
                texts.push_back(concat(run.rows.row_count(), " rows of ", run.rows.row_length(), " elements"));
            else
                texts.push_back(run.device_kernel ? concat(run.space.outer_count(), " elements") : run.loop.text());
            if (run.device_kernel) texts.back() += concat(", ", run.space.bytes(), " bytes moved");
        }
        return texts;
    }
    void clear_plans() { plans_.clear(); }

    std::string reason;

  private:
    static std::byte* first_element(const Tensor& t) { return static_cast<std::byte*>(t.address()); }

    static constexpr std::size_t kMostSpecialisations = 32;  // numbers that change from call to call
    static constexpr std::size_t kMostPlans = 256;

    void run_plain(std::span<const IValue> inputs, IValue* outputs, const std::string& why) {
        reason = why;
        std::vector<IValue> results = run_code(*code_, {inputs.begin(), inputs.end()});
        std::move(results.begin(), results.end(), outputs);
    }

    // Null: no such inputs so far.
    const Plan* find_plan(std::span<const IValue> inputs) {
        const std::string key = key_of(inputs, true);
        if (const auto found = plans_.find(key); found != plans_.end()) return found->second.get();
        const auto found = specialisations_.find(key_of(inputs, false));
        if (found == specialisations_.end()) return nullptr;
        if (plans_.size() >= kMostPlans) plans_.clear();
        return (plans_[key] = make_plan(found->second, inputs)).get();
    }

    void run_first(std::span<const IValue> inputs, IValue* outputs) {
        if (specialisations_.size() >= kMostSpecialisations)
            return run_plain(inputs, outputs, "more kinds of inputs than are kept");
        const std::string kind = key_of(inputs, false);
        const bool is_on_device = !device_of(inputs).is_cpu();
        if (is_on_device) run_plain(inputs, outputs, {});
        const Ptr<Specialisation> what = is_on_device ? record_dry(inputs) : record(inputs, outputs, false);
        if (kind.find('?') != std::string::npos) what->reason = "an input that is neither tensor nor number";
        reason = what->reason.empty() ? "the first call with such inputs" : what->reason;
        specialisations_[kind] = what;
    }

    // Operators of a device are no loops of the host's: these are recorded beside, and do not run.
    Ptr<Specialisation> record_dry(std::span<const IValue> inputs) {
        try {
            std::vector<IValue> given(inputs.begin(), inputs.end()), results(code_->output_count());
            for (std::size_t i = 0; i < given.size(); ++i) {
                if (!given[i].is_tensor() || !given[i].to_tensor().defined()) continue;
                const auto same = std::find_if(
                    inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(i), [&](const IValue& other) {
                        return other.is_tensor() && other.tensor_impl() == inputs[i].tensor_impl();
                    });
                const auto first = static_cast<std::size_t>(same - inputs.begin());
                given[i] = first < i ? given[first] : IValue(stand_in(given[i].to_tensor()));
            }
            return record(given, results.data(), true);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            const auto what = make_ptr<Specialisation>();
            what->reason = error.message();
            return what;
        }
    }

    // Runs the operators one by one, unless it is dry.
    Ptr<Specialisation> record(std::span<const IValue> inputs, IValue* outputs, bool is_dry) {
        const auto what = make_ptr<Specialisation>();
        FusionRecorder recorder(is_dry);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (!inputs[i].is_tensor() || !inputs[i].to_tensor().defined()) continue;
            what->inputs.push_back(i);
            recorder.add_input(inputs[i].to_tensor());
        }
        std::vector<IValue> results;
        {
            const GradModeScope no_grad(false);
            const ObserverScope observer(&recorder);
            const InterceptorScope interceptor(&recorder);
            const LoopRecorderScope loops(&recorder);
            results = run_code(*code_, {inputs.begin(), inputs.end()});
        }
        what->reason = recorder.reason();
        for (std::size_t i = 0; i < results.size(); ++i) {
            const std::int64_t value = results[i].is_tensor() ? recorder.value_of(results[i].tensor_impl()) : -1;
            if (value < 0 && what->reason.empty()) what->reason = "a result that no loop made";
            what->outputs.push_back(value);
            outputs[i] = std::move(results[i]);
        }
        if (what->reason.empty()) {
            what->expression = recorder.expression();
            what->calls = recorder.calls();
            what->sites = recorder.sites();
        }
        return what;
    }

    static std::vector<TensorMeta> metas_of(const Specialisation& what, std::span<const IValue> inputs) {
        std::vector<TensorMeta> metas(what.expression.inputs.size() + what.expression.steps.size());
        std::vector<Tensor> tensors(metas.size());
        for (std::size_t i = 0; i < what.inputs.size(); ++i) {
            const Tensor t = inputs[what.inputs[i]].to_tensor();
            metas[i] = {to_dims(t.sizes()), t.dtype(), t.device(), to_dims(t.strides())};
            tensors[i] = t;
        }
        for (const RecordedCall& call : what.calls) {
            std::vector<IValue> arguments = call.arguments;
            for (std::size_t i = 0; i < arguments.size(); ++i) {
                if (call.values[i] >= 0) arguments[i] = tensors[static_cast<std::size_t>(call.values[i])];
            }
            MetaList results;
            call.op->record->infer(arguments, results);
            for (std::size_t i = 0; i < results.size(); ++i) {
                if (call.results[i] < 0) continue;
                const auto value = static_cast<std::size_t>(call.results[i]);
                metas[value] = results[i];
                tensors[value] = meta_tensor(results[i]);
            }
        }
        // A kernel's temporary has the shape of its inputs.
        for (std::size_t i = 0; i < what.expression.steps.size(); ++i) {
            const std::size_t value = what.expression.inputs.size() + i;
            if (tensors[value].defined()) continue;
            const FusedStep& step = what.expression.steps[i];
            metas[value].dtype = step.dtype;
            for (const FusedOperand& operand : step.inputs) {
                if (!operand.is_number)
                    metas[value].sizes =
                        broadcast_shapes(span_of(metas[value].sizes), span_of(metas[operand.value].sizes));
            }
            // Of a reduction, the remaining dimensions.
            if (step.rows && step.rows->reduction != nullptr) {
                Dims& sizes = metas[value].sizes;
                std::fill(sizes.end() - step.rows->reduced, sizes.end(), 1);
                if (!step.rows->keeps) sizes.resize(sizes.size() - static_cast<std::size_t>(step.rows->reduced));
            }
        }
        return metas;
    }

    Ptr<Plan> make_plan(const Ptr<Specialisation>& what, std::span<const IValue> inputs) {
        auto plan = make_ptr<Plan>();
        plan->what = what;
        plan->reason = what->reason;
        if (!plan->reason.empty()) return plan;
        plan->metas = metas_of(*what, inputs);
        plan->device = device_of(inputs);
        // What operators make on the way is made on the device too.
        for (std::size_t i = what->expression.inputs.size(); i < plan->metas.size(); ++i)
            plan->metas[i].device = plan->device;
        std::vector<Dims> sizes;
        for (const TensorMeta& meta : plan->metas) sizes.push_back(meta.sizes);
        for (FusedPart& part : make_parts(what->expression, sizes, what->outputs)) {
            std::vector<FusedArray> arrays;
            const auto add = [&](const FusedPart::Array& array) {
                const TensorMeta& meta = plan->metas[array.value];
                arrays.push_back({meta.sizes,
                                  meta.strides.empty() ? contiguous_strides(span_of(meta.sizes)) : meta.strides,
                                  meta.dtype});
            };
            for (const FusedPart::Array& array : part.outputs) add(array);
            for (const FusedPart::Array& array : part.inputs) add(array);
            Plan::Run run;
            run.cost = cost_of(part.expression);
            std::vector<bool> numbers(part.inputs.size(), false);
            if (part.reduced > 0) {
                run.rows = FusedRows(part, arrays);
            } else {
                run.loop = FusedLoop(arrays, part.outputs.size());
                numbers = run.loop.numbers();
            }
            if (const FuserBackend* const backend = device_backend(plan->device)) {
                run.space = part.reduced > 0 ? run.rows.space() : run.loop.space();
                for (std::size_t i = 0; i < part.inputs.size(); ++i)
                    run.space.is_on_host[part.outputs.size() + i] =
                        !plan->device.is_cpu() && plan->metas[part.inputs[i].value].device.is_cpu();
                run.device_kernel = device_kernel_for(*backend, *what, part, run.space, *plan);
            } else if (!plan->device.is_cpu()) {
                plan->reason = concat("no fuser is there for ", device_name(plan->device));
            } else {
                if (part.reduced > 0) plan->reason = too_few(run.rows);
                if (plan->reason.empty()) run.kernel = kernel_for(*what, part, numbers);
            }
            if (!plan->reason.empty()) return plan;
            run.part = std::move(part);
            plan->runs.push_back(std::move(run));
        }
        return plan;
    }

    // Null: kernels are the host's.
    const FuserBackend* device_backend(Device device) {
        if (!device_backend_) {
            for (FuserBackend& backend : fusers()) {
                const bool is_wanted =
                    device.is_cpu() ? backend.name == backend_ : backend_.empty() || backend.name == backend_;
                if (backend.device != device.type || backend.compile_for_device == nullptr || !is_wanted) continue;
                device_backend_ = std::make_unique<FuserBackend>(std::move(backend));
                break;
            }
        }
        const bool is_its = device_backend_ && device_backend_->device == device.type;
        return is_its ? device_backend_.get() : nullptr;
    }

    // Null, and the plan has the reason, when the operators are to run one by one.
    Ptr<const DeviceFusedKernel> device_kernel_for(const FuserBackend& backend, Specialisation& what,
                                                   const FusedPart& part, const FusedSpace& space, Plan& plan) {
        const SetupScope setup(Setup::Compilation);
        std::string why = "it does not say why";
        Ptr<const DeviceFusedKernel> kernel;
        try {
            kernel = backend.compile_for_device(part.expression, space, plan.device, &why);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            why = error.message();
        }
        if (!kernel) {
            plan.reason = concat(backend.name, ": ", why);
            return kernel;
        }
        const std::string content = concat(part.expression.str(), " ", reinterpret_cast<std::uintptr_t>(kernel.get()));
        note_sites(what, part, what.made_by[content]);
        what.device_kernels[content] = kernel;
        return kernel;
    }

    // Threads split rows; an unfused operator can split a row.
    static std::string too_few(const FusedRows& rows) {
        constexpr std::int64_t kMuch = 2 * kElementwiseGrain;
        const bool is_alone = rows.row_count() < 2 * thread_count() && thread_count() > 1;
        if (!is_alone || rows.row_count() * rows.row_length() <= kMuch) return {};
        return concat(rows.row_count(), " rows of ", rows.row_length(), " elements are too few to share");
    }

    // A kernel may stand for several parts alike.
    static void note_sites(const Specialisation& what, const FusedPart& part,
                           std::vector<std::vector<const ir::Node*>>& made_by) {
        made_by.resize(part.expression.inputs.size() + part.expression.steps.size());
        const auto note = [&](std::size_t line, std::uint32_t value) {
            const std::size_t inputs = what.expression.inputs.size();
            const ir::Node* site = value < inputs ? nullptr : what.sites[value - inputs];
            auto& nodes = made_by[line];
            if (site != nullptr && std::find(nodes.begin(), nodes.end(), site) == nodes.end()) nodes.push_back(site);
        };
        for (std::size_t i = 0; i < part.inputs.size(); ++i) note(i, part.inputs[i].value);
        for (std::size_t i = 0; i < part.values.size(); ++i) note(part.inputs.size() + i, part.values[i]);
    }

    Ptr<const FusedKernel> kernel_for(Specialisation& what, const FusedPart& part, const std::vector<bool>& numbers) {
        const FusedExpression& expression = part.expression;
        std::string content = expression.str();
        for (const bool number : numbers) content += number ? '1' : 'a';
        note_sites(what, part, what.made_by[content]);
        if (const auto found = what.kernels.find(content); found != what.kernels.end()) return found->second;
        const SetupScope setup(Setup::Compilation);
        std::string why;
        for (const FuserBackend& backend : fusers()) {
            if (backend.compile == nullptr || (!backend_.empty() && backend.name != backend_)) continue;
            std::string reason_of_this;
            try {
                if (auto kernel = backend.compile(expression, numbers, &reason_of_this))
                    return what.kernels[content] = kernel;
            } catch (const Error& error) {
                reason_of_this = error.message();  // the next backend may support it
            }
            why += concat(why.empty() ? "" : "; ", backend.name, ": ", reason_of_this);
        }
        throw Error(ErrorKind::Unsupported,
                    concat("no fuser takes the group: ", why.empty() ? "there is no fuser '" + backend_ + "'" : why));
    }

    Ptr<const Code> code_;
    std::string backend_;
    std::unique_ptr<const FuserBackend> device_backend_;  // found so far
    std::unordered_map<std::string, Ptr<Specialisation>> specialisations_;
    std::unordered_map<std::string, Ptr<Plan>> plans_;
    Ptr<const Plan> last_;
};

FusedGroup::FusedGroup(Ptr<const ir::Graph> graph, std::string backend)
    : state_(std::make_unique<State>(std::move(graph), std::move(backend))) {}
FusedGroup::~FusedGroup() = default;

void FusedGroup::run(std::span<const IValue> inputs, IValue* outputs) { state_->run(inputs, outputs); }
Ptr<const RefCounted> FusedGroup::plan_for(std::span<const IValue> inputs) { return state_->plan_for(inputs); }
void FusedGroup::run_planned(const RefCounted& plan, std::span<const IValue> inputs, const IValue* outputs) const {
    State::run_plan(static_cast<const Plan&>(plan), inputs, outputs, nullptr);
}
std::size_t FusedGroup::output_count() const { return state_->output_count(); }
std::vector<FusedKernelText> FusedGroup::kernels() const { return state_->kernels(); }
std::vector<std::string> FusedGroup::loops() const { return state_->loops(); }
void FusedGroup::clear_plans() { state_->clear_plans(); }
const std::string& FusedGroup::reason() const { return state_->reason; }

namespace {

// Once each element, of a broadcast one the memory that there is.
std::int64_t bytes_of(const std::vector<IValue>& values) {
    std::int64_t bytes = 0;
    for (const IValue& value : values) {
        if (!value.is_tensor() || !value.to_tensor().defined()) continue;
        const Tensor& t = value.to_tensor();
        const auto whole = static_cast<std::int64_t>(t.numel() * element_size(t.dtype()));
        bytes += std::min(whole, static_cast<std::int64_t>(t.storage()->bytes()));
    }
    return bytes;
}

// Where the group's work is done, when that is not here: a call is over before its work is.
Device device_of(const std::vector<IValue>& values) {
    for (const IValue& value : values) {
        if (value.is_tensor() && value.to_tensor().defined() && !value.to_tensor().device().is_cpu())
            return value.to_tensor().device();
    }
    return Device{};
}

// Of a device's work several runs at a time, so that a launch is no part of it where work takes longer.
double best_of_several(Device device, const std::function<void()>& work) {
    constexpr int kTimes = 7;
    DeviceInterface* const other = device.is_cpu() ? nullptr : device_interface(device.type);
    const int runs = other == nullptr ? 1 : 8;
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kTimes; ++i) {
        if (other != nullptr) other->synchronize(device);
        const auto begin = std::chrono::steady_clock::now();
        for (int run = 0; run < runs; ++run) work();
        if (other != nullptr) other->synchronize(device);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        best = std::min(best, seconds / runs);
    }
    return best;
}

}  // namespace

FusedGroupMeasure measure_fused_group(const Ptr<const ir::Graph>& graph, const std::vector<IValue>& inputs,
                                      const std::string& backend, bool with_times) {
    const GradModeScope no_grad(false);
    const ObserverScope unobserved(nullptr);
    const Device device = device_of(inputs);
    FusedGroup group(graph, backend);
    std::vector<IValue> results(graph->outputs().size());
    const auto run = [&] { group.run(inputs, results.data()); };
    run();  // records the loops
    run();  // compiles them
    FusedGroupMeasure measure;
    measure.reason = group.reason();
    measure.kernels = group.kernels();
    measure.outputs = results;
    measure.loops = group.loops();
    measure.bytes = bytes_of(inputs) + bytes_of(results);
    if (!with_times) return measure;
    measure.fused_seconds = best_of_several(device, run);
    measure.new_sizes_seconds = best_of_several(device, [&] {
        group.clear_plans();
        run();
    });
    const Ptr<const Code> code = Code::make(graph, {});
    measure.unfused_seconds = best_of_several(device, [&] { run_code(*code, inputs); });
    return measure;
}

}  // namespace loupe::runtime

// SPDX-License-Identifier: Apache-2.0
#include "core/dispatch/dispatch.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <unordered_map>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/scoped_value.h"
#include "core/base/strings.h"
#include "core/dispatch/autocast.h"
#include "core/dispatch/buffer_donation.h"
#include "core/dispatch/device_fallback.h"
#include "core/dispatch/fallback_observer.h"
#include "core/dispatch/interceptor.h"
#include "core/dispatch/nested_calls.h"
#include "core/dispatch/operator_node.h"
#include "core/dispatch/operator_opener.h"
#include "core/dispatch/out_checks.h"
#include "core/dispatch/quantized_kernels.h"
#include "core/dispatch/refuse_form.h"
#include "core/dispatch/sharded_calls.h"

namespace loupe {

thread_local DispatchInterceptor* detail::thread_interceptor = nullptr;

namespace {

bool has_bit(std::uint64_t bits, std::size_t i) { return (bits >> i & 1) != 0; }

// Calls visit(tensor) on each defined tensor argument, list elements included, until it returns true.
template <typename Visit>
bool any_tensor(const Operator& op, std::span<const IValue> arguments, Visit&& visit) {
    for (std::uint64_t bits = op.tensor_arguments | op.list_arguments; bits != 0; bits &= bits - 1) {
        const auto i = static_cast<std::size_t>(__builtin_ctzll(bits));
        if (i >= arguments.size()) break;
        const IValue& value = arguments[i];
        if (value.is_tensor()) {
            if (visit(*value.tensor_impl())) return true;
        } else if (value.is_list()) {
            for (const IValue& element : value.to_list().elements) {
                if (element.is_tensor() && visit(*element.tensor_impl())) return true;
            }
        }
    }
    return false;
}

bool any_requires_grad(const Operator& op, std::span<const IValue> arguments) {
    return any_tensor(op, arguments, [](const TensorImpl& impl) {
        return impl.autograd != nullptr && requires_grad(Tensor(Ptr<TensorImpl>(const_cast<TensorImpl*>(&impl))));
    });
}

// Stands for running the CPU's kernel on copies.
const KernelCandidate& fallback_kernel() {
    static const KernelCandidate kFallback{"cpu fallback", nullptr, nullptr};
    return kFallback;
}

// The kernels to ask for a device. Those of views and the like stand with the CPU's.
DeviceType kernels_for(const Operator& op, std::span<const IValue> arguments) {
    if (!any_device_but_cpu() || op.works_anywhere) [[likely]]
        return DeviceType::Cpu;
    return device_of_call(op, arguments).type;
}

const KernelCandidate& choose_kernel(const Operator& op, std::span<const IValue> arguments,
                                     ExecutionObserver* observer = execution_observer()) {
    const DeviceType device = kernels_for(op, arguments);
    const auto& candidates = op.kernels->candidates[static_cast<std::size_t>(device)];
    if (observer == nullptr) [[likely]] {
        for (const KernelCandidate& candidate : candidates) {
            if (candidate.accepts == nullptr || candidate.accepts(arguments, nullptr)) return candidate;
        }
    } else {
        KernelChoice choice{op.full_name, {}, {}};
        for (const KernelCandidate& candidate : candidates) {
            std::string why;
            if (candidate.accepts == nullptr || candidate.accepts(arguments, &why)) {
                choice.backend = candidate.backend;
                observer->on_kernel(choice);
                return candidate;
            }
            choice.declined.push_back(concat(candidate.backend, " declined: ", why));
        }
        if (device != DeviceType::Cpu) {
            choice.backend = fallback_kernel().backend;
            if (candidates.empty()) choice.declined.push_back(concat(device_type_name(device), " has no kernel"));
            observer->on_kernel(choice);
        }
    }
    if (device != DeviceType::Cpu) return fallback_kernel();
    throw Error(ErrorKind::Run, concat("Could not run '", op.full_name, "' on device cpu: no kernel"));
}

// As PyTorch names it where it refuses a dtype.
std::string kernel_name(const Operator& op) {
    if (!op.record->dtypes.kernel.empty()) return std::string(op.record->dtypes.kernel);
    std::string_view name = std::string_view(op.schema.name).substr(op.schema.name.rfind(':') + 1);
    if (op.variant == OperatorVariant::InPlace) name.remove_suffix(1);
    if (name.starts_with("special_")) name.remove_prefix(8);
    return concat(name, "_cpu");
}
[[noreturn]] void refuse_dtype(const Operator& op, ScalarType dtype) {
    throw Error(ErrorKind::Run,
                concat("\"", kernel_name(op), "\" not implemented for '", dtype_graph_name(dtype), "'"));
}
// The record's metadata. Where it refuses a dtype it does not know for which operator; this says it.
void infer(const Operator& op, std::span<const IValue> arguments, MetaList& metas) {
    try {
        op.record->infer(arguments, metas);
    } catch (const Error& error) {
        if (!error.message().starts_with("not implemented for '")) throw;
        throw Error(ErrorKind::Run, concat("\"", kernel_name(op), "\" ", error.message()));
    }
}

// The record's metadata, on the device of the call.
void infer_on_device(const Operator& op, std::span<const IValue> arguments, MetaList& metas) {
    infer(op, arguments, metas);
    if (!any_device_but_cpu() || op.record->placement == Placement::Anywhere) [[likely]]
        return;
    const Device device = device_of_call(op, arguments);
    for (TensorMeta& meta : metas) {
        if (meta.device.is_cpu()) meta.device = device;
    }
}

Tensor make_output(const TensorMeta& meta) {
    if (meta.strides.empty()) return empty(span_of(meta.sizes), meta.dtype, meta.device);
    return empty_strided(span_of(meta.sizes), span_of(meta.strides), meta.dtype, meta.device);
}

bool same_sizes(IntSpan a, IntSpan b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

// Readies `target` to receive a result with this metadata; returns the tensor that the kernel fills.
Tensor prepare_target(const Operator& op, const Tensor& target, const TensorMeta& meta) {
    const bool is_out = op.variant == OperatorVariant::Out;
    if (is_out) check_out_dtype(op, meta.dtype, target.dtype());
    if (!can_cast(meta.dtype, target.dtype())) {
        throw Error(ErrorKind::Run,
                    concat("result type ", dtype_graph_name(meta.dtype), " can't be cast to the desired output type ",
                           dtype_graph_name(target.dtype())));
    }
    if (!same_sizes(target.sizes(), span_of(meta.sizes))) {
        if (!is_out) {
            throw Error(ErrorKind::Run,
                        concat("output with shape ", shape_list_text(target.sizes()),
                               " doesn't match the broadcast shape ", shape_list_text(span_of(meta.sizes))));
        }
        TensorMeta resized = meta;
        resized.dtype = target.dtype();
        target.set_metadata_from(make_output(resized));
    }
    for (std::size_t d = 0; d < target.sizes().size(); ++d) {
        if (target.strides()[d] != 0 || target.sizes()[d] < 2 || target.numel() == 0) continue;
        throw Error(
            ErrorKind::Run,
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "Please clone() the tensor before performing the operation.");
    }
    if (meta.dtype == target.dtype()) return target;
    return make_output(meta);
}

// Did the caller donate the arguments of the call under way? Those of calls that an operator makes itself are its own.
thread_local bool arguments_are_donated = false;

class DonationScope final : ScopedValue<bool> {
  public:
    explicit DonationScope(bool donated) : ScopedValue(arguments_are_donated, donated) {}
};

// Can the result lie where the first argument lies? What has an in-place form reads each element before it writes it.
bool can_overwrite(const Operator& op, std::span<const IValue> arguments, const MetaList& metas) {
    if ((op.record->variants & kInPlace) == 0 || metas.size() != 1 || arguments.empty() || !arguments[0].is_tensor())
        return false;
    const TensorImpl& t = *arguments[0].tensor_impl();
    if (t.use_count() != 1 || t.storage->use_count() != 1 || t.autograd != nullptr || t.wrapped_number) return false;
    const TensorMeta& meta = metas[0];
    if (t.dtype != meta.dtype || t.sizes != meta.sizes || !(t.storage->device() == meta.device)) return false;
    return meta.strides.empty() ? t.contiguous : t.strides == meta.strides;
}

void run_filling(const Operator& op, const KernelCandidate& kernel, std::span<const IValue> arguments,
                 IValue* results) {
    const bool is_donated = arguments_are_donated;
    const DonationScope inside(false);
    MetaList metas;
    infer_on_device(op, arguments, metas);
    for (const TensorMeta& meta : metas) {
        if (!has_dtype(op.dtypes, meta.dtype)) [[unlikely]]
            refuse_dtype(op, meta.dtype);
    }
    if (op.variant == OperatorVariant::Functional && is_donated && can_overwrite(op, arguments, metas)) {
        results[0] = arguments[0];
        kernel.kernel(arguments, results);
        return;
    }
    if (op.variant == OperatorVariant::Functional) {
        for (std::size_t i = 0; i < metas.size(); ++i) results[i] = make_output(metas[i]);
        kernel.kernel(arguments, results);
        return;
    }
    const std::size_t first_out = arguments.size() - metas.size();
    TensorList targets;
    for (std::size_t i = 0; i < metas.size(); ++i) {
        targets.push_back(arguments[op.variant == OperatorVariant::Out ? first_out + i : 0].to_tensor());
        if (op.variant == OperatorVariant::Out) check_out_overlap(op, arguments.first(first_out), targets[i]);
        // An input that takes the result, or a tensor that takes two, is resized when all have been read.
        std::size_t uses = 0;
        any_tensor(op, arguments, [&](const TensorImpl& impl) {
            uses += &impl == targets[i].impl() ? 1 : 0;
            return false;
        });
        const bool fits = same_sizes(targets[i].sizes(), span_of(metas[i].sizes));
        const bool waits = op.variant == OperatorVariant::Out && uses > 1 && (!fits || metas.size() > 1);
        results[i] = waits ? make_output(metas[i]) : prepare_target(op, targets[i], metas[i]);
    }
    kernel.kernel(arguments, results);
    for (std::size_t i = 0; i < metas.size(); ++i) {
        const Tensor filled = results[i].to_tensor();
        if (filled.is_same(targets[i])) continue;
        prepare_target(op, targets[i], metas[i]);
        gradient_arithmetic().copy(targets[i], filled);
        results[i] = targets[i];
    }
}

// Runs the call on copies on the CPU; results that are no arguments go to the device of the call.
void run_on_cpu(const Operator& op, std::span<const IValue> arguments, IValue* results) {
    using Clock = std::chrono::steady_clock;
    const auto began = Clock::now();
    HostArguments host(op, arguments);
    const auto copied = Clock::now();
    {
        const KernelCandidate& kernel = choose_kernel(op, host.values(), nullptr);
        if (op.record->kernel.fills)
            run_filling(op, kernel, host.values(), results);
        else
            kernel.kernel(host.values(), results);
    }
    const auto ran = Clock::now();
    host.finish({results, op.result_count()});
    if (FallbackObserver* const observer = fallback_observer()) {
        const std::chrono::duration<double> copies = (copied - began) + (Clock::now() - ran);
        observer->on_fallback({host.device(), host.copied_bytes(), copies.count()});
    }
}

// A variant's extra arguments stand last, so that kernels see the functional form's first.
void run_kernel_itself(const Operator& op, const KernelCandidate& kernel, std::span<const IValue> arguments,
                       IValue* results) {
    if (kernel.kernel == nullptr) [[unlikely]] {
        const DonationScope inside(false);
        run_on_cpu(op, arguments, results);
    } else if (op.record->kernel.fills) {
        run_filling(op, kernel, arguments, results);
    } else {
        const DonationScope inside(false);
        kernel.kernel(arguments, results);
    }
    for (std::uint64_t bits = op.written_arguments; bits != 0; bits &= bits - 1) {
        const IValue& written = arguments[static_cast<std::size_t>(__builtin_ctzll(bits))];
        // A list that grows leaves its tensors as they are.
        if (written.is_tensor()) written.tensor_impl()->storage->bump_version();
    }
    for (std::uint64_t bits = op.written_elements; bits != 0; bits &= bits - 1) {
        const IValue& list = arguments[static_cast<std::size_t>(__builtin_ctzll(bits))];
        if (!list.is_list()) continue;
        for (const IValue& element : list.to_list().elements) {
            if (element.is_tensor()) element.tensor_impl()->storage->bump_version();
        }
    }
}

void run_kernel(const Operator& op, const KernelCandidate& kernel, std::span<const IValue> arguments, IValue* results) {
    if (DispatchInterceptor* const interceptor = detail::thread_interceptor; interceptor != nullptr) [[unlikely]] {
        {
            const InterceptorScope once(nullptr);  // a kernel that calls operators is one operator
            if (!interceptor->run(op, arguments, results)) {
                const InterceptorScope inner(interceptor->inside());
                run_kernel_itself(op, kernel, arguments, results);
            }
        }
        interceptor->after(op, arguments, results);
        return;
    }
    run_kernel_itself(op, kernel, arguments, results);
}

void mark_views(const Operator& op, std::span<const IValue> arguments, IValue* results) {
    for (std::size_t i = 0; i < op.result_count(); ++i) {
        const int source = op.result_alias[i];
        if (source < 0 || !arguments[static_cast<std::size_t>(source)].is_tensor()) continue;
        const Tensor base = arguments[static_cast<std::size_t>(source)].to_tensor();
        const auto mark = [&](const IValue& value, bool several) {
            const Tensor view = value.to_tensor();
            if (!view.is_same(base) && view.storage() == base.storage()) set_view(view, base, several);
        };
        if (results[i].is_tensor()) {
            mark(results[i], false);
        } else if (results[i].is_list()) {
            for (const IValue& element : results[i].to_list().elements) mark(element, true);
        }
    }
}

void set_histories(const Operator& op, std::span<const IValue> arguments, IValue* results,
                   const Ptr<OperatorNode>& node) {
    const std::uint64_t constants = op.record->constant_results;
    const auto set_one = [&](const IValue& value, bool is_written, bool is_constant) {
        if (!value.is_tensor() || is_constant) {
            node->add_output({});
            return;
        }
        const Tensor t = value.to_tensor();
        if (is_written) {
            rebase_history(t, node);
        } else if (!is_differentiable(t.dtype())) {
            node->add_output({});
        } else if (any_tensor(op, arguments, [&](const TensorImpl& impl) { return &impl == t.impl(); })) {
            node->add_output(t);  // the operator gave its argument back: its history stays
        } else {
            set_history(t, node);
        }
    };
    for (std::size_t i = 0; i < op.result_count(); ++i) {
        const int source = op.result_alias[i];
        const bool is_written = source >= 0 && has_bit(op.written_arguments, static_cast<std::size_t>(source));
        if (results[i].is_list()) {
            for (const IValue& element : results[i].to_list().elements) set_one(element, is_written, false);
        } else {
            set_one(results[i], is_written, has_bit(constants, i));
        }
    }
}

[[noreturn]] void fail_out_with_gradient(const Operator& op) {
    const std::string_view name = std::string_view(op.schema.name).substr(op.schema.name.rfind(':') + 1);
    throw Error(ErrorKind::Run,
                concat(name,
                       "(): functions with out=... arguments don't support automatic differentiation, but one of the "
                       "arguments requires grad."));
}

// Made of other operators, of which each finds its device. One that reads elements itself gets copies on the CPU, by
// operators too, so that the gradient goes through.
void run_composite(const Operator& op, std::span<const IValue> arguments, IValue* results) {
    if (!any_device_but_cpu() || op.record->placement != Placement::Host) [[likely]] {
        op.record->composite(arguments, results);
        return;
    }
    const Device device = device_of_call(op, arguments);
    const auto moved = [](const IValue& value, Device to) {
        const auto one = [&](const IValue& element) {
            if (!element.is_tensor() || element.to_tensor().device() == to) return element;
            return IValue(gradient_arithmetic().to_device(element.to_tensor(), to));
        };
        if (value.is_device()) return IValue(to);
        if (!value.is_list()) return one(value);
        auto list = make_ptr<ListObject>(value.to_list().element_type);
        for (const IValue& element : value.to_list().elements) list->elements.push_back(one(element));
        return IValue(std::move(list));
    };
    std::vector<IValue> on_cpu;
    for (const IValue& value : arguments) on_cpu.push_back(moved(value, Device{}));
    op.record->composite(on_cpu, results);
    for (std::size_t i = 0; i < op.result_count(); ++i) results[i] = moved(results[i], device);
}

// An out= form of an operator that makes its results: runs it and copies them.
void call_into_outs(const Operator& op, std::span<const IValue> arguments, IValue* results) {
    if (GradMode::is_enabled() && any_requires_grad(op, arguments)) fail_out_with_gradient(op);
    const GradModeScope no_grad(false);
    const std::span<const IValue> own = arguments.first(arguments.size() - op.result_count());
    std::vector<IValue> made(op.result_count());
    if (op.record->composite != nullptr)
        run_composite(op, own, made.data());
    else if (const KernelCandidate& kernel = choose_kernel(op, own); kernel.kernel != nullptr)
        kernel.kernel(own, made.data());
    else
        run_on_cpu(op, own, made.data());
    for (std::size_t i = 0; i < made.size(); ++i) {
        const Tensor target = arguments[own.size() + i].to_tensor();
        check_out_overlap(op, own, target);
        const Tensor result = made[i].to_tensor();
        // What was not asked for is not written.
        if (result.defined()) {
            check_out_dtype(op, result.dtype(), target.dtype());
            prepare_out(target, result);
            gradient_arithmetic().copy(target, result);
        }
        results[i] = target;
    }
}

void call_recorded(const Operator& op, std::span<const IValue> arguments, IValue* results) {
    if (op.variant == OperatorVariant::Out) fail_out_with_gradient(op);
    for (std::uint64_t bits = op.written_arguments; bits != 0; bits &= bits - 1) {
        const IValue& written = arguments[static_cast<std::size_t>(__builtin_ctzll(bits))];
        if (written.is_tensor()) check_inplace(written.to_tensor(), true);
    }
    const auto node = make_ptr<OperatorNode>(op, arguments);
    // Chosen in the caller's grad mode: a candidate may leave out what only the backward pass needs.
    const KernelCandidate& kernel = choose_kernel(op, arguments);
    {
        const GradModeScope no_grad(false);
        run_kernel(op, kernel, arguments, results);
    }
    if (op.is_view) mark_views(op, arguments, results);
    set_histories(op, arguments, results, node);
    node->save_results({results, op.result_count()});
}

ErrorContext call_context(const Operator& op, std::span<const IValue> arguments) {
    ErrorContext context;
    context.op = op.full_name;
    any_tensor(op, arguments, [&](const TensorImpl& impl) {
        context.inputs.push_back(describe(Tensor(Ptr<TensorImpl>(const_cast<TensorImpl*>(&impl)))));
        return false;
    });
    return context;
}

// Programs of honest compilers cannot get here with another value, damaged ones can: by unchecked_cast, or an optional
// that is None. Kernels rely on it.
struct Given {
    bool is_sparse = false;  // one of the tensors is no plain array
    bool is_taken = true;    // the kernel takes the dtypes of all
};
Given require_tensors(const Operator& op, std::span<const IValue> arguments) {
    Given given;
    const auto look_at = [&](const TensorImpl& t) {
        given.is_sparse = given.is_sparse || t.sparse != nullptr;
        given.is_taken = given.is_taken && has_dtype(op.dtypes, t.dtype);
    };
    const auto refuse = [&](std::size_t i, const IValue& value) {
        throw Error(ErrorKind::Run,
                    concat(op.schema.name, "() Expected a value of type '", op.schema.arguments[i].type->str(),
                           "' for argument '", op.schema.arguments[i].name, "' but instead found type '",
                           value_type_name(value), "'."));
    };
    for (std::uint64_t bits = op.tensor_arguments; bits != 0; bits &= bits - 1) {
        const auto i = static_cast<std::size_t>(__builtin_ctzll(bits));
        if (arguments[i].is_tensor()) [[likely]] {
            look_at(*arguments[i].tensor_impl());
            continue;
        }
        if (!arguments[i].is_none() || op.schema.arguments[i].type->kind() == TypeKind::Tensor) refuse(i, arguments[i]);
    }
    for (std::uint64_t bits = op.list_arguments; bits != 0; bits &= bits - 1) {
        const auto i = static_cast<std::size_t>(__builtin_ctzll(bits));
        if (!arguments[i].is_list()) continue;
        const Type& list = *op.schema.arguments[i].type;
        const bool takes_none = list.kind() != TypeKind::List || list.element()->kind() != TypeKind::Tensor;
        for (const IValue& element : arguments[i].to_list().elements) {
            if (!element.is_tensor() && !(takes_none && element.is_none())) refuse(i, element);
            if (element.is_tensor()) look_at(*element.tensor_impl());
        }
    }
    return given;
}

// The dtype that the first two arguments are computed in, where one of them is an unsigned integer and the other, a
// tensor or a number, is not integral; nullopt for others, which PyTorch does not promote.
std::optional<ScalarType> common_dtype(std::span<const IValue> arguments) {
    std::optional<ScalarType> common;
    for (const IValue& value : arguments.first(std::min<std::size_t>(arguments.size(), 2))) {
        if (value.is_double()) common = common.value_or(ScalarType::Float32);
        if (value.is_complex()) common = common.value_or(ScalarType::Complex64);
        if (!value.is_tensor()) continue;
        const ScalarType dtype = value.tensor_impl()->dtype;
        if (is_float8(dtype)) return std::nullopt;
        if (!is_integral(dtype)) common = dtype;
    }
    return common;
}

// Of tensors whose dtypes the kernel does not take all: what counts where they are promoted is the common one. What
// the operator itself refuses is refused first.
void check_dtypes(const Operator& op, std::span<const IValue> arguments) {
    if (op.record->infer != nullptr) {
        MetaList metas;
        infer(op, arguments, metas);
        if (const auto common = common_dtype(arguments); common && has_dtype(op.dtypes, *common)) return;
    }
    any_tensor(op, arguments, [&](const TensorImpl& t) {
        if (!has_dtype(op.dtypes, t.dtype)) refuse_dtype(op, t.dtype);
        return false;
    });
}

void call_unchecked(const Operator& op, std::span<const IValue> arguments, IValue* results) {
    if (detail::autocast_on) [[unlikely]] {
        std::vector<IValue> cast;
        if (detail::autocast_arguments(op, arguments, cast)) {
            const detail::AutocastOff off;
            call_unchecked(op, cast, results);
            detail::autocast_results(op, arguments, results);
            return;
        }
    }
    if (op.variant == OperatorVariant::Out && !op.record->kernel.fills) {
        call_into_outs(op, arguments, results);
        return;
    }
    if (op.record->composite != nullptr) {
        const DonationScope inside(false);
        run_composite(op, arguments, results);
        return;
    }
    if (GradMode::is_enabled() && any_requires_grad(op, arguments)) {
        if (!op.record->is_gradient_stop) return call_recorded(op, arguments, results);
        // A kernel that is made of operators leaves none of their history behind either.
        const GradModeScope off(false);
        return run_kernel(op, choose_kernel(op, arguments), arguments, results);
    }
    run_kernel(op, choose_kernel(op, arguments), arguments, results);
    // detach() gives a view that autograd does not know of.
    if (op.is_view && !op.record->is_gradient_stop) mark_views(op, arguments, results);
}

// The form of the first tensor that is no plain array.
TensorForm form_of_call(const Operator& op, std::span<const IValue> arguments) {
    TensorForm form = TensorForm::Coordinate;
    any_tensor(op, arguments, [&](const TensorImpl& t) {
        if (t.sparse != nullptr) form = t.sparse->form;
        return t.sparse != nullptr;
    });
    return form;
}

// Null when there is none.
SparseFunction quantized_kernel_of(const Operator& op) {
    static const auto by_name = [] {
        std::unordered_map<std::string_view, SparseFunction> all;
        for (const QuantizedKernel& each : quantized_kernels()) all.emplace(each.op, each.run);
        return all;
    }();
    const auto found = by_name.find(op.full_name);
    return found == by_name.end() ? nullptr : found->second;
}

bool is_nested_form(TensorForm form) { return form == TensorForm::Jagged || form == TensorForm::Nested; }
// Forms whose rules are asked before kernels that take sparse tensors as they are.
bool has_own_rules(TensorForm form) { return is_nested_form(form) || form == TensorForm::Sharded; }

// Of compressed sparse and of nested tensors the values record; what is made of other operators leaves it to those.
void call_on_sparse(const Operator& op, std::span<const IValue> arguments, IValue* results, TensorForm form) {
    if (form == TensorForm::Sharded) {
        if (op.variant != OperatorVariant::Out && run_on_sharded(op, arguments, results)) return;
        if (op.variant == OperatorVariant::Out || !op.is_composite()) refuse_form(op, form);
        return call_unchecked(op, arguments, results);
    }
    if (is_nested_form(form)) {
        if (op.variant != OperatorVariant::Out && run_on_nested(op, arguments, results)) return;
        if (!op.takes_sparse && !op.is_composite()) refuse_form(op, form);
        return call_unchecked(op, arguments, results);
    }
    if (form == TensorForm::Quantized) {
        if (const SparseFunction run = quantized_kernel_of(op)) {
            const GradModeScope no_grad(false);
            return run(op, arguments, results);
        }
    }
    const bool has_rule = op.record->sparse.run != nullptr && op.variant != OperatorVariant::Out;
    if (!has_rule && form != TensorForm::Coordinate && op.is_composite()) return call_unchecked(op, arguments, results);
    if (!has_rule) refuse_form(op, form);
    const bool records = form == TensorForm::Compressed || form == TensorForm::Packed;
    const GradModeScope grad(records && GradMode::is_enabled());
    op.record->sparse.run(op, arguments, results);
}

void call_unobserved(const Operator& op, std::span<const IValue> arguments, IValue* results) {
    try {
        const Given given = require_tensors(op, arguments);
        if (given.is_sparse) [[unlikely]] {
            const TensorForm form = form_of_call(op, arguments);
            if (!op.takes_sparse || has_own_rules(form)) return call_on_sparse(op, arguments, results, form);
        }
        if (!given.is_taken) [[unlikely]]
            check_dtypes(op, arguments);
        if (any_device_but_cpu() && !op.is_composite()) [[unlikely]]
            check_same_device(op, arguments);
        call_unchecked(op, arguments, results);
    } catch (Error& error) {
        if (error.kind() != ErrorKind::Cancelled) error.add_context(call_context(op, arguments));
        throw;
    } catch (const std::bad_alloc&) {
        throw Error(ErrorKind::Run, "out of memory", call_context(op, arguments));
    } catch (const std::length_error&) {  // a list longer than any memory
        throw Error(ErrorKind::Run, "out of memory", call_context(op, arguments));
    }
}

void call_observed(const Operator& op, std::span<const IValue> arguments, IValue* results,
                   ExecutionObserver& observer) {
    OperatorCall call;
    call.name = op.schema.name;
    call.schema = &op.schema;
    call.op = &op;
    call.inputs = arguments;
    if (call_opened(call, results)) return;
    const NestedCallScope nested;
    observer.before_operator(call);
    try {
        call_unobserved(op, arguments, results);
    } catch (const Error& error) {
        observer.on_exception(error);
        throw;
    }
    call.outputs = {results, op.result_count()};
    observer.after_operator(call);
}

// "aten.sin.default".
std::string overload_text(const Operator& op) {
    const std::string_view name = op.schema.name;
    const std::size_t colons = name.find("::");
    return concat(name.substr(0, colons), ".", name.substr(std::min(colons, name.size() - 2) + 2), ".",
                  op.schema.overload.empty() ? std::string_view("default") : op.schema.overload);
}

}  // namespace

void refuse_form(const Operator& op, TensorForm form) {
    struct Words {
        std::string_view backend, what, hint;
    };
    const Words words = [&]() -> Words {
        switch (form) {
            case TensorForm::Coordinate:
                return {"SparseCPU", "sparse tensors", "to_dense()"};
            case TensorForm::Compressed:
                return {"SparseCsrCPU", "compressed sparse tensors", "to_dense()"};
            case TensorForm::Quantized:
                return {"QuantizedCPU", "quantised tensors", "dequantize()"};
            case TensorForm::Packed:
                return {"PackedCPU", "packed weights", "dequantize()"};
            case TensorForm::Jagged:
            case TensorForm::Nested:
                return {"NestedTensorCPU", "nested tensors", "to_padded_tensor()"};
            case TensorForm::Sharded:
                break;
        }
        return {};
    }();
    // All that PyTorch says of a jagged tensor.
    if (form == TensorForm::Jagged)
        throw Error(ErrorKind::Unsupported, overload_text(op), {.hint = "call to_padded_tensor() first"});
    if (form == TensorForm::Sharded)
        throw Error(ErrorKind::Unsupported,
                    concat(overload_text(op), " of a DTensor is not here: call full_tensor() or to_local() first"));
    throw Error(ErrorKind::Unsupported,
                concat("Could not run '", op.full_name, "' with arguments from the '", words.backend,
                       "' backend: this operator takes no ", words.what, ". Call ", words.hint, " first."));
}

void refuse_sparse(const Operator& op) { refuse_form(op, TensorForm::Coordinate); }

bool call_opened(OperatorCall call, IValue* results) {
    OperatorOpener* const opener = detail::thread_operator_opener;
    if (opener == nullptr || call.op == nullptr || !call.op->is_composite()) [[likely]]
        return false;
    opener->open_operator(call);
    try {
        call_unobserved(*call.op, call.inputs, results);
    } catch (...) {
        opener->close_operator(call, false);
        throw;
    }
    call.outputs = {results, call.op->result_count()};
    opener->close_operator(call, true);
    return true;
}

bool is_observed(const Operator& op) {
    if ((op.tensor_arguments | op.list_arguments) != 0 || op.record->is_random) return true;
    const auto holds_tensor = [](const Type* type) {
        while (type->kind() == TypeKind::Optional || type->kind() == TypeKind::List) type = type->element().get();
        return type->kind() == TypeKind::Tensor;
    };
    const auto& returns = op.schema.returns;
    return std::any_of(returns.begin(), returns.end(), [&](const Argument& r) { return holds_tensor(r.type.get()); });
}

void call_operator(const Operator& op, std::span<const IValue> arguments, IValue* results) {
    ExecutionObserver* const observer = observer_of_direct_calls();
    if (observer != nullptr && is_observed(op)) [[unlikely]] {
        call_observed(op, arguments, results, *observer);
    } else {
        call_unobserved(op, arguments, results);
    }
}

void call_operator_donating(const Operator& op, std::span<const IValue> arguments, IValue* results) {
    const DonationScope donated(!GradMode::is_enabled());
    call_operator(op, arguments, results);
}

bool has_device_kernel(const Operator& op, std::span<const IValue> arguments) {
    const DeviceType device = kernels_for(op, arguments);
    return std::ranges::any_of(op.kernels->candidates[static_cast<std::size_t>(device)], [&](const KernelCandidate& c) {
        return c.accepts == nullptr || c.accepts(arguments, nullptr);
    });
}

std::vector<std::string> explain_kernel_choice(const Operator& op, std::span<const IValue> arguments) {
    std::vector<std::string> lines;
    if (op.is_composite()) return {"made of other operators"};
    const DeviceType device = kernels_for(op, arguments);
    for (const KernelCandidate& candidate : op.kernels->candidates[static_cast<std::size_t>(device)]) {
        std::string why;
        if (candidate.accepts == nullptr || candidate.accepts(arguments, &why)) {
            lines.push_back(concat(candidate.backend, ": runs"));
            break;
        }
        lines.push_back(concat(candidate.backend, ": declined, ", why));
    }
    if (device != DeviceType::Cpu && (lines.empty() || !lines.back().ends_with(": runs")))
        lines.push_back(concat(fallback_kernel().backend, ": runs"));
    return lines;
}

std::optional<MetaList> infer_outputs(const Operator& op, std::span<const IValue> arguments) {
    if (op.record->infer == nullptr) return std::nullopt;
    MetaList metas;
    try {
        infer_on_device(op, arguments, metas);
    } catch (Error& error) {
        error.add_context(call_context(op, arguments));
        throw;
    }
    return metas;
}

Tensor meta_tensor(const TensorMeta& meta) {
    const Dims strides = meta.strides.empty() ? contiguous_strides(span_of(meta.sizes)) : meta.strides;
    Ptr<TensorImpl> impl(new TensorImpl);
    impl->storage = Storage::view_of(nullptr, 0, nullptr);
    impl->dtype = meta.dtype;
    impl->set_sizes_strides(span_of(meta.sizes), span_of(strides));
    return Tensor(std::move(impl));
}

Cost operator_cost(const Operator& op, std::span<const IValue> arguments, std::span<const IValue> results) {
    if (op.record->cost != nullptr) return op.record->cost(arguments, results);
    Cost cost;
    const auto count = [&](const Tensor& t) {
        if (t.defined()) cost.bytes += static_cast<double>(t.bytes());
    };
    for (const IValue& value : arguments) visit_tensors(value, count);
    for (const IValue& value : results) {
        visit_tensors(value, [&](const Tensor& t) {
            count(t);
            if (!op.is_view) cost.flops += static_cast<double>(t.numel());
        });
    }
    if (op.is_view) cost.bytes = 0;
    return cost;
}

}  // namespace loupe

// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/fuse/fusion_recorder.h"
#include "core/dispatch/device_fallback.h"

#include <algorithm>
#include <cstring>

#include "core/base/strings.h"
#include "core/dispatch/dispatch.h"

namespace loupe::runtime {
namespace {

Tensor make_result(const TensorMeta& meta) {
    if (meta.strides.empty()) return empty(span_of(meta.sizes), meta.dtype, meta.device);
    return empty_strided(span_of(meta.sizes), span_of(meta.strides), meta.dtype, meta.device);
}

bool holds_tensors(const IValue& value) {
    if (!value.is_list()) return false;
    const auto& elements = value.to_list().elements;
    return std::any_of(elements.begin(), elements.end(), [](const IValue& element) {
        return !element.is_int() && !element.is_double() && !element.is_bool();
    });
}

Tensor handle_of(const TensorImpl* impl) { return Tensor(Ptr<TensorImpl>(const_cast<TensorImpl*>(impl))); }

}  // namespace

void FusionRecorder::add_input(const Tensor& tensor) {
    values_.try_emplace(tensor.impl(), static_cast<std::uint32_t>(sizes_.size()));
    expression_.inputs.push_back(tensor.dtype());
    sizes_.push_back(to_dims(tensor.sizes()));
    kept_.push_back(tensor);
    if (tensor.device().type != DeviceType::Cpu) decline("not on the CPU");
    if (tensor.numel() == 0) decline("no elements");
}

std::int64_t FusionRecorder::value_of(const TensorImpl* tensor) const {
    const auto found = values_.find(tensor);
    return found == values_.end() ? -1 : static_cast<std::int64_t>(found->second);
}

void FusionRecorder::decline(std::string reason) {
    if (reason_.empty()) reason_ = std::move(reason);
}

bool FusionRecorder::run(const Operator& op, std::span<const IValue> arguments, IValue* results) {
    const bool fits = op.variant == OperatorVariant::Functional && !op.is_view && op.is_pure() &&
                      op.record->kernel.function != nullptr && op.record->infer != nullptr;
    // Its own kernel is the CPU's.
    if (any_device_but_cpu() && !device_of_call(op, arguments).is_cpu()) {
        decline("not on the CPU");
        return false;
    }
    if (!fits) {
        decline(concat(op.full_name, " is not pointwise"));
        return false;
    }
    RecordedCall call{&op, {arguments.begin(), arguments.end()}, std::vector<std::int64_t>(arguments.size(), -1), {}};
    MetaList metas;
    op.record->infer(arguments, metas);
    for (std::size_t i = 0; i < metas.size() && op.record->kernel.fills; ++i) results[i] = make_result(metas[i]);
    read_.clear();
    {
        const InterceptorScope no_more(nullptr);
        op.record->kernel.function(arguments, results);
    }
    for (std::size_t i = 0; i < metas.size(); ++i) {
        const bool is_there = results[i].is_tensor() && results[i].to_tensor().defined();
        call.results.push_back(is_there ? value_of(results[i].tensor_impl()) : -1);
        if (is_there && call.results.back() < 0) decline(concat(op.full_name, " is not made of elementwise loops"));
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (holds_tensors(arguments[i])) decline(concat(op.full_name, " takes a list"));
        if (!arguments[i].is_tensor() || !arguments[i].to_tensor().defined()) continue;
        const TensorImpl* tensor = arguments[i].tensor_impl();
        call.arguments[i] = IValue();
        call.values[i] = value_of(tensor);
        // A number that a kernel looked at is none that a loop reads.
        const bool is_read =
            call.values[i] >= 0 && std::find(read_.begin(), read_.end(), call.values[i]) != read_.end();
        if (!is_read) decline(concat(op.full_name, " looks at a tensor of ", shape_list_text(span_of(tensor->sizes))));
    }
    calls_.push_back(std::move(call));
    return true;
}

void FusionRecorder::add_step(FusedStep step, const TensorImpl& result) {
    for (const FusedOperand& operand : step.inputs) {
        if (!operand.is_number) read_.push_back(operand.value);
    }
    expression_.steps.push_back(std::move(step));
    sites_.push_back(site_);
    values_[&result] = static_cast<std::uint32_t>(sizes_.size());
    sizes_.push_back(result.sizes);
    kept_.push_back(handle_of(&result));
}

void FusionRecorder::on_loop(ElementwiseKernel kernel, const void* params, std::span<const LoopOperand> operands,
                             std::size_t outputs) {
    if (!reason_.empty()) return;
    FusedStep step;
    step.kernel = kernel;
    if (outputs != 1 || !find_loop_kind(kernel, step.kind)) return decline("a loop that is no pointwise operator's");
    for (std::uint8_t i = 0; i < step.kind.params && params != nullptr; ++i)
        step.params.push_back(static_cast<const Scalar*>(params)[i]);
    step.result_as = operands[0].as;
    step.dtype = operands[0].tensor->dtype;
    for (const LoopOperand& operand : operands.subspan(1)) {
        if (!read(operand, step)) return;
    }
    add_step(std::move(step), *operands[0].tensor);
}

bool FusionRecorder::read(const LoopOperand& operand, FusedStep& step) {
    FusedOperand input;
    input.as = operand.as;
    input.is_number = operand.tensor == nullptr;
    if (input.is_number) {
        std::memcpy(input.number.data(), operand.number, static_cast<std::size_t>(element_size(operand.as)));
    } else {
        const std::int64_t value = value_of(operand.tensor);
        if (value < 0) {
            decline("a loop reads what no loop of the group made");
            return false;
        }
        input.value = static_cast<std::uint32_t>(value);
    }
    step.inputs.push_back(input);
    return true;
}

void FusionRecorder::on_rows(const RowLoop& loop, std::span<const LoopOperand> operands, std::size_t outputs) {
    if (!reason_.empty()) return;
    auto rows = std::make_shared<FusedRowLoop>();
    rows->name = loop.reduction != nullptr ? reduction_name(loop.reduction) : loop.name;
    rows->kernel = loop.kernel;
    rows->reduction = loop.reduction;
    rows->numbers = loop.numbers;
    rows->reduced = loop.reduced;
    rows->outputs = outputs;
    rows->sums = loop.sums;
    rows->keeps = operands[0].tensor->sizes.size() == operands[outputs].tensor->sizes.size();
    if (rows->name.empty()) return decline("a reduction that is not known");
    if (loop.reduced == 0) return decline(concat(rows->name, " along a dimension that is not the last"));
    FusedStep step;
    step.kind.family = LoopFamily::Rows;
    step.kind.as = operands[outputs].as;
    for (const LoopOperand& operand : operands.subspan(outputs)) {
        if (!read(operand, step)) return;
    }
    step.rows = std::move(rows);
    for (std::size_t i = 0; i < outputs; ++i) {
        step.result_as = operands[i].as;
        step.dtype = operands[i].tensor->dtype;
        add_step(step, *operands[i].tensor);
        FusedStep also;
        also.kind.family = LoopFamily::Also;
        also.kind.as = step.kind.as;
        step = also;
    }
}

void FusionRecorder::on_copy(const Tensor& to, const Tensor& from) {
    if (!reason_.empty()) return;
    const std::int64_t value = value_of(from.impl());
    if (value < 0) return decline("a copy of what no loop of the group made");
    FusedStep step;
    step.kind.as = step.result_as = step.dtype = to.dtype();
    FusedOperand input;
    input.value = static_cast<std::uint32_t>(value);
    input.as = from.dtype();
    step.inputs.push_back(input);
    add_step(std::move(step), *to.impl());
}

}  // namespace loupe::runtime

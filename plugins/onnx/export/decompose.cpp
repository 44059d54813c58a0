// SPDX-License-Identifier: Apache-2.0
// An operator without a rule that is made of others: it is run on fakes, and what it calls is written in its place.
#include <array>
#include <exception>
#include <unordered_map>
#include <unordered_set>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/dispatch.h"
#include "core/passes/fake_run.h"
#include "core/passes/graph_breaks.h"
#include "plugins/onnx/export/exporter.h"

namespace loupe::onnx_export {
namespace {

struct RecordedCall {
    const Operator* op = nullptr;
    std::vector<IValue> arguments;
    std::vector<IValue> results;
};

class Recording final : public DispatchInterceptor {
  public:
    bool run(const Operator& op, std::span<const IValue> arguments, IValue* results) override {
        if (!op.is_composite() && passes::results_need_elements(op))
            unsupported("a form that depends on the elements of tensors");
        return fakes_.run(op, arguments, results);
    }
    void after(const Operator& op, std::span<const IValue> arguments, const IValue* results) override {
        calls.push_back({&op, std::vector<IValue>(arguments.begin(), arguments.end()),
                         std::vector<IValue>(results, results + op.result_count())});
    }

    std::vector<RecordedCall> calls;

  private:
    passes::FakeKernels fakes_;
};

// Writes the calls of one run, held against those of the other.
class Replay {
  public:
    explicit Replay(Exporter& exporter) : exporter_(exporter) {}

    void know(const IValue& value, const Operand& operand) {
        if (value.is_tensor()) {
            if (known_.try_emplace(value.tensor_impl(), operand).second) in_order_.push_back(operand);
            kept_.push_back(value);
            storages_.insert(value.to_tensor().storage().get());
        } else if (value.is_list() && operand.is_list()) {
            const auto& elements = value.to_list().elements;
            for (std::size_t i = 0; i < elements.size() && i < operand.list->elements.size(); ++i)
                know(elements[i], operand.list->elements[i]);
        }
    }

    Operand operand_of(const IValue& first, const IValue& second) {
        if (first.is_tensor()) {
            if (const auto found = known_.find(first.tensor_impl()); found != known_.end()) return found->second;
            if (passes::is_fake(first.to_tensor()) || storages_.contains(first.to_tensor().storage().get()))
                unsupported("a form that takes parts of tensors without operators");
            // Made by the operator's own code, from numbers: the same in every run.
            const Operand made = exporter_.tensor_operand(first.to_tensor());
            know(first, made);
            return made;
        }
        if (first.is_list()) {
            const auto& a = first.to_list().elements;
            if (!second.is_list() || second.to_list().elements.size() != a.size()) differ();
            Operands elements;
            for (std::size_t i = 0; i < a.size(); ++i)
                elements.push_back(operand_of(a[i], second.to_list().elements[i]));
            return exporter_.list_operand(std::move(elements), first.to_list().element_type);
        }
        if (values_equal(first, second)) return constant_operand(first);
        if (first.is_int() && second.is_int()) return size_operand(first.to_int(), second.to_int());
        differ();
    }

  private:
    [[noreturn]] static void differ() {
        unsupported("a form that depends on sizes which are not the same in every run");
    }

    // A number that differs with the sizes: the size of a tensor that it is known to be.
    Operand size_operand(std::int64_t first, std::int64_t second) {
        for (const Operand& operand : in_order_) {
            if (!operand.is_tensor() || !operand.tensor->sizes) continue;
            const auto& sizes = *operand.tensor->sizes;
            for (std::size_t d = 0; d < sizes[0].size(); ++d) {
                if (sizes[0][d] != first || sizes[1][d] != second) continue;
                Builder& b = exporter_.builder();
                const OnnxValue size = b.size(operand.tensor->value, static_cast<std::int64_t>(d));
                return Exporter::number_operand(b.squeeze(size, std::array<std::int64_t, 1>{0}),
                                                std::array<IValue, kChoices>{IValue(first), IValue(second)});
            }
        }
        differ();
    }

    Exporter& exporter_;
    std::unordered_map<const TensorImpl*, Operand> known_;
    Operands in_order_;
    std::vector<IValue> kept_;
    std::unordered_set<const Storage*> storages_;
};

std::vector<RecordedCall> record(const Operator& op, const std::vector<IValue>& inputs, std::vector<IValue>& results) {
    const ObserverScope unobserved(nullptr);
    const GradModeScope no_grad(false);
    Recording recording;
    const InterceptorScope scope(&recording);
    results.resize(op.result_count());
    try {
        call_operator(op, inputs, results.data());
    } catch (const std::exception&) {
        throw;
    } catch (...) {  // what fakes throw when their elements are asked for
        unsupported("a form that depends on the elements of tensors");
    }
    return std::move(recording.calls);
}

}  // namespace

Operands Exporter::decompose(const Operator& op, const Operands& arguments) {
    std::array<std::vector<IValue>, kChoices> inputs;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        for (std::size_t c = 0; c < kChoices; ++c) {
            auto example = example_of(arguments[i], c, op.schema.arguments[i].type.get());
            if (!example) unsupported(concat("the operator ", op.full_name, " on tensors of unknown sizes"));
            inputs[c].push_back(std::move(*example));
        }
    }
    std::array<std::vector<IValue>, kChoices> results;
    std::array<std::vector<RecordedCall>, kChoices> calls;
    for (std::size_t c = 0; c < kChoices; ++c) calls[c] = record(op, inputs[c], results[c]);
    bool is_same = calls[0].size() == calls[1].size();
    for (std::size_t i = 0; is_same && i < calls[0].size(); ++i) is_same = calls[0][i].op == calls[1][i].op;
    if (!is_same) unsupported("a form that depends on sizes which are not the same in every run");
    const bool is_itself = calls[0].size() == 1 && calls[0][0].op == &op;
    if (is_itself) unsupported(concat("the operator ", op.full_name, " has no form in ONNX"));
    Replay replay(*this);
    for (std::size_t i = 0; i < arguments.size(); ++i) replay.know(inputs[0][i], arguments[i]);
    for (std::size_t n = 0; n < calls[0].size(); ++n) {
        const RecordedCall& call = calls[0][n];
        Operands given;
        for (std::size_t i = 0; i < call.arguments.size(); ++i)
            given.push_back(replay.operand_of(call.arguments[i], calls[1][n].arguments[i]));
        const Operands made = execute(*call.op, std::move(given));
        for (std::size_t i = 0; i < made.size(); ++i) replay.know(call.results[i], made[i]);
    }
    Operands out;
    for (std::size_t i = 0; i < results[0].size(); ++i) out.push_back(replay.operand_of(results[0][i], results[1][i]));
    return out;
}

}  // namespace loupe::onnx_export

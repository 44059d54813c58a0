// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/planned/program_capture.h"

#include <algorithm>
#include <unordered_set>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/base/strings.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/interceptor.h"
#include "core/passes/fake_run.h"
#include "core/passes/graph_breaks.h"
#include "core/runtime/fuse/group_recorder.h"
#include "core/runtime/interpreter/interpreter.h"

namespace loupe::runtime {
namespace {

namespace prim = ir::prim;

bool same_shape(const TensorImpl& a, const TensorImpl& b) {
    return a.sizes == b.sizes && a.strides == b.strides && a.offset == b.offset && a.dtype == b.dtype;
}

class Recorder final : public DispatchInterceptor, public GroupRecorder {
  public:
    Recorder(Capture& capture, const Code& code, CaptureElements elements)
        : capture_(capture), code_(code), is_fake_(elements == CaptureElements::Fake) {}

    void add_input(const Tensor& tensor) {
        capture_.inputs.push_back(tensor);
        if (capture_.places.contains(tensor.impl())) return;
        if (tensor.device().type != DeviceType::Cpu) refuse("an input that is not on the CPU");
        add(tensor, CapturedBuffer::Kind::Input, true);
    }
    // Storages that must not be resized.
    void add_containers(const IValue& value) {
        if (!value.is_list() && !value.is_dict() && !value.is_tuple()) return;
        containers_.insert(value.object_pointer());
        if (value.is_dict()) {
            for (const auto& entry : value.to_dict().entries()) add_containers(entry.second);
        } else {
            for (const IValue& element : value.is_list() ? value.to_list().elements : value.to_tuple().elements)
                add_containers(element);
        }
    }
    void add_constant(const Tensor& tensor) {
        if (!capture_.places.contains(tensor.impl())) add(tensor, CapturedBuffer::Kind::Constant, false);
    }
    // Its elements may change from run to run.
    void add_attribute(const Tensor& tensor) {
        if (!capture_.places.contains(tensor.impl())) add(tensor, CapturedBuffer::Kind::Constant, true);
    }

    void refuse(std::string reason) {
        if (!capture_.refusal.empty()) return;
        capture_.refusal = std::move(reason);
        capture_.refused_at = current_node(code_);
    }

    bool run(const Operator& op, std::span<const IValue> arguments, IValue* results) override {
        if (!is_fake_ || !depends(arguments)) return false;
        return fakes_.run(op, arguments, results);
    }

    void after(const Operator& op, std::span<const IValue> arguments, const IValue* results) override {
        if (!capture_.refusal.empty()) return;
        if (changes_container(op, arguments))
            return refuse(concat(op.schema.name, " changes a container from outside"));
        CapturedStep step;
        step.op = &op;
        for (const IValue& argument : arguments) step.arguments.push_back(snapshot(argument));
        for (std::size_t i = 0; i < op.result_count(); ++i) step.results.push_back(snapshot(results[i]));
        step.writes = op.written_arguments != 0 || op.written_elements != 0;
        record(std::move(step));
    }

    bool run_group(const Ptr<FusedGroup>& group, std::span<const IValue> inputs, IValue* outputs) override {
        if (!capture_.refusal.empty()) return false;
        CapturedStep step;
        {
            const InterceptorScope alone(nullptr);
            const GroupRecorderScope no_groups(nullptr);
            group->run(inputs, outputs);
            step.group_plan = group->plan_for(inputs);
        }
        if (!step.group_plan) return false;
        step.group = group;
        step.arguments.assign(inputs.begin(), inputs.end());
        step.results.assign(outputs, outputs + group->output_count());
        record(std::move(step));
        return true;
    }

  private:
    // Lists may grow later.
    static IValue snapshot(const IValue& value) {
        const auto copy = [](const std::vector<IValue>& elements) {
            std::vector<IValue> copied;
            for (const IValue& element : elements) copied.push_back(snapshot(element));
            return copied;
        };
        if (value.is_list()) return make_ptr<ListObject>(value.to_list().element_type, copy(value.to_list().elements));
        if (value.is_tuple()) return make_ptr<TupleObject>(copy(value.to_tuple().elements), value.to_tuple().type);
        return value;
    }

    bool depends(std::span<const IValue> arguments) {
        bool any = false;
        for (const IValue& argument : arguments) {
            visit_tensors(argument, [&](const Tensor& t) {
                if (!t.defined()) return;
                const std::size_t buffer = buffer_of(t);
                any = any || (capture_.refusal.empty() && capture_.buffers[buffer].depends_on_inputs);
            });
        }
        return any;
    }

    std::size_t add(const Tensor& tensor, CapturedBuffer::Kind kind, bool depends_on_inputs) {
        const auto [place, is_new] = buffers_.try_emplace(tensor.storage().get(), capture_.buffers.size());
        if (is_new)
            capture_.buffers.push_back({kind, tensor.storage()->bytes(), tensor.storage(), depends_on_inputs, false});
        capture_.places[tensor.impl()] = capture_.tensors.size();
        capture_.tensors.push_back({tensor, place->second});
        shapes_.push_back(tensor.shallow_copy());
        return place->second;
    }

    // Of an argument. Tensors that no operator made are views that C++ code took, or numbers.
    std::size_t buffer_of(const Tensor& t) {
        if (const auto found = capture_.places.find(t.impl()); found != capture_.places.end())
            return capture_.tensors[found->second].buffer;
        if (buffers_.contains(t.storage().get())) return add(t, CapturedBuffer::Kind::Made, false);
        if (!t.impl()->wrapped_number && t.dim() > 0) refuse("reads a tensor that no operator made");
        return add(t, CapturedBuffer::Kind::Constant, false);
    }

    void record(CapturedStep step) {
        step.node = current_node(code_);
        step.depends_on_inputs = depends(step.arguments);
        if (!capture_.refusal.empty() || !suits(step)) return;
        bool makes = false;
        for (const IValue& result : step.results) {
            visit_tensors(result, [&](const Tensor& t) {
                if (!t.defined() || capture_.places.contains(t.impl())) return;
                if (t.device().type != DeviceType::Cpu) refuse("makes a tensor that is not on the CPU");
                const bool is_new = !buffers_.contains(t.storage().get());
                makes = makes || is_new;
                add(t, CapturedBuffer::Kind::Made, step.depends_on_inputs);
            });
        }
        if (step.writes) note_writes(step);
        // A view of an existing tensor needs no step.
        if (makes || writes_tensors(step)) capture_.steps.push_back(std::move(step));
    }

    bool changes_container(const Operator& op, std::span<const IValue> arguments) const {
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            const bool is_container = arguments[i].is_list() || arguments[i].is_dict();
            if ((op.written_arguments >> i & 1) != 0 && is_container &&
                containers_.contains(arguments[i].object_pointer()))
                return true;
        }
        return false;
    }

    // Not lists only: they are built while the run is captured.
    static bool writes_tensors(const CapturedStep& step) {
        if (!step.writes) return false;
        for (std::size_t i = 0; i < step.arguments.size(); ++i) {
            if ((step.op->written_elements >> i & 1) != 0) return true;
            if ((step.op->written_arguments >> i & 1) != 0 && step.arguments[i].is_tensor()) return true;
        }
        return false;
    }

    bool suits(const CapturedStep& step) {
        if (step.op == nullptr) return true;
        if (step.op->record->is_random)
            refuse(concat(step.op->schema.name, " draws random numbers"));
        else if (step.depends_on_inputs && passes::reads_elements(*step.op))
            refuse(concat("what ", step.op->schema.name, " gives depends on elements"));
        else if (step.depends_on_inputs && is_masked(step))
            refuse(concat("what ", step.op->schema.name, " gives depends on the elements of a mask"));
        else if (changes_shape(step))
            refuse(concat(step.op->schema.name, " changes the shape of its argument"));
        return capture_.refusal.empty();
    }

    static bool is_masked(const CapturedStep& step) {
        bool is_mask = false;
        if (step.op->schema.name != "aten::index" || step.arguments.size() < 2) return false;
        visit_tensors(step.arguments[1], [&](const Tensor& t) {
            is_mask = is_mask || (t.defined() && (t.dtype() == ScalarType::Bool || t.dtype() == ScalarType::UInt8));
        });
        return is_mask;
    }

    bool changes_shape(const CapturedStep& step) const {
        bool changes = false;
        if (!step.writes) return false;
        for (const IValue& argument : step.arguments) {
            visit_tensors(argument, [&](const Tensor& t) {
                const auto found = t.defined() ? capture_.places.find(t.impl()) : capture_.places.end();
                if (found == capture_.places.end()) return;
                const TensorImpl& before = *shapes_[found->second].impl();
                changes = changes || !same_shape(before, *t.impl()) || before.storage != t.impl()->storage;
            });
        }
        return changes;
    }

    void note_writes(const CapturedStep& step) {
        const auto note = [&](const IValue& value) {
            visit_tensors(value, [&](const Tensor& t) {
                if (!t.defined()) return;
                CapturedBuffer& buffer = capture_.buffers[buffer_of(t)];
                if (buffer.kind != CapturedBuffer::Kind::Made)
                    refuse(concat(step.op->schema.name, " writes to memory from outside"));
                buffer.is_written = true;
                buffer.depends_on_inputs = buffer.depends_on_inputs || step.depends_on_inputs;
            });
        };
        for (std::size_t i = 0; i < step.arguments.size(); ++i) {
            const bool is_element_write = (step.op->written_elements >> i & 1) != 0;
            const bool is_tensor_write = (step.op->written_arguments >> i & 1) != 0 && step.arguments[i].is_tensor();
            if (is_element_write || is_tensor_write) note(step.arguments[i]);
        }
    }

    Capture& capture_;
    const Code& code_;
    bool is_fake_;
    passes::FakeKernels fakes_;
    std::unordered_map<const Storage*, std::size_t> buffers_;
    std::unordered_set<const RefCounted*> containers_;
    std::vector<Tensor> shapes_;  // initial shapes of capture_.tensors
};

// Attributes that the graph reads: guards for all, tensors to the recorder.
class AttributeReader {
  public:
    AttributeReader(Capture& capture, Recorder& recorder) : capture_(capture), recorder_(recorder) {}

    void read(const ir::Block& block) {
        for (const ir::Node* node : block.nodes()) {
            if (node->kind() == prim::GetAttr) read(*node);
            for (std::size_t b = 0; b < node->block_count(); ++b) read(*node->block_at(b));
        }
    }
    void know(const ir::Value* value, const IValue& object) {
        if (object.is_object()) objects_[value] = object.to_object();
    }

  private:
    void read(const ir::Node& node) {
        const std::string& name = node.s(ir::attr::name);
        const auto found = objects_.find(node.input(0));
        if (found == objects_.end())
            return recorder_.refuse(concat("attribute '", name, "' of an object that the graph makes"));
        const auto& names = found->second->type()->attributes();
        std::size_t slot = 0;
        while (slot < names.size() && names[slot].name != name) ++slot;
        if (slot == names.size()) return recorder_.refuse(concat("no attribute '", name, "'"));
        const IValue& value = found->second->slot(slot);
        know(node.output(), value);
        if (value.is_tensor())
            recorder_.add_attribute(value.to_tensor());
        else if (value.is_list() || value.is_dict() || value.is_tuple())
            return recorder_.refuse(concat("attribute '", name, "' is a container, which may change"));
        capture_.guards.push_back({found->second, slot, value});
    }

    Capture& capture_;
    Recorder& recorder_;
    std::unordered_map<const ir::Value*, Ptr<Object>> objects_;
};

}  // namespace

std::string CapturedStep::name() const { return op != nullptr ? op->full_name : "prim::TensorExprGroup"; }

Capture capture_run(const Code& code, std::span<const IValue> inputs, CaptureElements elements) {
    Capture capture;
    Recorder recorder(capture, code, elements);
    const auto add_tensor = [&](const Tensor& t) {
        if (t.defined()) recorder.add_input(t);
    };
    for (const IValue& input : inputs) {
        visit_tensors(input, add_tensor);
        recorder.add_containers(input);
    }
    for (const IValue& constant : code.constants) {
        visit_tensors(constant, [&](const Tensor& t) {
            if (t.defined()) recorder.add_constant(t);
        });
    }
    AttributeReader attributes(capture, recorder);
    for (std::size_t i = 0; i < inputs.size(); ++i) attributes.know(code.graph().inputs()[i], inputs[i]);
    attributes.read(*code.graph().block());
    const GradModeScope no_grad(false);
    const ObserverScope unobserved(nullptr);
    const InterceptorScope interceptor(capture.refusal.empty() ? &recorder : nullptr);
    const GroupRecorderScope groups(capture.refusal.empty() ? &recorder : nullptr);
    capture.outputs = run_code(code, {inputs.begin(), inputs.end()});
    return capture;
}

}  // namespace loupe::runtime

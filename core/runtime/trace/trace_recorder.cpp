// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/trace/trace_recorder.h"

#include <algorithm>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/ir/graph.h"
#include "core/runtime/interpreter/interpreter.h"

namespace loupe::runtime {
namespace {

[[noreturn]] void run_error(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

bool has_tensor(const IValue& value) {
    bool found = false;
    visit_tensors(value, [&](const Tensor&) { found = true; });
    return found;
}

TypePtr type_of_input(const IValue& value) {
    if (value.is_tensor()) return ir::refined_type(value.to_tensor());
    if (value.is_tuple()) {
        std::vector<TypePtr> elements;
        for (const IValue& element : value.to_tuple().elements) elements.push_back(type_of_input(element));
        return types::tuple(std::move(elements));
    }
    if (value.is_list() && has_tensor(value)) return types::list(types::tensor());
    if (value.is_dict() && has_tensor(value)) return types::dict(types::string(), types::tensor());
    return type_of(value);
}

bool same_span(IntSpan a, IntSpan b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

// The values of a dict are tensors, those of a list of one type; a tuple may hold any value.
bool is_uniform(const IValue& value) {
    if (value.is_dict()) {
        const auto& entries = value.to_dict().entries();
        return std::all_of(entries.begin(), entries.end(), [](const auto& entry) { return entry.second.is_tensor(); });
    }
    if (!value.is_list()) return true;
    const auto& elements = value.to_list().elements;
    return std::all_of(elements.begin(), elements.end(),
                       [&](const IValue& element) { return element.tag() == elements.front().tag(); });
}

const Type& without_optional(const Type& type) {
    return type.kind() == TypeKind::Optional ? without_optional(*type.element()) : type;
}

std::string data_flow_warning(std::string_view what) {
    return concat(
        "Converting a tensor to a Python ", what,
        " might cause the trace to be incorrect. We can't record the data flow of Python values, so this value will be "
        "treated as a constant in the future. This means that the trace might not generalize to other inputs!");
}

std::string warning_text(PythonUse use) {
    switch (use) {
        case PythonUse::Boolean:
            return data_flow_warning("boolean");
        case PythonUse::Integer:
            return data_flow_warning("integer");
        case PythonUse::Float:
            return data_flow_warning("float");
        case PythonUse::Index:
            return data_flow_warning("index");
        case PythonUse::Number:
            return data_flow_warning("number");
        case PythonUse::List:
            return data_flow_warning("list");
        case PythonUse::Length:
            return "Using len to get tensor shape might cause the trace to be incorrect. Recommended usage would be "
                   "tensor.shape[0]. "
                   "Passing a tensor of different shape might lead to errors or silently give incorrect results.";
        case PythonUse::Iteration:
            return "Iterating over a tensor might cause the trace to be incorrect. Passing a tensor of different shape "
                   "won't change "
                   "the number of iterations executed (and might lead to errors or silently give incorrect results).";
        case PythonUse::Constructor:
            return "torch.tensor results are registered as constants in the trace. You can safely ignore this warning "
                   "if you use this "
                   "function to create tensors out of constant variables that would be the same every time you call "
                   "this function. "
                   "In any other case, this might cause the trace to be incorrect.";
        case PythonUse::Shape:
            break;
    }
    return "Using the shape of a tensor might cause the trace to be incorrect. Its sizes will be treated as constants "
           "in the future. "
           "Passing a tensor of different shape might lead to errors or silently give incorrect results.";
}

Tensor tensor_of(const Scalar& number) {
    const ScalarType dtype = number.is_integral() ? ScalarType::Int64 : ScalarType::Float64;
    const Tensor t = zeros({}, dtype);
    if (number.is_integral())
        *t.data<std::int64_t>() = number.to_int();
    else
        *t.data<double>() = number.to_double();
    return t;
}

// As a tensor the number must not change the result's dtype.
bool may_become_tensor(const Operator& op, std::span<const IValue> inputs, std::span<const IValue> results) {
    if (!op.record->python.number_is_tensor || op.variant == OperatorVariant::Out) return false;
    const Tensor self = inputs[0].to_tensor();
    const bool is_real = inputs[1].is_int() || inputs[1].is_double();
    if (!is_real || self.dim() == 0 || self.dtype() != results[0].to_tensor().dtype()) return false;
    return is_floating(self.dtype()) || (inputs[1].is_int() && is_integral(self.dtype()));
}

bool plain_ints(const TracedInput::List& list) {
    return std::all_of(list.elements.begin(), list.elements.end(), [](const TracedInput& element) {
        const auto* constant = std::get_if<IValue>(&element.what);
        return constant != nullptr && constant->is_int();
    });
}

}  // namespace

namespace {

thread_local TraceRecorder* thread_recorder = nullptr;

}  // namespace

TraceRecorder* TraceRecorder::current() { return thread_recorder; }

TraceRecorder::~TraceRecorder() { thread_recorder = before_; }

TraceRecorder::TraceRecorder(nn::Module* root, bool strict, bool ties_sizes)
    : strict_(strict), before_(std::exchange(thread_recorder, this)), ties_sizes_(ties_sizes) {
    calls_.push_back({root, 0, {}});
    if (root != nullptr) name_tensors(*root);
}

void TraceRecorder::name_tensors(nn::Module& root) {
    const auto add = [&](const nn::ModulePtr& owner, const std::string& name, const Tensor& t) {
        if (known_.contains(t.impl())) return;
        const ValueIndex value = add_value(types::tensor());
        values_[value].owner = owner.get();
        values_[value].name = name;
        bind(t, value);
    };
    for (const auto& [path, module] : root.named_modules()) {
        paths_.emplace(module.get(), path);
        for (const auto& [name, t] : module->own_parameters()) add(module, name, t);
        for (const auto& [name, t] : module->own_buffers()) add(module, name, t);
    }
}

ValueIndex TraceRecorder::add_value(TypePtr type) {
    values_.push_back({std::move(type), call_, nullptr, {}, {}, false});
    return values_.size() - 1;
}

void TraceRecorder::bind(const Tensor& t, ValueIndex value) {
    known_.insert_or_assign(t.impl(), Known{t, value});
    known_by_storage_[t.storage()->id()].push_back(t.impl());
}

namespace {

bool is_inside(std::string_view path, std::string_view outer) {
    return outer.empty() || (path.starts_with(outer) && path.size() > outer.size() && path[outer.size()] == '.');
}

}  // namespace

// A program that does not end would take all memory.
constexpr std::size_t kMostNodes = 500'000;

TracedNode& TraceRecorder::add_node(std::string kind) {
    if (nodes_.size() >= kMostNodes)
        throw Error(ErrorKind::Run, concat("it calls more than ", kMostNodes, " operators: does it end?"));
    calls_[call_].items.push_back({false, nodes_.size()});
    TracedNode& node = nodes_.emplace_back();
    node.kind = std::move(kind);
    node.range = current_range();
    return node;
}

// --- inputs and results ---

void TraceRecorder::add_input(const std::string& name, const IValue& value) {
    const ValueIndex input = add_value(type_of_input(value));
    values_[input].is_input = true;
    values_[input].name = name;
    inputs_.push_back(input);
    take_apart(input, value);
}

// Names the tensors inside.
void TraceRecorder::take_apart(ValueIndex value, const IValue& contents) {
    if (contents.is_tensor()) return bind(contents.to_tensor(), value);
    std::vector<ValueIndex> parts;
    if (contents.is_tuple() || contents.is_list()) {
        const auto& elements = contents.is_tuple() ? contents.to_tuple().elements : contents.to_list().elements;
        for (const IValue& element : elements) parts.push_back(add_value(type_of_input(element)));
        TracedNode& node = add_node(contents.is_tuple() ? "prim::TupleUnpack" : "prim::ListUnpack");
        node.inputs.push_back({value});
        node.outputs = parts;
        for (std::size_t i = 0; i < parts.size(); ++i) take_apart(parts[i], elements[i]);
    } else if (contents.is_dict()) {
        for (const auto& [key, element] : contents.to_dict().entries()) {
            const ValueIndex part = add_value(type_of_input(element));
            TracedNode& node = add_node("aten::__getitem__");
            node.inputs = {{value}, {key}};
            node.outputs = {part};
            take_apart(part, element);
        }
    }
}

void TraceRecorder::finish(const IValue& output) {
    call_ = 0;
    output_ = output_for(output);
}

TracedInput TraceRecorder::output_for(const IValue& value) {
    if (value.is_tensor()) return {value_of(value.to_tensor())};
    const bool is_changeable = value.is_list() || value.is_dict();
    if ((!value.is_tuple() && !is_changeable) || !is_uniform(value)) {
        run_error(
            "Only tensors, lists, tuples of tensors, or dictionary of tensors can be output from traced functions");
    }
    if (strict_ && is_changeable) {
        const std::string what = value.is_list() ? "list" : "dict";
        run_error(concat("Encountering a ", what,
                         " at the output of the tracer might cause the trace to be incorrect, this is only valid "
                         "if the container structure does not change based on the module's inputs. Consider using a "
                         "constant container "
                         "instead (e.g. for `list`, use a `tuple` instead. for `dict`, use a `NamedTuple` instead). If "
                         "you absolutely "
                         "need this and know the side effects, pass strict=False to trace() to allow this behavior."));
    }
    std::vector<TracedInput> inputs;
    std::vector<TypePtr> element_types;
    const auto add = [&](const IValue& element) {
        inputs.push_back(output_for(element));
        element_types.push_back(values_[std::get<ValueIndex>(inputs.back().what)].type);
    };
    TypePtr type;
    std::string kind = "prim::TupleConstruct";
    if (value.is_dict()) {
        kind = "prim::DictConstruct";
        for (const auto& [key, element] : value.to_dict().entries()) {
            inputs.push_back({key});
            add(element);
        }
        const TypePtr key =
            value.to_dict().size() == 0 ? types::string() : type_of(value.to_dict().entries().front().first);
        type = types::dict(key, types::tensor());
    } else {
        for (const IValue& element : value.is_tuple() ? value.to_tuple().elements : value.to_list().elements)
            add(element);
        if (value.is_list()) {
            kind = "prim::ListConstruct";
            const bool is_nested = !element_types.empty() && element_types.front()->kind() != TypeKind::Tensor;
            type = types::list(is_nested ? element_types.front() : types::tensor());
        } else {
            type = types::tuple(element_types);
        }
    }
    const ValueIndex made = add_value(std::move(type));
    TracedNode& node = add_node(std::move(kind));
    node.inputs = std::move(inputs);
    node.outputs = {made};
    return {made};
}

ValueIndex TraceRecorder::value_of(const Tensor& t) {
    if (const auto found = known_.find(t.impl()); found != known_.end()) return found->second.value;
    // Another handle of the same elements, as hooks substitute for a tensor.
    if (const auto same = known_by_storage_.find(t.storage()->id()); same != known_by_storage_.end()) {
        for (auto impl = same->second.rbegin(); impl != same->second.rend(); ++impl) {
            const Known& other = known_.at(*impl);
            const bool is_equal = other.tensor.storage_offset() == t.storage_offset() &&
                                  other.tensor.dtype() == t.dtype() && same_span(other.tensor.sizes(), t.sizes()) &&
                                  same_span(other.tensor.strides(), t.strides());
            if (is_equal) return other.value;
        }
    }
    if (requires_grad(t)) {
        run_error(
            concat("Cannot insert a Tensor that requires grad as a constant. Consider making it a parameter or input, "
                   "or detaching "
                   "the gradient\nTensor:\n",
                   describe(t)));
    }
    const GradModeScope no_grad(false);
    const Tensor copy = gradient_arithmetic().clone(t);
    const ValueIndex value = add_value(ir::refined_type(copy));
    values_[value].constant = copy;
    bind(t, value);
    return value;
}

TracedInput TraceRecorder::input_for(const IValue& value, const Type& formal) {
    const Type& plain = without_optional(formal);
    if (value.is_tensor()) return {value_of(value.to_tensor())};
    if (plain.kind() == TypeKind::Float && value.is_int()) return {IValue(value.to_double())};
    if (plain.kind() != TypeKind::List || value.is_none()) return {value};
    TracedInput::List list{plain.element(), {}};
    if (!value.is_list()) {  // one int for all
        list.elements.push_back(input_for(value, *plain.element()));
        return {std::move(list)};
    }
    for (const IValue& element : value.to_list().elements)
        list.elements.push_back(input_for(element, *plain.element()));
    return {std::move(list)};
}

// --- the run ---

void TraceRecorder::enter_frame(const FrameInfo& frame) {
    if (is_paused_) return;
    frames_.push_back(call_);
    auto* module = const_cast<nn::Module*>(frame.module);
    if (module == nullptr || !paths_.contains(module)) return;
    if (!has_begun_ && module == calls_[0].module) {
        has_begun_ = true;
        return;
    }
    if (calls_[call_].module == module) return;                                  // a method of the module that runs
    if (!is_inside(paths_.at(module), paths_.at(calls_[call_].module))) return;  // a part of its caller then
    calls_[call_].items.push_back({true, calls_.size()});
    calls_.push_back({module, call_, {}});
    call_ = calls_.size() - 1;
}

void TraceRecorder::leave_frame() {
    if (is_paused_) return;
    call_ = frames_.back();
    frames_.pop_back();
}

// Registers the operands of an in-place operator before the write.
void TraceRecorder::before_operator(const OperatorCall& call) {
    if (is_paused_ || call.phase != Phase::Forward || call.op == nullptr) return;
    for (std::uint64_t bits = call.op->written_arguments; bits != 0; bits &= bits - 1) {
        const IValue& written = call.inputs[static_cast<std::size_t>(__builtin_ctzll(bits))];
        if (written.is_tensor()) value_of(written.to_tensor());
    }
}

void TraceRecorder::after_operator(const OperatorCall& call) {
    if (is_paused_ || call.phase != Phase::Forward || call.op == nullptr) return;
    std::erase_if(ties_, [&](const NumberTie& tie) { return tie.op != nullptr && tie.op != call.op; });
    if (!warn_of_number(*call.op)) record(*call.op, {call.inputs.begin(), call.inputs.end()}, call.outputs);
    std::erase_if(ties_, [](const NumberTie& tie) { return tie.op != nullptr; });
}

// As PyTorch's tracer, which records some operators in another form and numbers from Python.
void TraceRecorder::record(const Operator& op, std::vector<IValue> inputs, std::span<const IValue> results) {
    const Operator* recorded = &op;
    const TracedForm& form = op.record->traced;
    std::vector<IValue> others = form.arguments != nullptr ? form.arguments(inputs) : std::vector<IValue>();
    if (!others.empty()) {
        inputs = std::move(others);
        recorded = find_operator(form.op);
    } else if (may_become_tensor(op, inputs, results)) {
        inputs[1] = tensor_of(inputs[1].to_scalar());
        recorded = find_operator(op.schema.name, "Tensor");
    }
    std::vector<TracedInput> traced;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        traced.push_back(input_for(inputs[i], *recorded->schema.arguments[i].type));
        if (recorded != &op) continue;  // other arguments
        if (auto* list = std::get_if<TracedInput::List>(&traced.back().what)) {
            const Dims contents = inputs[i].is_list() && plain_ints(*list) ? inputs[i].to_ints() : Dims();
            for (std::size_t j = 0; j < list->elements.size(); ++j)
                list->elements[j] = tied_input(i, static_cast<int>(j), list->elements[j], contents);
        }
        traced.back() = tied_input(i, -1, std::move(traced.back()));
    }
    TracedNode& node = add_node(recorded->schema.name);
    node.op = recorded;
    node.inputs = std::move(traced);
    const std::size_t index = nodes_.size() - 1;
    add_outputs(nodes_[index], results);
}

void TraceRecorder::add_outputs(TracedNode& node, std::span<const IValue> results) {
    std::vector<ValueIndex> outputs;
    std::vector<std::pair<ValueIndex, const IValue*>> lists;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const IValue& result = results[i];
        if (result.is_tensor()) {
            outputs.push_back(add_value(ir::refined_type(result.to_tensor())));
            bind(result.to_tensor(), outputs.back());
        } else {
            outputs.push_back(add_value(node.op->schema.returns[i].type));
            if (result.is_list() && has_tensor(result)) lists.emplace_back(outputs.back(), &result);
        }
    }
    node.outputs = std::move(outputs);
    for (const auto& [value, contents] : lists) take_apart(value, *contents);
}

// --- sizes ---

// The number as a tensor of the program: aten::size(...), prim::NumToTensor.
Tensor TraceRecorder::add_size(std::string_view op, std::vector<TracedInput> inputs, std::int64_t value) {
    const ValueIndex number = add_value(types::integer());
    TracedNode& size = add_node(op.substr(0, op.find('.')) == "aten::size" ? "aten::size" : "aten::numel");
    size.op = find_operator(op);
    size.inputs = std::move(inputs);
    size.outputs = {number};
    const Tensor t = tensor_of(Scalar(value));
    const ValueIndex made = add_value(ir::refined_type(t));
    TracedNode& node = add_node("prim::NumToTensor");
    node.inputs = {{number}};
    node.outputs = {made};
    bind(t, made);
    return t;
}

Tensor TraceRecorder::tied_size(const Tensor& t, std::int64_t dim) {
    if (!ties_sizes_ || is_paused_) return {};
    const std::int64_t size = t.size(dim);  // throws for a dimension that there is not
    return add_size("aten::size.int", {{value_of(t)}, {IValue(dim)}}, size);
}
Tensor TraceRecorder::tied_numel(const Tensor& t) {
    return ties_sizes_ && !is_paused_ ? add_size("aten::numel", {{value_of(t)}}, t.numel()) : Tensor();
}

bool TraceRecorder::tie_number(const NumberTie& tie) {
    if (!ties_sizes_ || is_paused_) return false;
    if (tie.number.defined())
        ties_.push_back(tie);
    else
        std::erase_if(ties_, [](const NumberTie& each) { return each.op == nullptr; });
    return true;
}

// A number read from a tensor is read again: aten::Int(%n).
TracedInput TraceRecorder::tied_input(std::size_t argument, int element, TracedInput plain, const Dims& list) {
    // The last one: those of a failed call may precede it.
    const auto tie = std::find_if(ties_.rbegin(), ties_.rend(), [&](const NumberTie& each) {
        if (each.op == nullptr) return each.element == element && !list.empty() && each.list == list;
        return each.argument == argument && each.element == element;
    });
    if (tie == ties_.rend()) return plain;
    struct Conversion {
        const char* kind;
        const char* op;
        TypePtr type;
    };
    const Conversion conversion =
        tie->as == NumberTie::As::Int     ? Conversion{"aten::Int", "aten::Int.Tensor", types::integer()}
        : tie->as == NumberTie::As::Float ? Conversion{"aten::Float", "aten::Float.Tensor", types::floating()}
                                          : Conversion{"aten::ScalarImplicit", "aten::ScalarImplicit", types::number()};
    const ValueIndex from = value_of(tie->number);
    const ValueIndex made = add_value(conversion.type);
    TracedNode& node = add_node(conversion.kind);
    node.op = find_operator(conversion.op);
    node.inputs = {{from}};
    node.outputs = {made};
    return {made};
}

// --- warnings ---

void TraceRecorder::warn(std::string text) {
    TraceWarning warning{std::move(text), current_range()};
    const bool is_known = std::any_of(warnings_.begin(), warnings_.end(), [&](const TraceWarning& other) {
        return other.text == warning.text && other.range.source == warning.range.source &&
               other.range.start == warning.range.start;
    });
    if (!is_known) warnings_.push_back(std::move(warning));
}

void TraceRecorder::on_python_use(PythonUse use, const Tensor&) {
    if (!is_paused_) warn(warning_text(use));
}

// --- compiled code ---

bool TraceRecorder::can_record(const CompiledCall& call) const {
    if (is_paused_ || call.function == nullptr) return false;
    if (call.module == nullptr) return true;
    const auto path = paths_.find(call.module);
    // Calls of modules outside of the traced one's tree, and of itself, are inlined.
    return path != paths_.end() && call.module != calls_[0].module &&
           is_inside(path->second, paths_.at(calls_[call_].module));
}

IValue TraceRecorder::record_compiled(const CompiledCall& call, std::vector<IValue> inputs, const Traced& run) {
    std::vector<TracedInput> traced;
    const auto& formals = call.function->schema().arguments;
    const std::size_t first = call.module != nullptr ? 1 : 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) traced.push_back(input_for(inputs[i], *formals.at(i + first).type));
    IValue output;
    {
        struct Pause {
            bool& flag;
            explicit Pause(bool& paused) : flag(paused) { flag = true; }
            ~Pause() { flag = false; }
        };
        const Pause pause(is_paused_);
        output = run(std::move(inputs));
    }
    if (call.module != nullptr) compiled_modules_.push_back(call.module);
    const auto& returns = call.function->schema().returns;
    const ValueIndex result = add_value(returns.empty() ? types::none() : returns.front().type);
    TracedNode& node = add_node(call.module != nullptr ? "prim::CallMethod" : "prim::CallFunction");
    node.compiled = call;
    node.inputs = std::move(traced);
    node.outputs = {result};
    if (has_tensor(output)) take_apart(result, output);
    return output;
}

// True for operators that make no tensor: the graph does not have them.
bool TraceRecorder::warn_of_number(const Operator& op) {
    const auto& returns = op.schema.returns;
    const bool makes_tensor = std::any_of(returns.begin(), returns.end(), [](const Argument& r) {
        const Type* type = &without_optional(*r.type);
        if (type->kind() == TypeKind::List) type = type->element().get();
        return type->kind() == TypeKind::Tensor;
    });
    if (makes_tensor || op.written_elements != 0) return false;
    if (op.record->python.result) warn(warning_text(*op.record->python.result));
    return true;
}

}  // namespace loupe::runtime

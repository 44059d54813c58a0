// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/interpreter/interpreter.h"

#include <algorithm>
#include <array>

#include "core/autograd/observer.h"
#include "core/autograd/phase.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/buffer_donation.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/operator_opener.h"
#include "core/nn/module.h"
#include "core/passes/bailout_graph.h"
#include "core/runtime/interpreter/pass_operators.h"
#include "core/runtime/interpreter/structural.h"
#include "core/runtime/interpreter/value_stack.h"

namespace loupe::runtime {

ValueStack& ValueStack::of_thread() {
    static thread_local ValueStack stack;
    return stack;
}

IValue* ValueStack::take_in_next_chunk(std::size_t count) {
    constexpr std::size_t kChunk = 8192;
    if (chunk_ < chunks_.size()) ++chunk_;
    if (chunk_ < chunks_.size() && chunks_[chunk_].size < count) chunks_.resize(chunk_);  // later ones are unused
    if (chunk_ == chunks_.size()) {
        const std::size_t size = std::max(count, kChunk);
        chunks_.push_back({std::make_unique<IValue[]>(size), size});
    }
    used_ = count;
    return chunks_[chunk_].values.get();
}

namespace {

// As Python's.
constexpr std::size_t kDeepestRecursion = 1000;
thread_local std::size_t thread_depth = 0;

struct Frame {
    const Code* code = nullptr;
    IValue* registers = nullptr;
    IValue* window = nullptr;
    std::uint32_t next = 0;          // instruction
    const CallSite* site = nullptr;  // null for the outermost
    bool makes_future = false;
    bool is_observed = false;  // the observer got enter_frame
    ValueStack::Mark mark{};
    std::string scope = {};  // while it is observed
};

}  // namespace

class Interpreter {
  public:
    explicit Interpreter(std::string_view scope)
        : stack_(ValueStack::of_thread()), base_scope_(scope), outer_(current_) {
        current_ = this;
    }
    Interpreter(const Interpreter&) = delete;
    Interpreter& operator=(const Interpreter&) = delete;
    ~Interpreter() { current_ = outer_; }

    static ir::SourceRange range_of_thread() {
        if (current_ == nullptr || current_->frames_.empty()) return ir::evaluated_range();
        const Frame& frame = current_->frames_.back();
        const ir::Node* node = frame.next > 0 ? frame.code->instructions[frame.next - 1].node : nullptr;
        return node != nullptr ? node->range() : ir::SourceRange();
    }

    static const ir::Node* node_of_thread(const Code& code) {
        for (const Interpreter* at = current_; at != nullptr; at = at->outer_) {
            if (at->frames_.empty() || at->frames_.front().code != &code) continue;
            const std::uint32_t next = at->frames_.front().next;
            return next > 0 ? code.instructions[next - 1].node : nullptr;
        }
        return nullptr;
    }

    std::vector<IValue> run(const Code& code, std::vector<IValue> inputs) {
        std::vector<IValue> results(code.output_count());
        results_ = results.data();
        try {
            IValue* const registers = push_frame(code, nullptr);
            std::move(inputs.begin(), inputs.end(), registers);
            inputs.clear();
            enter(nullptr);
            loop();
        } catch (Error& error) {
            if (error.kind() != ErrorKind::Cancelled) error.add_context(place());
            if (ExecutionObserver* observer = execution_observer()) observer->on_exception(error);
            unwind();
            throw;
        } catch (...) {
            unwind();
            throw;
        }
        return results;
    }

  private:
    // --- frames ---

    IValue* push_frame(const Code& code, const CallSite* site) {
        if (thread_depth >= kDeepestRecursion) throw Error(ErrorKind::Run, "maximum recursion depth exceeded");
        ++thread_depth;
        check_cancelled();
        Frame frame;
        frame.mark = stack_.mark();
        frame.code = &code;
        frame.site = site;
        frame.registers = stack_.take(code.register_count + code.window_size);
        frame.window = frame.registers + code.register_count;
        frames_.push_back(std::move(frame));
        return frames_.back().registers;
    }

    void pop_frame() {
        Frame& frame = frames_.back();
        const std::size_t count = frame.code->register_count + frame.code->window_size;
        for (std::size_t i = 0; i < count; ++i) frame.registers[i] = IValue();
        stack_.give_back(frame.mark);
        if (frame.is_observed) {
            if (ExecutionObserver* observer = execution_observer()) observer->leave_frame();
        }
        frames_.pop_back();
        --thread_depth;
    }

    // Notifies the observer of the top frame, whose arguments are set.
    void enter(const ir::Node* call_site) {
        ExecutionObserver* observer = execution_observer();
        if (observer == nullptr) [[likely]]
            return;
        Frame& frame = frames_.back();
        frame.scope = scope_of(frames_.size() - 1);
        FrameInfo info;
        info.function = frame.code->function_name();
        info.scope = frame.scope;
        info.graph = &frame.code->graph();
        info.call_site = call_site;
        if (frame.code->input_count() > 0 && frame.registers[0].is_object()) {
            info.module = dynamic_cast<const nn::Module*>(static_cast<Object*>(frame.registers[0].object_pointer()));
        }
        frame.is_observed = true;
        observer->enter_frame(info);
    }

    std::string scope_of(std::size_t frame) const {
        std::string scope(base_scope_);
        for (std::size_t i = 0; i <= frame; ++i) {
            const CallSite* site = frames_[i].site;
            if (site == nullptr || site->relative_scope.empty()) continue;
            scope += scope.empty() ? site->relative_scope : concat(".", site->relative_scope);
        }
        return scope;
    }

    // --- errors ---

    ErrorContext place() const {
        ErrorContext context;
        if (frames_.empty()) return context;
        const Frame& frame = frames_.back();
        if (frame.next == 0) return context;
        const Instruction& instruction = frame.code->instructions[frame.next - 1];
        if (instruction.node != nullptr) {
            const bool is_missing =
                instruction.code == OpCode::Structural && instruction.structural == missing_operator;
            if (!is_missing && (instruction.code == OpCode::Operator || instruction.code == OpCode::Structural)) {
                context.op =
                    instruction.code == OpCode::Operator ? instruction.op->full_name : instruction.node->kind().str();
            }
            context.source = instruction.node->range().short_text();
            context.scope = instruction.node->scope();
        }
        const std::string scope = scope_of(frames_.size() - 1);
        if (context.scope.empty())
            context.scope = scope;
        else if (!scope.empty())
            context.scope = concat(scope, ".", context.scope);
        return context;
    }

    // Leaves all frames and, innermost first, the context managers that were entered.
    void unwind() {
        while (!frames_.empty()) {
            while (!entered_.empty() && entered_.back().first == frames_.size()) {
                const IValue manager = std::move(entered_.back().second);
                entered_.pop_back();
                leave_manager(manager);
            }
            pop_frame();
        }
    }

    static void leave_manager(const IValue& manager) {
        const auto* method =
            dynamic_cast<const ir::ScriptFunction*>(manager.to_object()->type()->find_method("__exit__"));
        if (method == nullptr) return;
        try {
            Interpreter({}).run(code_of(*method), {manager, {}, {}, {}});
        } catch (const Error&) {
            // The first error is reported.
        }
    }

    // --- inputs and outputs ---

    static void gather(const Frame& frame, const Instruction& instruction, IValue* to) {
        const Operand* operand = frame.code->operands.data() + instruction.inputs;
        for (std::size_t i = 0; i < instruction.input_count; ++i, ++operand, ++to) {
            switch (operand->kind()) {
                case Operand::Kind::Copy:
                    *to = frame.registers[operand->index()];
                    break;
                case Operand::Kind::Move:
                    to->swap(frame.registers[operand->index()]);
                    break;
                case Operand::Kind::Constant:
                    *to = frame.code->constants[operand->index()];
                    break;
            }
        }
    }

    static const IValue& look(const Frame& frame, Operand operand) {
        return operand.kind() == Operand::Kind::Constant ? frame.code->constants[operand.index()]
                                                         : frame.registers[operand.index()];
    }

    static void scatter(const Frame& frame, const Instruction& instruction, IValue* from) {
        const std::uint32_t* reg = frame.code->registers.data() + instruction.outputs;
        for (std::size_t i = 0; i < instruction.output_count; ++i, ++reg, ++from) {
            if (*reg != kDiscard)
                frame.registers[*reg] = std::move(*from);
            else
                *from = IValue();
        }
    }

    static void clear(IValue* values, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) values[i] = IValue();
    }

    // --- instructions ---

    void loop() {
        while (!frames_.empty()) {
            Frame& frame = frames_.back();
            const Instruction& instruction = frame.code->instructions[frame.next++];
            switch (instruction.code) {
                case OpCode::Operator:
                    run_operator(frame, instruction);
                    break;
                case OpCode::Structural:
                    run_structural(frame, instruction);
                    break;
                case OpCode::Assign:
                    gather(frame, instruction, frame.window);
                    scatter(frame, instruction, frame.window);
                    break;
                case OpCode::Drop:
                    for (std::size_t i = 0; i < instruction.output_count; ++i) {
                        frame.registers[frame.code->registers[instruction.outputs + i]] = IValue();
                    }
                    break;
                case OpCode::Jump:
                    frame.next = instruction.target;
                    break;
                case OpCode::JumpIfFalse:
                    jump_if_false(frame, instruction);
                    break;
                case OpCode::LoopStart:
                    start_loop(frame, instruction);
                    break;
                case OpCode::LoopNext:
                    next_iteration(frame, instruction);
                    break;
                case OpCode::CallMethod:
                    call_method(frame, instruction);
                    break;
                case OpCode::CallFunction:
                    call_function(frame, instruction);
                    break;
                case OpCode::Enter:
                    enter_manager(frame, instruction);
                    break;
                case OpCode::Exit:
                    exit_manager(frame, instruction);
                    break;
                case OpCode::Fork:
                    fork(frame, instruction);
                    break;
                case OpCode::GetAttribute:
                    get_attribute(frame, instruction);
                    break;
                case OpCode::SetAttribute:
                    set_attribute(frame, instruction);
                    break;
                case OpCode::BailOut:
                    bail_out_of_other_types(frame, instruction);
                    break;
                case OpCode::Return:
                    leave_frame(frame, instruction);
                    break;
            }
        }
    }

    static void run_operator(const Frame& frame, const Instruction& instruction) {
        IValue* const inputs = frame.window;
        IValue* const outputs = inputs + instruction.input_count;
        gather(frame, instruction, inputs);
        ExecutionObserver* const observer = execution_observer();
        if (observer == nullptr || !instruction.is_observed) [[likely]] {
            call_operator_donating(*instruction.op, {inputs, instruction.input_count}, outputs);
        } else {
            OperatorCall call = describe_call(instruction, inputs);
            if (!call_opened(call, outputs)) {
                const NestedCallScope nested;
                observer->before_operator(call);
                call_operator(*instruction.op, {inputs, instruction.input_count}, outputs);
                call.outputs = {outputs, instruction.output_count};
                observer->after_operator(call);
            }
        }
        clear(inputs, instruction.input_count);
        scatter(frame, instruction, outputs);
    }

    static void run_structural(const Frame& frame, const Instruction& instruction) {
        IValue* const inputs = frame.window;
        IValue* const outputs = inputs + instruction.input_count;
        gather(frame, instruction, inputs);
        ExecutionObserver* const observer = instruction.is_observed ? execution_observer() : nullptr;
        OperatorCall call;
        if (observer != nullptr) observer->before_operator(call = describe_call(instruction, inputs));
        instruction.structural({instruction, *instruction.node, inputs, outputs, frame.code});
        if (observer != nullptr) {
            call.outputs = {outputs, instruction.output_count};
            observer->after_operator(call);
        }
        clear(inputs, instruction.input_count);
        scatter(frame, instruction, outputs);
    }

    static OperatorCall describe_call(const Instruction& instruction, const IValue* inputs) {
        OperatorCall call;
        call.phase = current_phase();
        call.name = instruction.node->kind().str();
        if (instruction.code == OpCode::Operator) {
            call.schema = &instruction.op->schema;
            call.op = instruction.op;
        }
        call.site = instruction.node;
        call.inputs = {inputs, instruction.input_count};
        return call;
    }

    static void jump_if_false(Frame& frame, const Instruction& instruction) {
        const Operand condition = frame.code->operands[instruction.inputs];
        if (!look(frame, condition).to_bool()) frame.next = instruction.target;
    }

    // Outputs: counter, max, index, carried...
    static void start_loop(Frame& frame, const Instruction& instruction) {
        gather(frame, instruction, frame.window);
        const std::int64_t max = frame.window[0].to_int();
        const bool condition = frame.window[1].to_bool();
        const std::uint32_t* const registers = frame.code->registers.data() + instruction.outputs;
        frame.registers[registers[0]] = std::int64_t{0};
        frame.registers[registers[1]] = max;
        frame.registers[registers[2]] = std::int64_t{0};
        carry(frame, instruction, 2);
        if (!condition || max <= 0) frame.next = instruction.target;
    }

    static void next_iteration(Frame& frame, const Instruction& instruction) {
        check_cancelled();
        gather(frame, instruction, frame.window);
        const bool condition = frame.window[0].to_bool();
        carry(frame, instruction, 1);
        const std::uint32_t* const registers = frame.code->registers.data() + instruction.outputs;
        const std::int64_t index = frame.registers[registers[0]].to_int() + 1;
        if (!condition || index >= frame.registers[registers[1]].to_int()) return;
        frame.registers[registers[0]] = index;
        frame.registers[registers[2]] = index;
        frame.next = instruction.target;
    }

    // Gathered values from `first` on go to the carried registers.
    static void carry(const Frame& frame, const Instruction& instruction, std::size_t first) {
        const std::uint32_t* const registers = frame.code->registers.data() + instruction.outputs + 3;
        for (std::size_t i = 0; first + i < instruction.input_count; ++i) {
            frame.registers[registers[i]] = std::move(frame.window[first + i]);
        }
    }

    // --- calls ---

    // False after the callee got another graph.
    static bool is_current(const CallSite& site) {
        return site.code != nullptr &&
               static_cast<const ir::ScriptFunction*>(site.function)->cached_code().get() == site.code;
    }

    static const Code& method_code(const CallSite& site, CallSite& cache, const Object& self) {
        if (site.type == self.type().get() && is_current(site)) return *site.code;
        const Function* function = self.type()->find_method(site.name);
        if (function == nullptr) {
            throw Error(ErrorKind::Run, concat("Module '", self.type()->name(), "' has no method '", site.name, "'"));
        }
        cache.code = &script_code(*function);
        cache.function = function;
        cache.type = self.type().get();
        return *cache.code;
    }

    static const Code& script_code(const Function& function) {
        const auto* script = dynamic_cast<const ir::ScriptFunction*>(&function);
        if (script == nullptr)
            throw Error(ErrorKind::Unsupported, concat("'", function.qualified_name(), "' is no script function"));
        return code_of(*script);
    }

    void call_method(Frame& frame, const Instruction& instruction) {
        CallSite& site = frame.code->call_sites[instruction.target];
        const IValue& target = look(frame, frame.code->operands[instruction.inputs]);
        if (!target.is_object()) target.to_object();  // throws
        const auto& self = static_cast<const Object&>(*target.object_pointer());
        const Code& code = method_code(site, site, self);
        if (site.name == "forward") {
            auto* module = dynamic_cast<nn::Module*>(const_cast<Object*>(&self));
            if (module != nullptr && module->has_hooks()) {
                call_with_hooks(frame, instruction, *module, code);
                return;
            }
        }
        push_call(instruction, code, site, instruction.input_count);
    }

    // Arguments of the instruction become the registers of a new frame.
    void push_call(const Instruction& instruction, const Code& code, const CallSite& site, std::size_t count) {
        if (code.input_count() < count) {
            throw Error(ErrorKind::Internal,
                        concat(code.function_name(), " takes ", code.input_count(), " inputs, got ", count));
        }
        IValue* const registers = push_frame(code, &site);
        gather(frames_[frames_.size() - 2], instruction, registers);
        enter(instruction.node);
    }

    void call_with_hooks(Frame& frame, const Instruction& instruction, nn::Module& module, const Code& code) {
        std::vector<IValue> inputs(instruction.input_count);
        gather(frame, instruction, inputs.data());
        const IValue self = std::move(inputs.front());
        inputs.erase(inputs.begin());
        const CallSite& site = frame.code->call_sites[instruction.target];
        std::string scope = scope_of(frames_.size() - 1);
        if (!site.relative_scope.empty()) scope += concat(scope.empty() ? "" : ".", site.relative_scope);
        IValue result = module.call_with_hooks(std::move(inputs), [&](std::vector<IValue> given) {
            given.insert(given.begin(), self);
            return Interpreter(scope).run(code, std::move(given)).at(0);
        });
        scatter(frames_.back(), instruction, &result);
    }

    void call_function(Frame& frame, const Instruction& instruction) {
        CallSite& site = frame.code->call_sites[instruction.target];
        if (!is_current(site)) {
            if (site.function == nullptr) throw Error(ErrorKind::Unsupported, "a call of a function that is not known");
            if (const auto* external = dynamic_cast<const ir::ExternalFunction*>(site.function))
                return call_external(frame, instruction, *external);
            site.code = &script_code(*site.function);
        }
        push_call(instruction, *site.code, site, instruction.input_count);
    }

    void call_external(Frame& frame, const Instruction& instruction, const ir::ExternalFunction& function) {
        std::vector<IValue> arguments(instruction.input_count);
        gather(frame, instruction, arguments.data());
        IValue result = function.call(std::move(arguments));
        scatter(frames_.back(), instruction, &result);
    }

    void fork(Frame& frame, const Instruction& instruction) {
        const CallSite& site = frame.code->call_sites[instruction.target];
        push_call(instruction, *site.forked, site, instruction.input_count);
        frames_.back().makes_future = true;
    }

    void enter_manager(Frame& frame, const Instruction& instruction) {
        CallSite& site = frame.code->call_sites[instruction.target];
        const IValue manager = look(frame, frame.code->operands[instruction.inputs]);
        const Code& code = method_code(site, site, *manager.to_object());
        entered_.emplace_back(frames_.size(), manager);
        push_call(instruction, code, site, 1);
    }

    void exit_manager(Frame& frame, const Instruction& instruction) {
        CallSite& site = frame.code->call_sites[instruction.target];
        const IValue manager = look(frame, frame.code->operands[instruction.inputs]);
        const Code& code = method_code(site, site, *manager.to_object());
        if (!entered_.empty() && entered_.back().first == frames_.size()) entered_.pop_back();
        push_call(instruction, code, site, 1);  // no exception: the other three arguments stay None
    }

    void leave_frame(Frame& frame, const Instruction& instruction) {
        gather(frame, instruction, frame.window);
        give_back(frame, frame.window, instruction.input_count);
    }

    // Results of the top frame, which is popped.
    void give_back(Frame& frame, IValue* values, std::size_t count) {
        if (frames_.size() == 1) {
            std::move(values, values + count, results_);
            pop_frame();
            return;
        }
        Frame& caller = frames_[frames_.size() - 2];
        const Instruction& call = caller.code->instructions[caller.next - 1];
        if (frame.makes_future) values[0] = make_ptr<FutureObject>(forked_result(values, count));
        if (call.output_count > 0) scatter(caller, call, values);
        pop_frame();
    }

    // The graph is specialised for the node's type. For others the unspecialised rest runs in place of this frame's.
    void bail_out_of_other_types(Frame& frame, const Instruction& instruction) {
        gather(frame, instruction, frame.window);
        const auto* type = instruction.node->output()->type()->as<TensorType>();
        if (type == nullptr || is_of_type(frame.window[0], *type)) {
            IValue value = std::move(frame.window[0]);
            clear(frame.window, instruction.input_count);
            scatter(frame, instruction, &value);
            return;
        }
        std::vector<IValue> inputs(std::make_move_iterator(frame.window),
                                   std::make_move_iterator(frame.window + instruction.input_count));
        const std::string scope = scope_of(frames_.size() - 1);
        std::vector<IValue> results =
            Interpreter(scope).run(rest_of(*frame.code, *instruction.node), std::move(inputs));
        // The rest has left the context managers that this frame entered.
        while (!entered_.empty() && entered_.back().first == frames_.size()) entered_.pop_back();
        results.resize(std::max<std::size_t>(results.size(), 1));  // a future needs a place
        give_back(frame, results.data(), frame.code->output_count());
    }

    static const Code& rest_of(const Code& code, const ir::Node& bailout) {
        Ptr<RefCounted>& kept = code.group_states[&bailout];
        if (!kept) {
            const ir::Graph& whole = *bailout.input(0)->node()->g(ir::attr::Subgraph);
            kept = Ptr<RefCounted>(const_cast<Code*>(
                Code::make(passes::bailout_graph(whole, bailout.i(passes::bailout_index())), code.function_name())
                    .get()));
        }
        return static_cast<const Code&>(*kept);
    }

    static IValue forked_result(IValue* values, std::size_t count) {
        if (count == 0) return {};
        if (count == 1) return std::move(values[0]);
        return make_ptr<TupleObject>(std::vector<IValue>(values, values + count));
    }

    // --- attributes ---

    static std::size_t slot_of(AttributeSite& site, const Object& object) {
        if (site.type == object.type().get()) return site.slot;
        const auto slot = object.type()->find_attribute(site.name);
        if (!slot)
            throw Error(ErrorKind::Run,
                        concat("'", object.type()->name(), "' object has no attribute '", site.name, "'"));
        site.type = object.type().get();
        site.slot = *slot;
        return *slot;
    }

    static Object& object_of(const IValue& value) {
        if (!value.is_object()) value.to_object();  // throws
        return static_cast<Object&>(*value.object_pointer());
    }

    static void get_attribute(const Frame& frame, const Instruction& instruction) {
        const Operand operand = frame.code->operands[instruction.inputs];
        const Object& object = object_of(look(frame, operand));
        IValue value = object.slot(slot_of(frame.code->attribute_sites[instruction.target], object));
        if (operand.kind() == Operand::Kind::Move) frame.registers[operand.index()] = IValue();
        scatter(frame, instruction, &value);
    }

    static void set_attribute(const Frame& frame, const Instruction& instruction) {
        gather(frame, instruction, frame.window);
        Object& object = object_of(frame.window[0]);
        const std::size_t slot = slot_of(frame.code->attribute_sites[instruction.target], object);
        ExecutionObserver* const observer = execution_observer();
        OperatorCall call;
        if (observer != nullptr) observer->before_operator(call = describe_call(instruction, frame.window));
        object.set_slot(slot, frame.window[1]);
        if (observer != nullptr) observer->after_operator(call);
        clear(frame.window, 2);
    }

    ValueStack& stack_;
    std::string_view base_scope_;
    std::vector<Frame> frames_;
    std::vector<std::pair<std::size_t, IValue>> entered_;  // depth of the frame, and its context manager
    IValue* results_ = nullptr;
    const Interpreter* outer_;
    static thread_local const Interpreter* current_;
};
thread_local const Interpreter* Interpreter::current_ = nullptr;

ir::SourceRange current_range() { return Interpreter::range_of_thread(); }
const ir::Node* current_node(const Code& code) { return Interpreter::node_of_thread(code); }

std::vector<IValue> run_code(const Code& code, std::vector<IValue> inputs, std::string_view scope) {
    if (inputs.size() != code.input_count()) {
        throw Error(ErrorKind::Run, concat("the graph takes ", code.input_count(), " inputs, got ", inputs.size()));
    }
    return Interpreter(scope).run(code, std::move(inputs));
}

void run_graph(const Ptr<const ir::Graph>& graph, Stack& stack) {
    const Ptr<const Code> code = Code::make(graph, {});
    if (stack.size() < code->input_count()) {
        throw Error(ErrorKind::Run, concat("the graph takes ", code->input_count(), " inputs, got ", stack.size()));
    }
    const auto first = stack.end() - static_cast<std::ptrdiff_t>(code->input_count());
    std::vector<IValue> inputs(std::make_move_iterator(first), std::make_move_iterator(stack.end()));
    stack.erase(first, stack.end());
    for (IValue& output : run_code(*code, std::move(inputs))) stack.push_back(std::move(output));
}

}  // namespace loupe::runtime

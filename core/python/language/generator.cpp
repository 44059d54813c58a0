// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/generator.h"

#include "core/base/strings.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/runner.h"

namespace loupe::python {
namespace {

// Unwinds a generator that has no owner any more; no program can catch it.
struct Abandoned {};

constexpr std::uintptr_t kReserve = 64 * 1024;  // of a fiber's stack: native calls below the last check

// Lets go of what a generator holds. Generators in generators go link by link, not by recursion.
void let_go(Frame& frame) {
    struct Held {
        decltype(Frame::locals) locals;
        decltype(Frame::cells) cells;
    };
    constexpr int kDeepest = 8;
    static thread_local int depth = 0;
    static thread_local std::vector<Held> waiting;
    Held held{std::move(frame.locals), std::move(frame.cells)};
    frame.locals.clear();
    frame.cells.clear();
    if (depth >= kDeepest) {
        waiting.push_back(std::move(held));
        return;
    }
    ++depth;
    held.locals.clear();
    held.cells.clear();
    while (depth == 1 && !waiting.empty()) {
        Held next = std::move(waiting.back());
        waiting.pop_back();
        next.locals.clear();
        next.cells.clear();
    }
    --depth;
}

}  // namespace

void throw_stop_iteration(IValue value) {
    std::vector<IValue> arguments;
    if (!value.is_none()) arguments.push_back(std::move(value));
    throw PythonError(make_ptr<ExceptionObject>(exception_class("StopIteration"), std::move(arguments)));
}

Generator::Generator(Ptr<FunctionObject> function, std::unique_ptr<Frame> frame)
    : function_(std::move(function)), frame_(std::move(frame)) {
    frame_->generator = this;
}

Generator::~Generator() {
    if (is_running_) return;
    if (!fiber_ || is_finished_) {
        let_go(*frame_);
        return;
    }
    try {
        close();
    } catch (...) {  // as Python: ignored
    }
    if (!is_finished_) {
        is_abandoned_ = true;
        try {
            resume({}, nullptr);
        } catch (...) {
        }
    }
    let_go(*frame_);
}

std::string Generator::repr() { return concat("<generator object ", function_->code.qualified_name, ">"); }

// Runs on the fiber.
void Generator::run() {
    try {
        if (thrown_) throw PythonError(std::exchange(thrown_, nullptr));
        result_ = run_body(*frame_);
    } catch (const Abandoned&) {
    } catch (...) {
        failure_ = std::current_exception();
    }
}

std::optional<IValue> Generator::resume(IValue sent, Ptr<ExceptionObject> thrown) {
    if (is_running_) throw_value_error("generator already executing");
    if (is_finished_) {
        if (thrown) throw PythonError(std::move(thrown));
        return std::nullopt;
    }
    check_stack();
    sent_ = std::move(sent);
    thrown_ = std::move(thrown);
    const Ptr<Generator> keep(use_count() > 0 ? this : nullptr);
    ThreadState& thread = thread_state();
    {
        const EvaluatorScope evaluator(frame_->unit.owner != nullptr ? frame_->unit.owner : thread.evaluator);
        const FrameScope scope(*frame_);  // before there is a stack: RecursionError when too many run
        if (!fiber_) {
            try {
                fiber_ = std::make_unique<Fiber>([this] { run(); });
            } catch (const std::bad_alloc&) {
                throw_recursion_error();
            }
            own_stack_end_ = fiber_->stack_begin() + kReserve;
        }
        const std::uintptr_t stack_end = std::exchange(thread.stack_end, own_stack_end_);
        is_running_ = true;
        fiber_->resume();
        is_running_ = false;
        thread.stack_end = stack_end;
    }
    if (fiber_->is_done()) return finish();
    return std::move(yielded_);
}

std::optional<IValue> Generator::finish() {
    is_finished_ = true;
    fiber_.reset();
    let_go(*frame_);
    if (!failure_) return std::nullopt;
    const std::exception_ptr failure = std::exchange(failure_, nullptr);
    try {
        std::rethrow_exception(failure);
    } catch (const PythonError& error) {
        if (!error.is("StopIteration")) throw;
    }
    throw_error("RuntimeError", "generator raised StopIteration");
}

IValue Generator::yield(IValue value) {
    if (is_abandoned_) throw Abandoned{};
    yielded_ = std::move(value);
    fiber_->suspend();
    if (is_abandoned_) throw Abandoned{};
    if (thrown_) throw PythonError(std::exchange(thrown_, nullptr));
    return std::move(sent_);
}

IValue Generator::yield_from(const IValue& iterable) {
    if (auto* inner = object_as<Generator>(iterable)) {
        IValue sent;
        Ptr<ExceptionObject> raised;
        while (true) {
            auto value = inner->resume(std::move(sent), std::exchange(raised, nullptr));
            if (!value) return inner->result();
            try {
                sent = yield(std::move(*value));
            } catch (const PythonError& error) {
                raised = error.exception();
            }
        }
    }
    const Ptr<Iterator> iterator = python::iterate(iterable);
    while (auto value = iterator->next()) yield(std::move(*value));
    return {};
}

void Generator::close() {
    if (is_finished_) return;
    if (!fiber_) {
        is_finished_ = true;
        return;
    }
    bool has_yielded = false;
    try {
        const auto exit = make_ptr<ExceptionObject>(exception_class("GeneratorExit"), std::vector<IValue>{});
        has_yielded = resume({}, exit).has_value();
    } catch (const PythonError& error) {
        if (!error.is("GeneratorExit") && !error.is("StopIteration")) throw;
    }
    if (has_yielded) throw_error("RuntimeError", "generator ignored GeneratorExit");
}

std::optional<IValue> Generator::find_attribute(std::string_view name) {
    const Ptr<Generator> self(this);
    const auto method = [&](NativeCallable::Body body) {
        return IValue::other(make_ptr<NativeCallable>(std::string(name), std::move(body)));
    };
    if (name == "send") {
        return method([self](CallArguments arguments) -> IValue {
            if (arguments.positional.size() != 1) throw_type_error("generator.send() takes exactly one argument");
            if (!self->fiber_ && !self->is_finished_ && !arguments.positional[0].is_none()) {
                throw_type_error("can't send non-None value to a just-started generator");
            }
            if (auto value = self->resume(arguments.positional[0], nullptr)) return std::move(*value);
            throw_stop_iteration(std::exchange(self->result_, IValue()));
        });
    }
    if (name == "throw") {
        return method([self](CallArguments arguments) -> IValue {
            if (arguments.positional.empty()) throw_type_error("throw expected at least 1 argument, got 0");
            const auto exception = exception_from(arguments.positional[0]);
            if (auto value = self->resume({}, exception)) return std::move(*value);
            throw_stop_iteration(std::exchange(self->result_, IValue()));
        });
    }
    if (name == "close") {
        return method([self](CallArguments) -> IValue {
            self->close();
            return {};
        });
    }
    return Iterator::find_attribute(name);
}

}  // namespace loupe::python

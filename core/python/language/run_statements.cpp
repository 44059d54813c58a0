// SPDX-License-Identifier: Apache-2.0
// Statements other than assignments and definitions.
#include <algorithm>
#include <exception>
#include <new>

#include "core/base/strings.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/runner.h"

namespace loupe::python {

using namespace script;

Runner::Flow Runner::run(Body body) {
    check_stack();
    for (const Stmt* s : body) {
        const Flow flow = run(s);
        if (flow != Flow::Next) return flow;
    }
    return Flow::Next;
}

void Runner::tell_hook(const Stmt* s) {
    StatementHook* const hook = frame_.unit.owner->state().hook;
    if (hook == nullptr || frame_.unit.is_library) return;
    const ir::SourceRange range{frame_.unit.source, s->range.begin, s->range.end};
    hook->before_statement({range, frame_.code.qualified_name, thread_state().depth - 1, frame_, s});
}

Runner::Flow Runner::run(const Stmt* s) {
    frame_.where = s->range;
    tell_hook(s);
    switch (s->kind) {
        case StmtKind::Expression:
            evaluate(as<ExprStmt>(s)->value);
            break;
        case StmtKind::Assign:
            run_assign(*as<Assign>(s));
            break;
        case StmtKind::AugAssign:
            run_augmented(*as<AugAssign>(s));
            break;
        case StmtKind::If:
            return run_if(*as<If>(s));
        case StmtKind::While:
            return run_while(*as<While>(s));
        case StmtKind::For:
            return run_for(*as<For>(s));
        case StmtKind::With:
            return run_with(*as<With>(s), 0);
        case StmtKind::Return:
            frame_.result = evaluate(as<Return>(s)->value);
            return Flow::Return;
        case StmtKind::Raise:
            run_raise(*as<Raise>(s));
            break;
        case StmtKind::Assert:
            run_assert(*as<Assert>(s));
            break;
        case StmtKind::Break:
            return Flow::Break;
        case StmtKind::Continue:
            return Flow::Continue;
        case StmtKind::Delete:
            for (const Expr* target : as<Delete>(s)->targets) delete_target(target);
            break;
        case StmtKind::Def:
            run_def(*as<Def>(s));
            break;
        case StmtKind::Class:
            run_class(*as<Class>(s));
            break;
        case StmtKind::Import:
            run_import(*as<Import>(s));
            break;
        case StmtKind::ImportFrom:
            run_import_from(*as<ImportFrom>(s));
            break;
        case StmtKind::Try:
            return run_try(*as<Try>(s));
        case StmtKind::Match:
            return run_match(*as<Match>(s));
        case StmtKind::Pass:
        case StmtKind::Global:
        case StmtKind::Nonlocal:
            break;
    }
    return Flow::Next;
}

// An elif stands alone in the else branch of what is before it: a chain of them is walked.
Runner::Flow Runner::run_if(const If& s) {
    const If* branch = &s;
    while (!truth(evaluate(branch->condition))) {
        const auto* next = branch->if_false.size() == 1 ? as<If>(branch->if_false.front()) : nullptr;
        if (next == nullptr) return run(branch->if_false);
        branch = next;
        frame_.where = branch->range;
        tell_hook(branch);
    }
    return run(branch->if_true);
}

Runner::Flow Runner::run_while(const While& s) {
    while (true) {
        check_cancelled();
        if (!truth(evaluate(s.condition))) break;
        const Flow flow = run(s.body);
        if (flow == Flow::Break) return Flow::Next;
        if (flow == Flow::Return) return flow;
        frame_.where = s.range;
    }
    return run(s.orelse);
}

// next: fills the value and says whether there was one.
template <typename Next>
Runner::Flow Runner::run_loop(const For& s, Next next) {
    const Expr* const target = s.targets.front();
    IValue value;
    while (next(value)) {
        check_cancelled();
        assign(target, std::move(value));
        const Flow flow = run(s.body);
        if (flow == Flow::Break) return Flow::Next;
        if (flow == Flow::Return) return flow;
        frame_.where = s.range;
    }
    return run(s.orelse);
}

Runner::Flow Runner::run_for(const For& s) {
    const IValue iterable = evaluate(s.iterables.front());
    if (const auto* range = object_as<RangeObject>(iterable)) {
        std::int64_t at = range->start;
        return run_loop(s, [&, left = range->count](IValue& value) mutable {
            if (left == 0) return false;
            value = at;
            if (--left > 0) at += range->step;
            return true;
        });
    }
    if (iterable.is_list()) {
        return run_loop(s, [list = &iterable.to_list(), i = std::size_t{0}](IValue& value) mutable {
            if (i >= list->elements.size()) return false;
            value = list->elements[i++];
            return true;
        });
    }
    const Ptr<Iterator> iterator = iterate(iterable);
    return run_loop(s, [&](IValue& value) {
        auto next = iterator->next();
        if (next) value = std::move(*next);
        return next.has_value();
    });
}

Ptr<ExceptionObject> current_exception() {
    try {
        throw;
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled || error.kind() == ErrorKind::Internal) return nullptr;
        if (error.message().starts_with("did not end in the time")) return nullptr;  // of a DeadlineScope
        return exception_of(error);
    } catch (const std::bad_alloc&) {
        return make_ptr<ExceptionObject>(exception_class("MemoryError"), std::vector<IValue>{});
    } catch (const std::length_error&) {
        return make_ptr<ExceptionObject>(exception_class("MemoryError"), std::vector<IValue>{});
    } catch (...) {
        return nullptr;
    }
}

namespace {

bool may_catch_import_error(const Expr* type) {
    if (type == nullptr) return true;
    if (const auto* name = as<Name>(type)) {
        return name->id == "ImportError" || name->id == "ModuleNotFoundError" || name->id == "Exception" ||
               name->id == "BaseException";
    }
    const auto* tuple = as<Tuple>(type);
    return tuple != nullptr && std::any_of(tuple->elements.begin(), tuple->elements.end(), may_catch_import_error);
}

// While it lives, an import of the frame that fails raises at once.
class ImportGuard {
  public:
    ImportGuard(Frame& frame, const Try& s) : frame_(frame) {
        const bool catches = std::any_of(s.handlers.begin(), s.handlers.end(), [](const ExceptHandler& handler) {
            return may_catch_import_error(handler.type);
        });
        if (catches) count_ = 1;
        frame_.import_guards += count_;
    }
    ~ImportGuard() { frame_.import_guards -= count_; }
    ImportGuard(const ImportGuard&) = delete;
    ImportGuard& operator=(const ImportGuard&) = delete;

  private:
    Frame& frame_;
    int count_ = 0;
};

}  // namespace

// Handlers run outside the C++ handler, so that a generator may be left in the middle of one.
Runner::Flow Runner::run_guarded(const Try& s) {
    if (s.handlers.empty()) {
        const Flow flow = run(s.body);
        return flow == Flow::Next ? run(s.orelse) : flow;
    }
    Ptr<ExceptionObject> raised;
    Flow flow = Flow::Next;
    try {
        const ImportGuard guard(frame_, s);
        flow = run(s.body);
    } catch (...) {
        raised = current_exception();
        if (!raised) throw;
    }
    if (raised) return run_handlers(s, raised);
    return flow == Flow::Next ? run(s.orelse) : flow;
}

Runner::Flow Runner::run_try(const Try& s) {
    if (s.final_body.empty()) return run_guarded(s);
    std::exception_ptr pending;
    Ptr<ExceptionObject> raised;
    Flow flow = Flow::Next;
    try {
        flow = run_guarded(s);
    } catch (...) {
        pending = std::current_exception();
        raised = current_exception();
    }
    IValue result = std::move(frame_.result);
    const Range where = frame_.where;
    const auto handled = std::exchange(frame_.handled, raised ? raised : frame_.handled);
    const Flow last = run(s.final_body);
    frame_.handled = handled;
    if (last != Flow::Next) return last;
    frame_.result = std::move(result);
    frame_.where = where;
    if (pending) std::rethrow_exception(pending);
    return flow;
}

Runner::Flow Runner::run_handlers(const Try& s, const Ptr<ExceptionObject>& raised) {
    const Range where = frame_.where;
    const IValue value = IValue::other(raised);
    for (const ExceptHandler& handler : s.handlers) {
        if (handler.type != nullptr) {
            const IValue type = evaluate(handler.type);
            frame_.where = handler.range;
            if (!is_exception_match(value, type)) continue;
        }
        return run_handler(handler, raised);
    }
    frame_.where = where;
    throw PythonError(raised);
}

Runner::Flow Runner::run_handler(const ExceptHandler& handler, const Ptr<ExceptionObject>& raised) {
    struct Restore {
        Frame& frame;
        Ptr<ExceptionObject> before;
        ~Restore() { frame.handled = before; }
    };
    const Restore restore{frame_, std::exchange(frame_.handled, raised)};
    if (handler.name.empty()) return run(handler.body);
    bind_name(handler.index, handler.name, IValue::other(raised));
    std::exception_ptr pending;
    Flow flow = Flow::Next;
    try {
        flow = run(handler.body);
    } catch (...) {
        pending = std::current_exception();
    }
    // The name is gone behind its block.
    bind_name(handler.index, handler.name, unbound());
    if (pending) std::rethrow_exception(pending);
    return flow;
}

Runner::Flow Runner::run_with(const With& s, std::size_t item) {
    if (item == s.items.size()) return run(s.body);
    const WithItem& with = s.items[item];
    const IValue manager = evaluate(with.context);
    frame_.where = with.range;
    if (!find_attribute(IValue::other(class_of(manager)), "__exit__") && !find_attribute(manager, "__exit__")) {
        throw_type_error(concat("'", type_name(manager), "' object does not support the context manager protocol"));
    }
    IValue entered = call_method(manager, "__enter__", {});
    std::exception_ptr pending;
    Ptr<ExceptionObject> raised;
    Flow flow = Flow::Next;
    try {
        if (with.binding != nullptr) assign(with.binding, std::move(entered));
        flow = run_with(s, item + 1);
    } catch (...) {
        pending = std::current_exception();
        raised = current_exception();
    }
    IValue result = std::move(frame_.result);
    const Range where = frame_.where;
    const auto handled = std::exchange(frame_.handled, raised ? raised : frame_.handled);
    const bool is_swallowed = leave_with(manager, raised);
    frame_.handled = handled;
    frame_.result = std::move(result);
    if (!pending || (is_swallowed && raised)) return flow;
    frame_.where = where;
    std::rethrow_exception(pending);
}

bool Runner::leave_with(const IValue& manager, const Ptr<ExceptionObject>& raised) {
    CallArguments arguments;
    if (raised) {
        arguments.positional = {IValue::other(raised->cls()), IValue::other(raised), IValue()};
    } else {
        arguments.positional.resize(3);
    }
    return truth(call_method(manager, "__exit__", std::move(arguments)));
}

void Runner::run_raise(const Raise& s) {
    if (s.value == nullptr) {
        for (const Frame* frame = &frame_; frame != nullptr; frame = frame->caller) {
            if (frame->handled) throw PythonError(frame->handled);
        }
        throw_error("RuntimeError", "No active exception to reraise");
    }
    const IValue value = evaluate(s.value);
    IValue cause = s.cause != nullptr ? evaluate(s.cause) : IValue();
    frame_.where = s.range;
    const Ptr<ExceptionObject> exception = exception_from(value);
    if (s.cause != nullptr) {
        exception->suppresses_context = true;
        if (!cause.is_none()) exception->cause = IValue::other(exception_from(cause));
    }
    throw PythonError(exception);
}

void Runner::run_assert(const Assert& s) {
    if (truth(evaluate(s.condition))) return;
    std::vector<IValue> arguments;
    if (s.message != nullptr) arguments.push_back(evaluate(s.message));
    frame_.where = s.range;
    throw PythonError(make_ptr<ExceptionObject>(exception_class("AssertionError"), std::move(arguments)));
}

}  // namespace loupe::python

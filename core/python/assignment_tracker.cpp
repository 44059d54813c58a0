// SPDX-License-Identifier: Apache-2.0
#include "core/python/assignment_tracker.h"

#include "core/base/strings.h"
#include "core/nn/module.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/operations.h"

namespace loupe::python {
namespace {

using namespace script;

// Reading an attribute may run a property of the program, which is no step of it.
class UnwatchedScope {
  public:
    explicit UnwatchedScope(Evaluator& evaluator) : evaluator_(evaluator), hook_(evaluator.hook()) {
        evaluator_.set_hook(nullptr);
    }
    UnwatchedScope(const UnwatchedScope&) = delete;
    UnwatchedScope& operator=(const UnwatchedScope&) = delete;
    ~UnwatchedScope() { evaluator_.set_hook(hook_); }

  private:
    Evaluator& evaluator_;
    StatementHook* hook_;
};

class Reader {
  public:
    Reader(const Frame& frame, const Stmt& statement, std::vector<EagerModel::Assigned>& out)
        : frame_(frame), range_{frame.unit.source, statement.range.begin, statement.range.end}, out_(out) {}

    void read(const Expr* target) {
        switch (target->kind) {
            case ExprKind::Name:
                return add(std::string(as<Name>(target)->id), value_of(*as<Name>(target)));
            case ExprKind::Attribute:
                return read_attribute(*as<Attribute>(target));
            case ExprKind::Tuple:
                for (const Expr* element : as<Tuple>(target)->elements) read(element);
                return;
            case ExprKind::List:
                for (const Expr* element : as<List>(target)->elements) read(element);
                return;
            case ExprKind::Starred:
                return read(as<Starred>(target)->value);
            default:
                return;
        }
    }
    void read(NamePlace place, std::string_view name) { add(std::string(name), value_at(place, name)); }

  private:
    void add(std::string name, const IValue* value) {
        if (value != nullptr && !is_unbound(*value)) out_.push_back({std::move(name), *value, range_});
    }

    const IValue* value_of(const Name& name) const { return value_at(frame_.unit.scopes.names[name.index], name.id); }
    const IValue* value_at(NamePlace place, std::string_view name) const {
        switch (place.kind) {
            case NameKind::Local:
                return &frame_.locals[place.slot];
            case NameKind::Cell:
                return &frame_.cells[place.slot]->value;
            case NameKind::Global:
                return &frame_.unit.globals->at(place.slot);
            default:
                return frame_.class_names != nullptr ? frame_.class_names->find(name) : nullptr;
        }
    }

    // self.hidden = ...
    void read_attribute(const Attribute& target) {
        const auto* owner = as<Name>(target.object);
        const IValue* object = owner == nullptr ? nullptr : value_of(*owner);
        if (object == nullptr || is_unbound(*object)) return;
        const UnwatchedScope unwatched(*frame_.unit.owner);
        try {
            if (const auto value = find_attribute(*object, target.name))
                add(concat(owner->id, ".", target.name), &*value);
        } catch (const PythonError&) {
            return;  // a property that does not give what was put in
        }
    }

    const Frame& frame_;
    const ir::SourceRange range_;
    std::vector<EagerModel::Assigned>& out_;
};

void read_targets(const Frame& frame, const Stmt& s, std::vector<EagerModel::Assigned>& out) {
    Reader reader(frame, s, out);
    if (const auto* assign = as<Assign>(&s)) {
        if (assign->value == nullptr) return;
        for (const Expr* target : assign->targets) reader.read(target);
    } else if (const auto* augmented = as<AugAssign>(&s)) {
        reader.read(augmented->target);
    } else if (const auto* loop = as<For>(&s)) {
        for (const Expr* target : loop->targets) reader.read(target);
    } else if (const auto* with = as<With>(&s)) {
        for (const WithItem& item : with->items) {
            if (item.binding != nullptr) reader.read(item.binding);
        }
    }
}

// Arguments stand at their own place in the def.
void read_arguments(const Frame& frame, std::vector<EagerModel::Assigned>& out) {
    for (std::size_t i = 0; i < frame.code.params.size(); ++i) {
        Stmt place{};
        place.range = frame.code.params[i].range;
        Reader(frame, place, out).read(frame.code.param_places[i], frame.code.params[i].name);
    }
}

}  // namespace

AssignmentTracker::Call& AssignmentTracker::call_of(const StatementPlace& place, bool is_first) {
    while (!calls_.empty() && calls_.back().depth > place.depth) calls_.pop_back();
    const bool is_under_way =
        !calls_.empty() && calls_.back().depth == place.depth && calls_.back().frame == &place.frame && !is_first;
    if (!is_under_way) {
        if (!calls_.empty() && calls_.back().depth == place.depth) calls_.pop_back();
        calls_.push_back({&place.frame, place.depth, nullptr, {}});
    }
    return calls_.back();
}

EagerModel::Statement AssignmentTracker::next(const StatementPlace& place) {
    const bool is_first = !place.frame.code.body.empty() && place.frame.code.body.front() == place.statement;
    EagerModel::Statement note{place.range, place.depth, place.function, is_first, {}};
    Call& call = call_of(place, is_first);
    if (is_first) read_arguments(place.frame, note.assigned);
    if (call.last != nullptr) read_targets(place.frame, *call.last, note.assigned);
    const auto loop = call.loops.find(place.statement);
    if (loop != call.loops.end() && loop->second != call.last) read_targets(place.frame, *loop->second, note.assigned);
    if (const auto* begun = as<For>(place.statement); begun != nullptr && !begun->body.empty())
        call.loops[begun->body.front()] = begun;
    call.last = place.statement;
    return note;
}

}  // namespace loupe::python

// SPDX-License-Identifier: Apache-2.0
// Comprehensions and generator expressions: nested loops with names of their own.
#include "core/base/strings.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/key_lookup.h"
#include "core/python/language/runner.h"

namespace loupe::python {

using namespace script;

// The loops of one comprehension, which stand still between two elements. A generator expression keeps one.
class ComprehensionRun {
  public:
    ComprehensionRun(Frame& outer, const Comprehension& comprehension, Ptr<Iterator> first)
        : unit_(&outer.unit), e_(comprehension), frame_(outer.unit, outer.unit.code_of(&comprehension)) {
        for (const std::uint32_t cell : frame_.code.captured) frame_.cells.push_back(outer.cells[cell]);
        frame_.class_names = nullptr;
        frame_.function = outer.function;  // for super()
        frame_.where = comprehension.range;
        loops_.push_back(std::move(first));
    }

    // Goes to the next element; false at the end.
    bool advance() {
        Runner runner(frame_);
        while (!loops_.empty()) {
            check_cancelled();
            const ComprehensionClause& clause = e_.clauses[loops_.size() - 1];
            auto value = loops_.back()->next();
            if (!value) {
                loops_.pop_back();
                continue;
            }
            runner.assign(clause.target, std::move(*value));
            if (!holds(runner, clause)) continue;
            if (loops_.size() == e_.clauses.size()) return true;
            const Expr* iterable = e_.clauses[loops_.size()].iterable;
            const IValue inner = runner.evaluate(iterable);
            frame_.where = iterable->range;
            loops_.push_back(iterate(inner));
        }
        return false;
    }
    IValue element() { return Runner(frame_).evaluate(e_.element); }
    IValue value() { return Runner(frame_).evaluate(e_.value); }
    Frame& frame() { return frame_; }

  private:
    static bool holds(Runner& runner, const ComprehensionClause& clause) {
        for (const Expr* condition : clause.conditions) {
            if (!truth(runner.evaluate(condition))) return false;
        }
        return true;
    }

    Ptr<Unit> unit_;
    const Comprehension& e_;
    Frame frame_;
    std::vector<Ptr<Iterator>> loops_;
};

namespace {

class GeneratorExpression final : public Iterator {
  public:
    explicit GeneratorExpression(std::unique_ptr<ComprehensionRun> run) : run_(std::move(run)) {}
    std::string type_name() const override { return "generator"; }
    std::string repr() override { return "<generator object <genexpr>>"; }
    std::optional<IValue> next() override {
        if (!run_) return std::nullopt;
        if (is_running_) throw_value_error("generator already executing");
        check_stack();
        is_running_ = true;
        bool has_stopped = false;
        try {
            const FrameScope scope(run_->frame());
            if (run_->advance()) {
                IValue value = run_->element();
                is_running_ = false;
                return value;
            }
        } catch (const PythonError& error) {
            is_running_ = false;
            finish();
            if (!error.is("StopIteration")) throw;
            has_stopped = true;
        } catch (...) {
            is_running_ = false;
            finish();
            throw;
        }
        if (has_stopped) throw_error("RuntimeError", "generator raised StopIteration");
        is_running_ = false;
        finish();
        return std::nullopt;
    }

  private:
    void finish() { run_.reset(); }
    std::unique_ptr<ComprehensionRun> run_;
    bool is_running_ = false;
};

}  // namespace

IValue Runner::evaluate_comprehension(const Comprehension& e) {
    const IValue source = evaluate(e.clauses.front().iterable);
    frame_.where = e.clauses.front().iterable->range;
    check_stack();
    Ptr<Iterator> first = iterate(source);
    if (e.result == ComprehensionKind::Generator) {
        return IValue::other(
            make_ptr<GeneratorExpression>(std::make_unique<ComprehensionRun>(frame_, e, std::move(first))));
    }
    ComprehensionRun run(frame_, e, std::move(first));
    const FrameScope scope(run.frame());
    if (e.result == ComprehensionKind::List) {
        std::vector<IValue> values;
        while (run.advance()) values.push_back(run.element());
        return make_list(std::move(values));
    }
    if (e.result == ComprehensionKind::Set) {
        auto set = make_ptr<SetObject>();
        while (run.advance()) set->add(run.element());
        return IValue::other(set);
    }
    auto dict = python::make_dict();
    while (run.advance()) {
        IValue key = run.element();
        check_hashable(key);
        set_key(*dict, std::move(key), run.value());
    }
    return dict;
}

}  // namespace loupe::python

// SPDX-License-Identifier: Apache-2.0
#include "core/python/guess/trial.h"

#include <new>

#include "core/base/strings.h"
#include "core/python/language/bare_line.h"
#include "core/python/language/evaluator_state.h"

namespace loupe::python {
namespace {

using Clock = std::chrono::steady_clock;

class Limit final : public StatementHook {
  public:
    Limit(Evaluator& evaluator, Clock::time_point end)
        : evaluator_(evaluator),
          end_(end),
          hook_(evaluator.hook()),
          output_(evaluator.state().options.output),
          error_output_(evaluator.state().options.error_output) {
        evaluator.set_hook(this);
        evaluator.set_output([](std::string_view) {});
        evaluator.state().options.error_output = [](std::string_view) {};
    }
    Limit(const Limit&) = delete;
    Limit& operator=(const Limit&) = delete;
    ~Limit() override {
        evaluator_.set_hook(hook_);
        evaluator_.set_output(std::move(output_));
        evaluator_.state().options.error_output = std::move(error_output_);
    }

    void before_statement(const StatementPlace& place) override {
        ++statements;
        if (statements % 16 != 0 || Clock::now() < end_) return;
        is_over = true;
        last_place = place.range.short_text();
        last_line = bare_line(place.range);
        throw Error(ErrorKind::Cancelled, "takes too long");
    }

    std::size_t statements = 0;
    bool is_over = false;
    std::string last_place;
    std::string last_line;

  private:
    Evaluator& evaluator_;
    Clock::time_point end_;
    StatementHook* hook_;
    std::function<void(std::string_view)> output_;
    std::function<void(std::string_view)> error_output_;
};

}  // namespace

Trial try_out(Evaluator& evaluator, const std::function<IValue()>& work, std::chrono::milliseconds limit) {
    Trial out;
    Limit hook(evaluator, Clock::now() + limit);
    try {
        out.value = work();
        out.succeeded = true;
    } catch (const PythonError& error) {
        out.error = error.message();
        out.trace = error.exception()->trace;
        if (!out.trace.empty()) {
            out.place = out.trace.front().range.short_text();
            if (out.error == "AssertionError") out.error += concat(": ", bare_line(out.trace.front().range));
        }
        out.is_missing_library = error.is("ModuleNotFoundError");
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled && !hook.is_over) throw;
        out.error = error.message();
        if (hook.is_over) {
            out.error = concat("takes too long: stopped after ", limit.count() / 1000, ".", limit.count() % 1000 / 100,
                               " s at `", hook.last_line, "`");
            out.place = hook.last_place;
        }
    } catch (const std::bad_alloc&) {
        out.error = "out of memory";
    }
    out.statements = hook.statements;
    out.ran_out_of_time = hook.is_over;
    return out;
}

}  // namespace loupe::python

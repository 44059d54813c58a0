// SPDX-License-Identifier: Apache-2.0
#include "core/study/trace_check.h"

#include <algorithm>
#include <cstdlib>

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/ops/random/generator.h"

namespace loupe::session {
namespace {

using Change = std::function<Tensor(const Tensor&)>;

// A copy with every tensor changed, also those inside lists, tuples and dicts.
IValue changed(const IValue& value, const Change& change) {
    if (value.is_tensor()) return value.to_tensor().defined() ? IValue(change(detach(value.to_tensor()))) : value;
    const auto all = [&](const std::vector<IValue>& elements) {
        std::vector<IValue> out;
        for (const IValue& element : elements) out.push_back(changed(element, change));
        return out;
    };
    if (value.is_tuple()) return make_ptr<TupleObject>(all(value.to_tuple().elements), value.to_tuple().type);
    if (value.is_list()) return make_ptr<ListObject>(value.to_list().element_type, all(value.to_list().elements));
    return value;
}

// Integers and booleans trade places: what is an index stays one.
Tensor other_numbers(const Tensor& t) {
    if (is_floating(t.dtype()) || is_complex(t.dtype())) return fn::randn_like(t);
    const std::vector<std::int64_t> all{-1};
    const Tensor flat = fn::reshape(t, IntSpan(all));
    const std::vector<std::int64_t> dims{0};
    return fn::reshape(fn::flip(flat, IntSpan(dims)), IntSpan(t.sizes()));
}

// Twice as long in a dimension, or half as long.
Tensor resized(const Tensor& t, std::int64_t dim, bool doubles) {
    if (!doubles) return fn::contiguous(fn::narrow(t, dim, 0, t.size(dim) / 2));
    return fn::cat(TensorList{t, t}, dim);
}

std::optional<Tensor> first_tensor(const std::vector<IValue>& arguments) {
    std::optional<Tensor> first;
    for (const IValue& argument : arguments) {
        visit_tensors(argument, [&](const Tensor& t) {
            if (!first && t.defined() && t.dim() > 0) first = t;
        });
    }
    return first;
}

std::string text_of(const std::vector<IValue>& arguments) {
    std::vector<std::string> words;
    for (const IValue& argument : arguments) {
        visit_tensors(argument, [&](const Tensor& t) { words.push_back(loupe::describe(t)); });
    }
    return join(words, ", ");
}

// "... (net.py:12)" of the operator where two traces part.
SourceNote note_of(const std::string& line) {
    SourceNote note{line, {}};
    const auto open = line.rfind(" (");
    const auto colon = line.rfind(':');
    if (open == std::string::npos || colon == std::string::npos || colon < open || !line.ends_with(')')) return note;
    note.source.line = std::atoi(line.c_str() + colon + 1);
    if (note.source.line <= 0) return note;
    note.source.file = line.substr(open + 2, colon - open - 2);
    note.text = line.substr(0, open);
    return note;
}

class Checker {
  public:
    Checker(Program& program, const std::vector<IValue>& arguments) : program_(program), arguments_(arguments) {}

    void check(const std::string& what, const Change& change) {
        TraceCheckCase& found = check_.cases.emplace_back();
        found.what = what;
        std::vector<IValue> inputs;
        try {
            const GradModeScope no_grad(false);
            for (const IValue& argument : arguments_) inputs.push_back(changed(argument, change));
            found.inputs = text_of(inputs);
            for (const std::string& line : program_.check_trace(inputs)) found.differences.push_back(note_of(line));
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            found.refused = error.what();
        }
    }

    // Every tensor that is as long as the first in that dimension.
    void check_size(const std::string& what, const Tensor& first, std::int64_t dim, bool doubles) {
        if (dim >= first.dim() || (!doubles && first.size(dim) < 2)) return;
        check(what, [&](const Tensor& t) {
            const bool is_alike =
                dim < t.dim() && t.size(dim) == first.size(dim) && (dim == 0 || t.dim() == first.dim());
            return is_alike ? resized(t, dim, doubles) : t;
        });
    }

    TraceCheck take() { return std::move(check_); }

  private:
    Program& program_;
    const std::vector<IValue>& arguments_;
    TraceCheck check_;
};

}  // namespace

bool TraceCheck::is_same() const {
    return error.empty() &&
           std::all_of(cases.begin(), cases.end(), [](const TraceCheckCase& each) { return each.differences.empty(); });
}

TraceCheck check_on_other_inputs(Program& program, const std::vector<IValue>& arguments) {
    if (program.trace() == nullptr)
        throw Error(ErrorKind::Usage, "there is no trace to check", {.hint = "open a model source and trace it"});
    Checker checker(program, arguments);
    checker.check("the inputs themselves", [](const Tensor& t) -> Tensor { return fn::clone(t); });
    checker.check("other numbers", other_numbers);
    if (const auto first = first_tensor(arguments)) {
        checker.check_size("twice the batch", *first, 0, true);
        checker.check_size("half the batch", *first, 0, false);
        const bool is_image = first->dim() == 4;
        if (is_image) checker.check_size("twice the height", *first, 2, true);
        if (is_image) checker.check_size("twice the width", *first, 3, true);
        if (first->dim() == 2 || first->dim() == 3) checker.check_size("half as long in dimension 1", *first, 1, false);
    }
    TraceCheck check = checker.take();
    if (program.trace()->source->is_training()) check.note = "in training mode random operators differ by themselves";
    return check;
}

}  // namespace loupe::session

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Conditions of breakpoints: terms over what an operator made, and expressions over the variables of a model source,
// with and, or, not.
//
//     nan or inf        absmax > 10       bytes > 1MiB      shape[0] == 4     shape == 1x64x8x8    dtype == float16
//     shape differs     i == 1            len(x.shape) > 2 and x.shape[-1] == i and norm < 1e-3

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/model_info.h"
#include "core/record/recording.h"
#include "core/session/breakpoint.h"

namespace loupe::session {

// What is wrong with a text that is typed, and where; nothing is when `text` is empty.
struct ConditionProblem {
    std::string text;
    std::size_t begin = 0;  // bytes
    std::size_t end = 0;
};

// What a condition is asked of.
struct ConditionFacts {
    const Value* output = nullptr;        // null: no operator has run
    const Shape* shape_before = nullptr;  // of the same operator's output when it ran before; null: it did not
    // Of an expression over variables; empty: there are none here. May throw Error.
    std::function<bool(const std::string&)> holds = {};
};

class Condition {
  public:
    // Empty text always holds. Throws Error (Usage) for text that is no condition; its variables are not looked for.
    explicit Condition(std::string_view text);

    bool is_empty() const { return root_ == nullptr; }
    bool needs_output() const;     // asks of what an operator made
    bool needs_variables() const;  // asks of variables of a source
    bool holds(const ConditionFacts& facts) const;

    struct Term;

  private:
    std::shared_ptr<const Term> root_;
};

// The condition of a breakpoint, held against the sources of the model that is open (null: none): a name that stands in
// no line of the source is a problem, and so are variables anywhere but at a line of a source that is evaluated.
ConditionProblem check_condition(const Breakpoint& breakpoint, const ModelInfo* model);

// What can be typed, for completion.
struct ConditionWord {
    std::string text;
    std::string meaning;
};
std::vector<ConditionWord> condition_words();

// Names that the source gives values: what a condition at one of its lines may ask for.
std::vector<std::string> variable_names(const std::string& source);

// The same of a line of it, from 1: those of the function that the line is in, and of the file.
std::vector<std::string> variable_names(const std::string& source, int line);

// nan, inf, zero, min, max, mean, std, var, absmax, absmean, norm, count, bytes of a value; nullopt for another name or
// without statistics, and for numbers of finite elements where there are none.
std::optional<double> value_field(const Value& value, std::string_view field);

}  // namespace loupe::session

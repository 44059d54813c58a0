// SPDX-License-Identifier: Apache-2.0
#pragma once
// A study of a model is one record: what it is called, what of a model it needs, what may be chosen, and what answers
// it. Those of the engine stand in study_list.cpp; plugins add theirs.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/numpy/npy.h"
#include "core/model/program.h"
#include "core/model/token_names.h"
#include "core/study/studies/study.h"

namespace loupe::session {

// The model that is studied, with what it runs on. Nothing of a study stays in it: parameters, gradients, buffers and
// random numbers are as they were when run_study() returns.
class StudySubject {
  public:
    StudySubject(std::shared_ptr<Program> program, std::string method, std::function<std::vector<IValue>()> arguments,
                 std::shared_ptr<const TextModel> text)
        : program_(std::move(program)),
          method_(std::move(method)),
          make_arguments_(std::move(arguments)),
          text_(std::move(text)) {}

    Program& program() const { return *program_; }
    const std::shared_ptr<Program>& shared_program() const { return program_; }
    const std::string& method() const { return method_; }
    const ModelInfo& info() const { return *program_->info(); }
    // Null: the model has no tokenizer.
    const std::shared_ptr<const TextModel>& text() const { return text_; }

    // As a run would get them: made once. Not to be written into. Throws what making them throws.
    const std::vector<IValue>& arguments() const;
    // Copies of the tensors: a run may write into them.
    std::vector<IValue> fresh_arguments() const;
    // The place of the tensor that gradients go to: the first of floating point, or the one of that name. Nothing:
    // there is none. Throws Error (Usage) for a name that is none.
    std::optional<std::size_t> input_place(const std::string& name = {}) const;
    // The place of token ids, [n] or [1, n]: the first of integers. Nothing: there is none.
    std::optional<std::size_t> ids_place() const;
    std::vector<std::int64_t> ids() const;  // of that
    // Those whose places have scores: of a model with an encoder its decoder's.
    std::vector<std::int64_t> scored_ids() const;
    std::string argument_name(std::size_t place) const;
    bool has_parameter_of_rank(std::size_t rank) const;

  private:
    std::shared_ptr<Program> program_;
    std::string method_;
    std::function<std::vector<IValue>()> make_arguments_;
    std::shared_ptr<const TextModel> text_;
    mutable std::optional<std::vector<IValue>> arguments_;
};

// What was chosen, checked against the options there are.
class StudyChoices {
  public:
    // Throws Error (Usage) for a name that is none, and for values that are out of range or no numbers.
    StudyChoices(const std::vector<StudyOption>& options, const std::map<std::string, std::string>& given);

    // Options may depend on the model: is it there?
    bool has(std::string_view name) const { return values_.find(name) != values_.end(); }
    std::int64_t integer(std::string_view name) const;
    double number(std::string_view name) const;
    const std::string& text(std::string_view name) const;

  private:
    std::map<std::string, std::string, std::less<>> values_;
};

// What a study gives: results to be drawn, and the arrays they were drawn from, for .npz.
struct StudyOutcome {
    StudyResult result;
    NamedTensors arrays;
};

using StudyReport = std::function<void(StudyProgress)>;

struct StudyRecord {
    std::string_view name;     // of the command line: "integrated-gradients"
    std::string_view title;    // "Integrated gradients"
    std::string_view what;     // one sentence
    std::string_view paper;    // "Sundararajan et al. 2017"
    std::string_view results;  // "map, tokens"
    std::string_view panel;    // not empty: a panel of this name answers it; then there is no `answer`
    // Why the model does not fit; empty: it does. Must not run the model. What it throws is a reason too.
    std::string (*why_not)(const StudySubject& subject) = nullptr;
    // For this model: choices may be its modules.
    std::vector<StudyOption> (*options)(const StudySubject& subject) = nullptr;
    // Throws Error; must look at check_cancelled() often.
    StudyOutcome (*answer)(const StudySubject& subject, const StudyChoices& choices,
                           const StudyReport& report) = nullptr;
};

// Those of the engine, then those of plugins in the order in which they were added.
std::vector<const StudyRecord*> all_studies();
// Null: there is none of that name.
const StudyRecord* find_study(std::string_view name);
// It must live as long as the process. Throws Error (Plugin) when there is one of that name.
void add_study(const StudyRecord& record);

// With whether it fits.
StudyInfo describe_study(const StudyRecord& record, const StudySubject& subject);
// Throws Error: Usage for one that does not fit, for options that are none and for the engine's refusals, Run where the
// model fails.
StudyOutcome run_study(const StudyRecord& record, const StudySubject& subject,
                       const std::map<std::string, std::string>& given, const StudyReport& report);

}  // namespace loupe::session

// SPDX-License-Identifier: Apache-2.0
#pragma once
// A number that a model gives as a function of one of its inputs, and what each element of the input adds to it, drawn
// over the image or the tokens. Of tokens the input is what is looked up for them.

#include <string>
#include <vector>

#include "core/study/studies/study_record.h"
#include "core/study/studies/study_target.h"

namespace loupe::session {

class AttributedNumber {
  public:
    // Runs the model once. input: the name of an argument; empty: the first that has a gradient. Throws Error: Usage
    // where there is none, and what choose_target() and the model throw.
    AttributedNumber(const StudySubject& subject, const std::string& input, const std::string& target,
                     std::int64_t sample);

    // [N, C, H, W], or of tokens [1, n, width]. No history.
    const Tensor& input() const { return input_; }
    bool is_of_tokens() const { return !place_; }
    const Tensor& table() const { return table_; }  // of tokens: [vocabulary, width]
    double value() const { return value_; }
    const StudyTarget& target() const { return target_; }
    std::int64_t sample() const { return sample_; }
    const StudySubject& subject() const { return subject_; }

    struct Slope {
        double value = 0;
        Tensor gradient;  // of the input's sizes
    };
    // Throws Error (Run) where the number does not depend on the input.
    Slope slope_at(const Tensor& x) const;
    double value_at(const Tensor& x) const;

  private:
    struct Evaluation {
        IValue result;
        Tensor leaf;   // where gradients go
        Tensor value;  // of tokens what was looked up
        Tensor table;
    };
    // x: undefined: as the model has it.
    Evaluation evaluate(const Tensor& x, bool records) const;

    const StudySubject& subject_;
    PreparedMethod method_;
    std::optional<std::size_t> place_;  // of the argument; none: tokens
    std::vector<std::int64_t> ids_;
    std::int64_t sample_ = 0;
    Tensor input_, table_;
    StudyTarget target_;
    double value_ = 0;
};

// Empty, or why nothing in the model's inputs has a gradient.
std::string why_no_attribution(const StudySubject& subject);
// The options that all attributions have: the input, where there are several; the sample of a batch; the target.
std::vector<StudyOption> attribution_options(const StudySubject& subject);
AttributedNumber attributed_number(const StudySubject& subject, const StudyChoices& choices);

// How elements of several channels, or of one token, become one number.
enum class Reduction { Sum, GreatestMagnitude };

// [C, H, W] of the sample of an input, as float32 on the host: images as they are; other inputs as pictures of rows.
Tensor image_of(const Tensor& input, std::int64_t sample);
// A picture of it: its colours, or grey, from its least to its greatest element.
StudyPicture picture_of(const Tensor& image);

// Adds a map, or scores of tokens, of values that have the input's sizes, and the array of that name.
void add_attribution(const AttributedNumber& number, const Tensor& values, Reduction reduction, bool is_signed,
                     const std::string& title, StudyOutcome& out);

}  // namespace loupe::session

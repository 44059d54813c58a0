// SPDX-License-Identifier: Apache-2.0
#include "core/study/studies/study_target.h"

#include <charconv>
#include <cmath>

#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/model/inputs.h"
#include "core/study/named_value.h"
#include "core/study/share_groups.h"
#include "core/tensor/element_walk.h"

namespace loupe::session {
namespace {

// Where the greatest element of t stands, in row-major order. Throws Error (Run) where there is none but NaN.
std::int64_t greatest_of(const Tensor& t) {
    std::int64_t at = -1, next = 0;
    double greatest = 0;
    const Tensor wide = fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Float64));
    walk_elements<double>(wide, true, [&](const double* elements, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i, ++next) {
            if (!(elements[i] > greatest) && (at >= 0 || std::isnan(elements[i]))) continue;
            greatest = elements[i];
            at = next;
        }
    });
    if (at < 0) throw Error(ErrorKind::Run, "the output has no element that is a number");
    return at;
}

std::vector<std::int64_t> unravel(std::int64_t flat, IntSpan sizes) {
    std::vector<std::int64_t> index(sizes.size());
    for (std::size_t d = sizes.size(); d-- > 0;) {
        index[d] = flat % sizes[d];
        flat /= sizes[d];
    }
    return index;
}

// "207": a class.
std::optional<std::int64_t> class_of(const std::string& text) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data(), end, number);
    return failed == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

bool gives_tokens(const StudySubject& subject, const Tensor& scores) {
    if (scores.dim() != 3 || !subject.ids_place()) return false;
    return scores.size(1) <= std::ssize(subject.scored_ids());
}

// The indices in front of the class: of the sample, and of tokens the last place.
std::vector<std::int64_t> row_of(const StudySubject& subject, const Tensor& scores, std::int64_t sample) {
    if (scores.dim() <= 1) return {};
    if (sample < 0 || sample >= scores.size(0))
        throw Error(ErrorKind::Usage, concat("no sample ", sample, ": the output is of ", scores.size(0)));
    if (gives_tokens(subject, scores)) return {sample, scores.size(1) - 1};
    return {sample};
}

void check_index(const StudyTarget& target, const Tensor& scores) {
    const auto fail = [&] {
        throw Error(ErrorKind::Usage,
                    concat("no element ", index_text(target.index), ": the output is ", describe(scores)));
    };
    if (std::ssize(target.index) != scores.dim()) fail();
    for (std::size_t d = 0; d < target.index.size(); ++d)
        if (target.index[d] < 0 || target.index[d] >= scores.size(static_cast<std::int64_t>(d))) fail();
}

std::string text_of(const StudySubject& subject, const StudyTarget& target, const Tensor& scores) {
    const std::string name = target.output == 0 ? "out" : concat("out", target.output);
    std::string text = name + index_text(target.index);
    if (subject.text() != nullptr && gives_tokens(subject, scores))
        text += concat(" (", python_repr(std::string_view(TokenNames(subject.text())(target.index.back()).text)), ")");
    return text;
}

// "out1[0, 3]", "[0, 3]", "0, 3".
void read_element(const std::string& text, StudyTarget& target) {
    const NamedElement named = parse_named_element(text.find('[') == std::string::npos ? concat("out[", text, "]")
                                                   : text.front() == '['               ? concat("out", text)
                                                                                       : text);
    const std::string number = named.value.starts_with("out") ? named.value.substr(3) : "?";
    const auto output = number.empty() ? std::optional<std::int64_t>(0) : class_of(number);
    if (!output || *output < 0)
        throw Error(ErrorKind::Usage, concat("target: ", loupe::quoted(text), " names no element of the output"),
                    {.hint = "write a class as 207, an element as [0, 207], of the second result as out1[0, 3]"});
    target.output = static_cast<std::size_t>(*output);
    target.index = named.index;
}

}  // namespace

StudyOption target_option(const StudySubject& subject) {
    return {.name = "target",
            .title = "Target",
            .what = subject.ids_place()
                        ? "The number of the output: a token's id, of the scores behind the last place; "
                          "or an element, [0, 11, 42]. Empty: the greatest"
                        : "The number of the output: a class, 207; or an element, [0, 207]. Empty: the "
                          "greatest of the sample",
            .kind = StudyOption::Kind::Text,
            .value = {},
            .choices = {}};
}

StudyOption sample_option(std::int64_t last) {
    return {.name = "sample",
            .title = "Sample",
            .what = "Which of the batch",
            .kind = StudyOption::Kind::Integer,
            .value = "0",
            .choices = {},
            .low = 0,
            .high = static_cast<double>(last)};
}

Tensor StudyTarget::of(const IValue& result) const {
    const TensorList all = flatten_tensors(result);
    if (output >= all.size()) throw Error(ErrorKind::Run, "the model gives fewer results than before");
    Tensor at = all[output];
    if (at.dim() != std::ssize(index)) throw Error(ErrorKind::Run, "the model's output is of other sizes than before");
    for (const std::int64_t i : index) at = fn::select(at, 0, i);
    return at;
}

StudyTarget choose_target(const StudySubject& subject, const IValue& result, const std::string& text,
                          std::int64_t sample) {
    const TensorList all = flatten_tensors(result);
    StudyTarget target;
    while (target.output < all.size() && (!is_floating(all[target.output].dtype()) || all[target.output].numel() == 0))
        ++target.output;
    const auto number = class_of(text);
    if (!text.empty() && !number) read_element(text, target);
    if (target.output >= all.size())
        throw Error(text.empty() || number ? ErrorKind::Run : ErrorKind::Usage,
                    concat("the model gives no such result of floating point; results: ", all.size()));
    const Tensor scores = detach(all[target.output]);
    if (!is_floating(scores.dtype()))
        throw Error(ErrorKind::Usage, concat("the result is ", describe(scores), ", which has no gradient"));
    if (text.empty() || number) {
        target.index = row_of(subject, scores, sample);
        Tensor row = scores;
        for (const std::int64_t i : target.index) row = fn::select(row, 0, i);
        if (number) {
            // A class of several places, as of a segmentation, is no one number.
            if (row.dim() == 1) target.index.push_back(*number);
        } else {
            for (const std::int64_t i : unravel(greatest_of(row), row.sizes())) target.index.push_back(i);
        }
    }
    check_index(target, scores);
    target.text = text_of(subject, target, scores);
    return target;
}

}  // namespace loupe::session

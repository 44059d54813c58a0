// SPDX-License-Identifier: Apache-2.0
#include "core/record/given_run.h"

#include "core/base/error.h"
#include "core/model/input_file.h"
#include "core/record/backward_roots.h"

namespace loupe::session {
namespace {

// Numbers, texts and lists of them are given as Python writes them: "3", "True", "[1, 2]".
bool takes_literal(const Type& type, const std::string& text) {
    const Type& plain = type.kind() == TypeKind::Optional ? *type.element() : type;
    if (text == "None" && &plain != &type) return true;
    const bool is_tensor = plain.kind() == TypeKind::Tensor || plain.kind() == TypeKind::Any;
    return !is_tensor && (text.find(':') == std::string::npos || plain.kind() == TypeKind::String);
}

}  // namespace

std::vector<InputSpec> given_inputs(const GivenRun& given, const FunctionSchema& schema, const ModelInfo& model) {
    if (!given.inputs_file.empty() && !given.inputs.empty())
        throw Error(ErrorKind::Usage, "give --inputs or --input, not both");
    if (!given.inputs_file.empty()) return input_specs_of_file(given.inputs_file, schema, model);
    std::vector<InputSpec> specs;
    for (std::size_t i = 0; i < given.inputs.size(); ++i) {
        const std::string& text = given.inputs[i];
        const std::size_t argument = i + 1;  // behind self
        if (argument < schema.arguments.size() && takes_literal(*schema.arguments[argument].type, text))
            specs.emplace_back().literal = text;
        else
            specs.push_back(parse_input_spec(text));
        specs.back().seed = given.seed;
    }
    return specs;
}

BackwardFrom given_backward(const GivenRun& given) {
    const bool has_cotangents = !given.inputs_file.empty() && !read_cotangents(given.inputs_file).empty();
    if (has_cotangents && !given.loss.empty())
        throw Error(ErrorKind::Usage, "--loss and gradients of outputs (cot0, ...) both say what backward starts from",
                    {.file = given.inputs_file});
    BackwardFrom from = parse_backward_from(given.loss, given.target);
    if (has_cotangents) {
        from.kind = BackwardFrom::Kind::Cotangents;
        from.file = given.inputs_file;
    }
    if (from.target.source != LossTarget::Source::Data) return from;
    if (given.data.empty()) {
        // The inputs' file may contain them too.
        if (!given.inputs_file.ends_with(".npz"))
            throw Error(ErrorKind::Usage, "labels of which data?",
                        {.hint = "give --data, or an array `labels` in --inputs"});
        from.target = {LossTarget::Source::File, given.inputs_file, "labels", {}};
        return from;
    }
    from.target.data.path = given.data;
    return from;
}

}  // namespace loupe::session

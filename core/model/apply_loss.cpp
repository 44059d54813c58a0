// SPDX-License-Identifier: Apache-2.0
#include "core/model/apply_loss.h"

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/model/call_text.h"
#include "core/model/inputs.h"
#include "core/nn/layer.h"

namespace loupe::session {

nn::ModulePtr make_loss(const std::string& text) {
    const CallText call = parse_call(text);
    const nn::LayerRecord* record = nn::find_layer(call.name);
    if (record == nullptr || !nn::has_forward(*record)) {
        throw Error(ErrorKind::Usage, concat("no loss is called '", call.name, "'"),
                    {.hint = "CrossEntropyLoss, MSELoss, L1Loss, ..., or own"});
    }
    const FunctionSchema& schema = nn::constructor_schema(*record);
    const std::size_t skip = !schema.arguments.empty() && schema.arguments.front().name == "self" ? 1 : 0;
    CallArguments arguments = call_arguments(call, schema, skip);
    return nn::make_layer(call.name, std::move(arguments.positional), std::move(arguments.keywords));
}

std::optional<std::int64_t> class_dimension(const Tensor& scores, const IValue& target) {
    if (!target.is_tensor() || !is_integral(target.to_tensor().dtype()) ||
        target.to_tensor().dtype() == ScalarType::Bool)
        return std::nullopt;
    const Tensor labels = target.to_tensor();
    if (scores.dim() != labels.dim() + 1) return std::nullopt;
    const auto fits = [&](std::int64_t classes) {
        for (std::int64_t d = 0; d < labels.dim(); ++d) {
            if (labels.size(d) != scores.size(d < classes ? d : d + 1)) return false;
        }
        return true;
    };
    if (scores.dim() >= 2 && fits(1)) return 1;
    if (fits(scores.dim() - 1)) return scores.dim() - 1;
    return std::nullopt;
}

bool takes_classes(const nn::Module& loss) {
    const std::string kind = loss.class_name();
    return kind == "CrossEntropyLoss" || kind == "NLLLoss";
}

Tensor apply_loss(nn::Module& loss, Tensor scores, const IValue& target) {
    const auto classes = class_dimension(scores, target);
    const bool counts_classes = takes_classes(loss);
    if (counts_classes && classes && *classes > 1) scores = fn::movedim(scores, *classes, std::int64_t{1});
    IValue fitted = target;
    if (target.is_tensor()) {
        const Tensor t = target.to_tensor();
        // Numbers in a row against a column of outputs.
        const bool is_column = !counts_classes && scores.dim() == t.dim() + 1 && scores.size(-1) == 1;
        if (is_column) scores = fn::squeeze(scores, std::int64_t{-1});
        const bool is_other_kind = !counts_classes && is_integral(t.dtype()) && is_floating(scores.dtype());
        if (is_other_kind) fitted = fn::to_dtype(t, static_cast<std::int64_t>(scores.dtype()));
    }
    const TensorList results = flatten_tensors(loss.call({scores, fitted}));
    return results.empty() ? Tensor() : results.front();
}

}  // namespace loupe::session

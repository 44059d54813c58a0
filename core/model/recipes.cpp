// SPDX-License-Identifier: Apache-2.0
#include "core/model/recipes.h"

#include <algorithm>

#include "core/nn/layer.h"
#include "core/optim/scheduler.h"
#include "core/value/schema.h"

namespace loupe::session {
namespace {

RecipeInfo recipe(std::string_view name, std::string_view summary, const FunctionSchema& schema, std::size_t skip) {
    RecipeInfo info;
    info.name = std::string(name);
    info.summary = std::string(summary);
    for (std::size_t i = skip; i < schema.arguments.size(); ++i) {
        const Argument& argument = schema.arguments[i];
        std::string default_text = argument.default_value ? python_repr(*argument.default_value) : std::string();
        info.arguments.push_back({argument.name, argument.type->annotation_str(), std::move(default_text)});
    }
    return info;
}

template <typename Records>
std::vector<RecipeInfo> recipes(const Records& records) {
    std::vector<RecipeInfo> all;
    for (const auto* record : records) {
        all.push_back(recipe(record->name, record->summary, parse_schema(record->constructor), 1));
    }
    return all;
}

}  // namespace

std::vector<RecipeInfo> list_optimizers() { return recipes(optim::optimizer_records()); }

std::vector<RecipeInfo> list_schedules() {
    std::vector<RecipeInfo> all = recipes(optim::scheduler_records());
    const auto needs_objects = [](const RecipeInfo& info) {
        return std::any_of(info.arguments.begin(), info.arguments.end(),
                           [](const RecipeInfo::Argument& argument) {
                               return argument.name == "lr_lambda" || argument.name == "schedulers";
                           }) ||
               info.name == "ChainedScheduler";
    };
    std::erase_if(all, needs_objects);
    return all;
}

std::vector<RecipeInfo> list_losses() {
    std::vector<RecipeInfo> all;
    for (const nn::LayerRecord* record : nn::layer_records()) {
        const bool is_loss = record->name.ends_with("Loss") && !record->name.starts_with("_");
        if (!is_loss) continue;
        const FunctionSchema& forward = nn::forward_schema(*record);
        const auto count = std::count_if(forward.arguments.begin(), forward.arguments.end(),
                                         [](const Argument& a) { return a.name != "self"; });
        if (count != 2) continue;
        const FunctionSchema& schema = nn::constructor_schema(*record);
        const std::size_t skip = !schema.arguments.empty() && schema.arguments.front().name == "self" ? 1 : 0;
        all.push_back(recipe(record->name, record->summary, schema, skip));
    }
    return all;
}

}  // namespace loupe::session

// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/tree_spec_writer.h"

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/exported/written_json.h"

namespace loupe::exported {
namespace {

Json node(const char* type, std::string context, Json children) {
    return Json{{"type", type}, {"context", std::move(context)}, {"children_spec", std::move(children)}};
}

Json key_json(const IValue& key) {
    if (key.is_string()) return key.to_string();
    if (key.is_bool()) return key.to_bool();
    if (key.is_int()) return key.to_int();
    if (key.is_double()) return key.to_double();
    throw Error(ErrorKind::Unsupported, concat("a dict with keys of type ", value_type_name(key)));
}

Json tree_json(const IValue& value, std::vector<IValue>& leaves) {
    Json children = Json::array();
    if (value.is_tuple() || value.is_list()) {
        const auto& elements = value.is_tuple() ? value.to_tuple().elements : value.to_list().elements;
        for (const IValue& each : elements) children.push_back(tree_json(each, leaves));
        return node(value.is_tuple() ? "builtins.tuple" : "builtins.list", "null", std::move(children));
    }
    if (value.is_dict()) {
        Json keys = Json::array();
        for (const auto& [key, each] : value.to_dict().entries()) {
            keys.push_back(key_json(key));
            children.push_back(tree_json(each, leaves));
        }
        return node("builtins.dict", keys.dump(), std::move(children));
    }
    if (value.is_object())
        throw Error(ErrorKind::Unsupported, concat("an object of ", value_type_name(value), " as an input or output"));
    leaves.push_back(value);
    return Json{{"type", nullptr}, {"context", nullptr}, {"children_spec", Json::array()}};
}

std::string versioned(Json tree) { return Json::array({1, std::move(tree)}).dump(); }

}  // namespace

std::string tree_text(const IValue& value, std::vector<IValue>& leaves) { return versioned(tree_json(value, leaves)); }

std::string in_spec_text(const std::vector<IValue>& arguments, const std::vector<std::string>& names,
                         std::size_t keywords) {
    std::vector<IValue> leaves;
    Json args = Json::array();
    Json values = Json::array();
    Json keys = Json::array();
    for (std::size_t i = 0; i < names.size(); ++i) {
        const bool is_keyword = i + keywords >= names.size();
        (is_keyword ? values : args).push_back(tree_json(arguments[i], leaves));
        if (is_keyword) keys.push_back(names[i]);
    }
    Json both = Json::array();
    both.push_back(node("builtins.tuple", "null", std::move(args)));
    both.push_back(node("builtins.dict", keys.dump(), std::move(values)));
    return versioned(node("builtins.tuple", "null", std::move(both)));
}

}  // namespace loupe::exported

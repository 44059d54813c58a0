// SPDX-License-Identifier: Apache-2.0
#include "plugins/onnx/read/names.h"

#include <algorithm>
#include <cctype>

#include "core/base/strings.h"

namespace loupe::onnx {
namespace {

constexpr std::size_t kLongestName = 200;

bool is_word(unsigned char c) { return std::isalnum(c) != 0 || c == '_'; }

// Could a module be found at this path?
bool is_path(std::string_view path) {
    const auto is_part = [](std::string_view part) {
        return !part.empty() && std::ranges::all_of(part, [](unsigned char c) { return is_word(c) || c == '-'; });
    };
    return std::ranges::all_of(split(path, '.'), is_part);
}

std::vector<exported::ModuleCall> from_metadata(const proto::NodeProto& node) {
    const std::string* scopes = metadata(node.metadata_props(), "pkg.torch.onnx.name_scopes");
    if (scopes == nullptr) return {};
    const std::vector<std::string> paths = python_strings(*scopes);
    const std::string* hierarchy = metadata(node.metadata_props(), "pkg.torch.onnx.class_hierarchy");
    const std::vector<std::string> classes =
        hierarchy != nullptr ? python_strings(*hierarchy) : std::vector<std::string>();
    std::vector<exported::ModuleCall> calls;
    // The last is the operator itself.
    for (std::size_t i = 0; i + 1 < paths.size(); ++i) {
        if (!paths[i].empty() && !is_path(paths[i])) continue;
        calls.push_back({paths[i], i + 1 < classes.size() ? classes[i] : std::string()});
    }
    return calls;
}

// "/encoder/layer/layer.0/Add": "encoder", "encoder.layer", "encoder.layer.0".
std::vector<exported::ModuleCall> from_name(std::string_view name) {
    if (!name.starts_with('/')) return {};
    const std::vector<std::string_view> parts = split(name.substr(1), '/');
    std::vector<exported::ModuleCall> calls;
    std::string path;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        if (!is_path(parts[i])) return calls;
        // A module of a list repeats the list's name.
        const std::string_view last = std::string_view(path).substr(path.rfind('.') + 1);
        const bool repeats = !last.empty() && parts[i].size() > last.size() && parts[i].starts_with(last) &&
                             parts[i][last.size()] == '.';
        const std::string_view own = repeats ? parts[i].substr(last.size() + 1) : parts[i];
        path = path.empty() ? std::string(own) : concat(path, ".", own);
        calls.push_back({path, {}});
    }
    return calls;
}

}  // namespace

std::string value_name(std::string_view name) {
    std::string out;
    for (const char c : name.substr(0, kLongestName)) out += is_word(static_cast<unsigned char>(c)) ? c : '_';
    const auto first = out.find_first_not_of('_');
    if (first == std::string::npos) return {};
    out.erase(0, first);
    return std::isdigit(static_cast<unsigned char>(out[0])) != 0 ? "v_" + out : out;
}

std::string namespace_of(std::string_view domain) {
    if (domain.empty() || domain == "ai.onnx") return "onnx";
    if (domain == "ai.onnx.preview.training") return "onnx_training";
    std::string out;
    for (const char c : domain.substr(0, kLongestName)) out += is_word(static_cast<unsigned char>(c)) ? c : '_';
    return out;
}

const std::string* metadata(const google::protobuf::RepeatedPtrField<proto::StringStringEntryProto>& entries,
                            std::string_view key) {
    const auto found =
        std::find_if(entries.begin(), entries.end(), [&](const auto& each) { return each.key() == key; });
    return found == entries.end() ? nullptr : &found->value();
}

std::vector<std::string> python_strings(std::string_view text) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char quote = text[i];
        if (quote != '\'' && quote != '"') continue;
        std::string each;
        for (++i; i < text.size() && text[i] != quote; ++i) {
            if (text[i] == '\\' && i + 1 < text.size()) ++i;
            each += text[i];
        }
        out.push_back(std::move(each));
    }
    return out;
}

std::vector<exported::ModuleCall> module_calls(const proto::NodeProto& node) {
    std::vector<exported::ModuleCall> calls = from_metadata(node);
    return calls.empty() ? from_name(node.name()) : calls;
}

}  // namespace loupe::onnx

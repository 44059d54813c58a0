// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "core/base/file.h"
#include "core/model/program.h"
#include "core/study/operator_info.h"
#include "core/study/operator_reference.h"

namespace loupe::cli {
namespace {

using nlohmann::json;
using session::OperatorInfo;

// Does the text contain the words, ignoring case?
bool holds(const std::string& text, const std::string& words) {
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    return std::search(text.begin(), text.end(), words.begin(), words.end(), same) != text.end();
}

json argument_json(const OperatorInfo::Argument& argument) {
    json out{{"name", argument.name}, {"type", argument.type}};
    if (!argument.default_text.empty()) out["default"] = argument.default_text;
    if (!argument.alias.empty()) out["alias"] = argument.alias;
    if (!argument.gradient.empty()) out["gradient"] = argument.gradient;
    return out;
}

json operator_json(const OperatorInfo& op) {
    json out{{"name", op.name},
             {"schema", op.schema},
             {"family", op.family},
             {"summary", op.summary},
             {"formula", op.formula},
             {"backward", op.derivative},
             {"composite", op.is_composite},
             {"random", op.is_random},
             {"gradient_stop", op.is_gradient_stop},
             {"view", op.is_view}};
    for (const char* key : {"arguments", "returns", "saved", "kernels"}) out[key] = json::array();
    for (const auto& argument : op.arguments) out["arguments"].push_back(argument_json(argument));
    for (const auto& result : op.returns) out["returns"].push_back(argument_json(result));
    for (const auto& saved : op.saved) out["saved"].push_back(saved.name);
    for (const auto& kernel : op.kernels)
        out["kernels"].push_back({{"device", kernel.device}, {"backend", kernel.backend}});
    return out;
}

void print_operators(const OpsOptions& options) {
    json all = json::array();
    for (const OperatorInfo& op : session::list_operators()) {
        if (!holds(op.schema, options.filter) && !holds(op.summary, options.filter)) continue;
        if (options.json)
            all.push_back(operator_json(op));
        else
            std::printf("%s\n", op.schema.c_str());
    }
    if (options.json) std::printf("%s\n", all.dump().c_str());
}

void print_missing(const OpsOptions& options) {
    confine_source(options.missing_in, options.permissions, {});
    const auto program = session::Program::open(options.missing_in, {}, {}, options.permissions);
    json all = json::array();
    for (const std::string& line : program->missing_operators()) {
        if (!holds(line, options.filter)) continue;
        if (options.json)
            all.push_back(line);
        else
            std::printf("%s\n", line.c_str());
    }
    if (options.json) std::printf("%s\n", all.dump(-1, ' ', false, json::error_handler_t::replace).c_str());
}

void write_pages(const std::string& folder) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    for (const session::ReferencePage& page : session::operator_reference())
        write_file_atomically((std::filesystem::path(folder) / (page.name + ".md")).string(), page.markdown);
}

}  // namespace

int run_ops(const OpsOptions& options) {
    if (!options.pages.empty())
        write_pages(options.pages);
    else if (options.missing_in.empty())
        print_operators(options);
    else
        print_missing(options);
    return 0;
}

}  // namespace loupe::cli

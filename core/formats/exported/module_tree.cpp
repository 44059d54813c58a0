// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/module_tree.h"

#include <algorithm>
#include <cctype>

#include "core/base/cancel.h"
#include "core/formats/archive/byte_reader.h"

namespace loupe::exported {
namespace {

constexpr std::size_t kDeepest = 200;

std::string joined(const std::string& path, const std::string& name) {
    return path.empty() ? name : concat(path, ".", name);
}

std::pair<std::string, std::string> split_path(const std::string& path) {
    const auto dot = path.rfind('.');
    return dot == std::string::npos ? std::pair(std::string(), path)
                                    : std::pair(path.substr(0, dot), path.substr(dot + 1));
}

bool is_number(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

// Parts of "key,path,type" at commas that no bracket or quote encloses: the first and the last count.
std::pair<std::size_t, std::size_t> outer_commas(std::string_view text) {
    std::size_t first = std::string_view::npos;
    std::size_t last = std::string_view::npos;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '(' || c == '[' || c == '<') ++depth;
        if (c == ')' || c == ']' || c == '>') --depth;
        if (c != ',' || depth != 0) continue;
        if (first == std::string_view::npos) first = i;
        last = i;
    }
    return {first, last};
}

// "b.l", "L['self'].b.layers[0]", "getattr(L['self'].layers, '0')", "b@1": names joined by dots.
std::string plain_path(std::string_view text) {
    std::string_view rest = text;
    while (rest.starts_with("getattr(")) rest.remove_prefix(8);
    std::string path;
    std::string name;
    const auto end_name = [&] {
        if (!name.empty() && name != "_modules") path = joined(path, name);
        name.clear();
    };
    if (rest.starts_with("L[")) {
        const auto end = rest.find(']');
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    for (const char c : rest) {
        if (c == '@') break;  // a repeated call
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-')
            name += c;
        else
            end_name();
    }
    // "fc@1": what follows the sign counts calls.
    end_name();
    return path;
}

// "__torch__.torch.nn.modules.linear.Linear"
std::string qualified_class(const std::string& name) {
    std::string out = "__torch__";
    for (const std::string_view part : split(name, '.')) {
        if (part.empty() || part == "__main__") continue;
        out += '.';
        for (const char c : part) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    }
    return out == "__torch__" ? std::string("__torch__.torch.nn.modules.module.Module") : out;
}

}  // namespace

std::vector<ModuleCall> parse_module_stack(std::string_view text) {
    std::vector<ModuleCall> calls;
    for (const std::string_view entry : split(text, ';')) {
        const auto [first, last] = outer_commas(entry);
        if (first == std::string_view::npos || first == last) continue;
        if (entry.starts_with("_empty_nn_module_stack")) continue;
        calls.push_back({plain_path(entry.substr(first + 1, last - first - 1)), std::string(entry.substr(last + 1))});
    }
    return calls;
}

ModuleTree::Part& ModuleTree::part(const std::string& path) {
    if (const auto found = modules_.find(path); found != modules_.end()) return found->second;
    const std::vector<std::string_view> names = split(path, '.');
    const bool has_empty = !path.empty() && std::ranges::any_of(names, [](std::string_view n) { return n.empty(); });
    if (has_empty || names.size() > kDeepest) throw_file_error(concat("no path of a module: ", quote_name(path)));
    if (!path.empty()) {
        const auto [parent, name] = split_path(path);
        part(parent).children.push_back(name);
    }
    return modules_[path];
}

void ModuleTree::note_module(const std::string& path, const std::string& class_name) {
    Part& noted = part(path);
    if (noted.class_name.empty()) noted.class_name = class_name;
}

void ModuleTree::add_tensor(const std::string& path, const Tensor& tensor, TensorKind kind) {
    if (tensors_.contains(path)) return;
    const auto [parent, name] = split_path(path);
    if (name.empty()) throw_file_error("a tensor without a name");
    part(parent).tensors.push_back(name);
    tensors_.emplace(path, std::pair(tensor, kind));
}

// A container is never called: it has no class in the file.
std::string ModuleTree::class_of(const Part& part) const {
    if (!part.class_name.empty()) return qualified_class(part.class_name);
    const bool is_list =
        !part.children.empty() && part.tensors.empty() && std::ranges::all_of(part.children, is_number);
    return is_list ? "__torch__.torch.nn.modules.container.ModuleList" : qualified_class({});
}

nn::ModulePtr ModuleTree::build(ir::CompilationUnit& unit, bool is_training) const {
    if (!modules_.contains("")) throw_file_error("the program has no modules");
    return build(std::string(), unit, is_training);
}

nn::ModulePtr ModuleTree::build(const std::string& path, ir::CompilationUnit& unit, bool is_training) const {
    check_cancelled();
    const Part& part = modules_.at(path);
    const auto type = make_ptr<ClassType>(unit.mangle(class_of(part)), true);
    unit.add_type(type);
    const auto module = make_ptr<nn::Module>(type);
    module->set_slot(type->add_attribute("training", types::boolean()), IValue(is_training));
    const auto check_free = [&](const std::string& name) {
        if (type->find_attribute(name)) throw_file_error(concat("two values for ", quote_name(joined(path, name))));
    };
    for (const std::string& name : part.tensors) {
        check_free(name);
        const auto& [tensor, kind] = tensors_.at(joined(path, name));
        const bool is_parameter = kind == TensorKind::Parameter;
        const std::size_t slot =
            type->add_attribute(name, types::tensor(), is_parameter ? AttributeKind::Parameter : AttributeKind::Buffer);
        module->set_slot(slot, IValue());
        if (is_parameter)
            module->register_parameter(name, tensor);
        else
            module->register_buffer(name, tensor, kind == TensorKind::Buffer);
    }
    for (const std::string& name : part.children) {
        check_free(name);
        const nn::ModulePtr child = build(joined(path, name), unit, is_training);
        module->set_slot(type->add_attribute(name, child->type(), AttributeKind::Module), IValue(Ptr<Object>(child)));
    }
    return module;
}

}  // namespace loupe::exported

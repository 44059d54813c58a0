// SPDX-License-Identifier: Apache-2.0
#pragma once
// The modules of an exported program, from the calls that its nodes name (nn_module_stack) and the names of its
// tensors.

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/compilation_unit.h"
#include "core/nn/module.h"

namespace loupe::exported {

struct ModuleCall {
    std::string path;        // "layer1.0"; empty for the root
    std::string class_name;  // "torch.nn.modules.linear.Linear"
};
// "L__self__,,__main__.M;L__self__b,b,__main__.Blk", outermost first. Entries without a path to a module are left out.
std::vector<ModuleCall> parse_module_stack(std::string_view text);

class ModuleTree {
  public:
    // A class name may be empty: not known.
    void note_module(const std::string& path, const std::string& class_name);
    // Throws Error (File) for a path that no module can have. The first tensor of a path stays.
    enum class TensorKind { Parameter, Buffer, UnsavedBuffer };
    void add_tensor(const std::string& path, const Tensor& tensor, TensorKind kind);
    bool has_tensor(const std::string& path) const { return tensors_.contains(path); }
    bool has_module(const std::string& path) const { return modules_.contains(path); }

    // Makes the classes, in the unit, and their objects.
    nn::ModulePtr build(ir::CompilationUnit& unit, bool is_training) const;

  private:
    struct Part {
        std::string class_name = {};
        std::vector<std::string> children = {};  // their names, in order
        std::vector<std::string> tensors = {};
    };
    Part& part(const std::string& path);
    nn::ModulePtr build(const std::string& path, ir::CompilationUnit& unit, bool is_training) const;
    std::string class_of(const Part& part) const;

    std::map<std::string, Part> modules_;
    std::map<std::string, std::pair<Tensor, TensorKind>> tensors_;
};

}  // namespace loupe::exported

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Common parts of both forms of lite interpreter files: types as text, objects without types, methods as bytecode.

#include <string>
#include <string_view>

#include "core/formats/lite/bytecode_graph.h"
#include "core/ir/compilation_unit.h"
#include "core/nn/module.h"

namespace loupe {

// "List[int]", "__torch__.Point[NamedTuple, [[x, int],[y, float]]]"; named tuples as plain tuples. Throws Error
// (File) for text that is no type.
TypePtr lite_type(std::string_view text, const ir::CompilationUnit& unit);
// A module with an unshared class: objects of one class may hold values of different types, which the file omits.
nn::ModulePtr make_lite_module(ir::CompilationUnit& unit, const std::string& class_name);
// Appends an attribute. Throws Error (File) when it has one of that name.
void add_lite_attribute(nn::Module& module, const std::string& name, const IValue& value);
// An object restored by its __setstate__. Throws Error (File) for one that takes no state; errors of running
// it.
nn::ModulePtr restore_lite_module(ir::CompilationUnit& unit, const std::string& class_name, BytecodeFunction set_state,
                                  const IValue& state);
// Is it of objects inside a model of the class, for when the file is read?
bool is_of_inner_object(const std::string& qualified_name, const std::string& class_name);
// The schema's first argument becomes the module; a schema without arguments, of older files, gets self and one tensor.
void add_lite_method(ir::CompilationUnit& unit, nn::Module& module, const std::string& qualified_name,
                     BytecodeFunction function);

}  // namespace loupe

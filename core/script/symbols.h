// SPDX-License-Identifier: Apache-2.0
#pragma once
// Node kinds that exist only while a function is compiled, and special forms of calls.

#include "core/ir/symbol.h"

namespace loupe::script {

// Interned once, on first use.
struct Symbols {
    ir::Symbol empty_list = ir::Symbol::intern("prim::EmptyListLiteral");
    ir::Symbol comprehension_scope = ir::Symbol::intern("prim::ComprehensionScope");
    ir::Symbol fork_closure = ir::Symbol::intern("prim::forkClosure");
    ir::Symbol add = ir::Symbol::intern("aten::add");
    ir::Symbol logical_and = ir::Symbol::intern("aten::__and__");
    ir::Symbol less = ir::Symbol::intern("aten::lt");
    ir::Symbol greater = ir::Symbol::intern("aten::gt");
    ir::Symbol del = ir::Symbol::intern("aten::Delete");
    ir::Symbol percent_format = ir::Symbol::intern("aten::percentFormat");
    ir::Symbol is_scripting = ir::Symbol::intern("aten::is_scripting");
    ir::Symbol has_torch_function = ir::Symbol::intern("aten::has_torch_function");
    ir::Symbol slice_beginning = ir::Symbol::intern("beg");
    ir::Symbol slice_end = ir::Symbol::intern("end");
    ir::Symbol context = ir::Symbol::intern("context");
};
const Symbols& symbols();

}  // namespace loupe::script

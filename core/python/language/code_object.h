// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions and frames as programs see them: f.__code__, f.__closure__, sys._getframe(). All are views: what they say
// is read of the source, and frames are as they stood when they were asked for (in CPython f_locals is read later).

#include "core/python/language/class.h"
#include "core/python/language/frame.h"

namespace loupe::python {

// types.CodeType: co_name, co_qualname, co_filename, co_firstlineno, co_argcount, co_posonlyargcount,
// co_kwonlyargcount, co_varnames, co_nlocals, co_freevars, co_cellvars, co_flags, replace().
IValue code_object(const Ptr<Unit>& unit, const Code& code);
// A tuple of cells with cell_contents; None for a function that captures nothing.
IValue closure_of(const FunctionObject& function);
// types.FunctionType(code, globals, name, argdefs, closure): a function of the same source.
ClassObject::Made new_function(ClassObject& cls, CallArguments& arguments);
// f_code, f_lineno, f_locals, f_globals, f_back; None: the outermost one.
IValue frame_object(const Frame* frame);
// {name: value}, a copy.
IValue globals_of(const Unit& unit);

}  // namespace loupe::python

// SPDX-License-Identifier: Apache-2.0
#pragma once
// The modules of torch that a source may import: torch, torch.nn, torch.nn.functional, torch.autograd, ...

#include <span>
#include <vector>

#include "core/nn/module_hooks.h"
#include "core/python/language/object.h"

namespace loupe::python {

std::vector<ModuleRecord> torch_modules();
// Those in Python, made of the .py files by embed_python.cmake.
std::span<const ModuleRecord> torch_modules_in_python();

// One each, in the files of their names.
void fill_torch(PythonModule& module);
void fill_torch_nn(PythonModule& module);
void fill_nn_modules_utils(PythonModule& module);
void fill_nn_layer_file(PythonModule& module);  // torch.nn.modules.conv
void fill_nn_functional(PythonModule& module);
void fill_nn_init(PythonModule& module);
void fill_nn_parameter(PythonModule& module);
void fill_nn_utils(PythonModule& module);
void fill_nn_utils_rnn(PythonModule& module);
void define_packed_sequence(PythonModule& module);  // a part of torch.nn.utils.rnn
void fill_parametrize(PythonModule& module);
void fill_parametrizations(PythonModule& module);
void define_norm_hooks(PythonModule& module);  // weight_norm, spectral_norm of torch.nn.utils
void fill_prune(PythonModule& module);
// The method of torch.nn.utils.prune behind a hook; nullopt for other hooks.
std::optional<IValue> pruning_hook_object(const nn::ForwardPreHookWithKeywords& hook);
void fill_nn_fusion(PythonModule& module);
void fill_nn_stateless(PythonModule& module);
void define_nn_tools(PythonModule& module);      // fusion and skip_init, of torch.nn.utils
void define_global_hooks(PythonModule& module);  // of torch.nn.modules.module
void fill_checkpoint(PythonModule& module);
void fill_autograd_graph(PythonModule& module);
void fill_amp(PythonModule& module);
void fill_cuda_amp(PythonModule& module);
void fill_cpu(PythonModule& module);
void fill_cpu_amp(PythonModule& module);
void define_autocast(PythonModule& module);  // torch.autocast and its settings
void fill_copy(PythonModule& module);        // Python's copy
void fill_torch_optim(PythonModule& module);
void fill_lr_scheduler(PythonModule& module);
void fill_torch_io(PythonModule& module);       // save, load: a part of torch
void define_safetensors(PythonModule& module);  // what the module safetensors calls, of torch

}  // namespace loupe::python

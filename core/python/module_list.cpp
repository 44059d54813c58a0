// SPDX-License-Identifier: Apache-2.0
#include "core/python/module_list.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/python/library/standard_modules.h"
#include "core/python/torch/torch_module.h"

namespace loupe::python {
namespace {

std::vector<ModuleRecord> all_records() {
    std::vector<ModuleRecord> records = {
        {"math", fill_math},         {"typing", fill_typing},
        {"random", fill_random},     {"time", fill_time},
        {"sys", fill_sys},           {"os", fill_os},
        {"os.path", fill_os_path},   {"warnings", fill_warnings},
        {"copy", fill_copy},         {"_collections", fill_collections},
        {"builtins", fill_builtins}, {"io", fill_io},
        {"_re", fill_re},            {"_native", fill_native},
    };
    const auto torch = torch_module_records();
    records.insert(records.end(), torch.begin(), torch.end());
    return records;
}

constexpr std::pair<std::string_view, std::string_view> kReplacements[] = {
    {"numpy", "numpy is not available here; use torch.tensor(...), torch.linspace(...) and tensor methods"},
    {"scipy", "scipy is not available here; torch.special and torch.linalg have most of it"},
    {"torchvision", "torchvision is not available here; write the model out, or open its TorchScript file"},
    {"torchaudio", "torchaudio is not available here; write the transform with torch operators"},
    {"transformers", "transformers is not available here; write the model out with torch.nn"},
    {"timm", "timm is not available here; write the model out with torch.nn"},
    {"einops", "einops is not available here; use view, permute, reshape and torch.einsum"},
    {"pandas", "pandas is not available here; give the data as tensors"},
    {"matplotlib", "plots are the window's own views here; take the plotting out"},
    {"PIL", "PIL is not available here; choose an image file as an input"},
    {"cv2", "cv2 is not available here; choose an image file as an input"},
    {"pytorch_lightning", "Lightning is not available here; derive the class from torch.nn.Module"},
    {"lightning", "Lightning is not available here; derive the class from torch.nn.Module"},
    {"tensorflow", "tensorflow is not available here; only torch is"},
    {"jax", "jax is not available here; only torch is"},
    {"asyncio", "asyncio is not available here; call plain functions one after the other"},
    {"multiprocessing", "processes are not available here; the engine uses all cores by itself"},
    {"threading", "threads are not available here; the engine uses all cores by itself"},
    {"concurrent", "threads are not available here; use map(...)"},
    {"subprocess", "other programs are not started from a model source"},
    {"yaml", "yaml is not available here; use json, or write the values as a dict"},
    {"requests", "the network is not available here; save the file beside the source"},
    {"urllib", "the network is not available here; save the file beside the source"},
    {"sklearn", "sklearn is not available here; torch.linalg and tensor methods have the arithmetic"},
    {"tensorboard", "plots are the window's own views here; take the writer out"},
    {"wandb", "plots are the window's own views here; take the logging out"},
};

}  // namespace

std::span<const ModuleRecord> module_records() {
    static const std::vector<ModuleRecord> records = all_records();
    return records;
}

const ModuleRecord* find_module_record(std::string_view name) {
    const auto records = module_records();
    const auto found =
        std::find_if(records.begin(), records.end(), [&](const ModuleRecord& r) { return r.name == name; });
    return found != records.end() ? &*found : nullptr;
}

std::string_view replacement_for(std::string_view module) {
    for (const auto& [name, text] : kReplacements) {
        if (name == module) return text;
    }
    return {};
}

}  // namespace loupe::python

// SPDX-License-Identifier: Apache-2.0
#include "core/python/library/standard_modules.h"

#include <utility>

namespace loupe::python {
namespace {

constexpr ModuleRecord kNative[] = {
    {"_collections", fill_collections},
    {"_json", fill_json},
    {"_native", fill_native},
    {"_pcg64", fill_pcg64},
    {"_re", fill_re},
    {"builtins", fill_builtins},
    {"io", fill_io},
    {"math", fill_math},
    {"os", fill_os},
    {"os.path", fill_os_path},
    {"random", fill_random},
    {"sys", fill_sys},
    {"time", fill_time},
    {"typing", fill_typing},
    {"warnings", fill_warnings},
    {"zlib", fill_zlib},
};

constexpr std::pair<std::string_view, std::string_view> kReplacements[] = {
    {"scipy", "scipy is not available here; torch.special and torch.linalg have most of it"},
    {"torchaudio", "torchaudio is not available here; write the transform with torch operators"},
    {"transformers", "transformers is not available here; write the model out with torch.nn"},
    {"timm", "timm is not available here; write the model out with torch.nn"},
    {"pandas", "pandas is not available here; give the data as tensors"},
    {"matplotlib", "plots are the window's own views here; take the plotting out"},
    {"PIL", "PIL is not available here; choose an image file as an input"},
    {"cv2", "cv2 is not available here; choose an image file as an input"},
    {"tensorflow", "tensorflow is not available here; only torch is"},
    {"jax", "jax is not available here; only torch is"},
    {"asyncio", "asyncio is not available here; call plain functions one after the other"},
    {"yaml", "yaml is not available here; use json, or write the values as a dict"},
    {"requests", "the network is not available here; save the file beside the source"},
    {"sklearn", "sklearn is not available here; torch.linalg and tensor methods have the arithmetic"},
    {"wandb", "plots are the window's own views here; take the logging out"},
};

}  // namespace

std::vector<ModuleRecord> standard_modules() {
    std::vector<ModuleRecord> out(std::begin(kNative), std::end(kNative));
    const auto in_python = standard_modules_in_python();
    out.insert(out.end(), in_python.begin(), in_python.end());
    return out;
}

std::string_view replacement_for_module(std::string_view name) {
    for (const auto& [module, text] : kReplacements) {
        if (module == name) return text;
    }
    return {};
}

}  // namespace loupe::python

// SPDX-License-Identifier: Apache-2.0
#pragma once
// TorchScript of what torch has in Python: torch.nn.functional, the forwards of layers, torch.no_grad.

#include <optional>
#include <span>
#include <string_view>

#include "core/python/script/script_compiler.h"
#include "core/script/sugared_value.h"

namespace loupe::nn {
struct LayerRecord;
}

namespace loupe::python {

// The texts of torch.nn.functional (in several files), of methods of layers and of other modules of torch, made of the
// .py files in torchscript/ by embed_python.cmake.
std::span<const ModuleRecord> torchscript_texts();

class ScriptLibrary final : public RefCounted {
  public:
    explicit ScriptLibrary(ScriptCompiler& compiler);
    ~ScriptLibrary() override;
    static ScriptLibrary& current();

    // A function or class of "torch", "torch.nn.functional" or "torch.nn.utils.rnn"; null when the library has none of
    // the name.
    script::SugaredPtr find(std::string_view module, std::string_view name);
    // A method of a layer, which has it (a base's is the base's). qualified_name: of the method.
    Ptr<ir::ScriptFunction> make_method(const nn::LayerRecord& layer, std::string_view name,
                                        const std::string& qualified_name, const TypePtr& self_type,
                                        const ScriptCompiler::SelfValue& self_value);
    bool has_method(const nn::LayerRecord& layer, std::string_view name);
    // A class of the library; null when it has none of the name.
    TypePtr find_type(std::string_view module, std::string_view name);

  private:
    class Part;
    class Resolver;
    struct Method {
        const script::ParsedSource* source = nullptr;
        const script::Def* def = nullptr;
    };
    // Of the layer's class in the .py files, or forward as `calls` says it.
    Method find_method(const nn::LayerRecord& layer, std::string_view name);

    ScriptCompiler& compiler_;
    std::vector<std::unique_ptr<Part>> parts_;
    std::map<const nn::LayerRecord*, script::ParsedSource> forwards_;
};

}  // namespace loupe::python

// SPDX-License-Identifier: Apache-2.0
#pragma once
// TorchScript of what torch has in Python: torch.nn.functional, the forwards of layers, torch.no_grad.

#include <optional>
#include <span>
#include <string_view>

#include "core/python/script/script_compiler.h"
#include "core/script/sugared_value.h"

namespace loupe::python {

// A layer of torch.nn in scripts: what of it is constant, what types its attributes have, and its methods.
struct LayerScript {
    std::string_view name;             // "Conv2d"
    std::string_view constants = {};   // "stride padding dilation"
    std::string_view attributes = {};  // "bias: Optional[Tensor]; min_val: float"; others have the type of their value
    std::string_view methods = {};     // source, not indented: "def forward(self, input: Tensor) -> Tensor: ..."
};
// One array each, in the files of their names.
std::span<const LayerScript> plain_layer_scripts();
std::span<const LayerScript> recurrent_layer_scripts();
std::span<const LayerScript> transformer_layer_scripts();
// Null for a name that has none.
const LayerScript* find_layer_script(std::string_view name);

// The texts of torch.nn.functional (in several files) and other modules of torch, made of the .py files in torchscript/
// by embed_python.cmake.
std::span<const ModuleRecord> torchscript_texts();

class ScriptLibrary final : public RefCounted {
  public:
    explicit ScriptLibrary(ScriptCompiler& compiler);
    ~ScriptLibrary() override;
    static ScriptLibrary& current();

    // A function or class of "torch", "torch.nn.functional" or "torch.nn.utils.rnn"; null when the library has none of
    // the name.
    script::SugaredPtr find(std::string_view module, std::string_view name);
    // A method of a layer; null when it has none of the name. qualified_name: of the method.
    Ptr<ir::ScriptFunction> make_method(const LayerScript& layer, std::string_view name,
                                        const std::string& qualified_name, const TypePtr& self_type,
                                        const ScriptCompiler::SelfValue& self_value);
    bool has_method(const LayerScript& layer, std::string_view name);
    // A class of the library; null when it has none of the name.
    TypePtr find_type(std::string_view module, std::string_view name);

  private:
    class Part;
    class Resolver;
    const script::ParsedSource& parsed(const LayerScript& layer);

    ScriptCompiler& compiler_;
    std::vector<std::unique_ptr<Part>> parts_;
    std::map<const LayerScript*, script::ParsedSource> layers_;
};

}  // namespace loupe::python

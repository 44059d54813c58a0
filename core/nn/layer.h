// SPDX-License-Identifier: Apache-2.0
#pragma once
// A layer class of torch.nn is one record: constructor, forward, repr. The object is an ordinary Module. A record also
// serves as base class: of other records ("_ConvNd") and of a model source's
// classes.
//
//     const ModulePtr conv = make_layer("Conv2d", {3, 16, 3}, {{"bias", false}});
//     const IValue y = conv->call({x});
//
// Fields that a record leaves out are inherited.

#include <span>
#include <string>
#include <string_view>

#include "core/dispatch/record.h"
#include "core/nn/module.h"
#include "core/value/callable.h"

namespace loupe::nn {

// A method beside forward: Embedding.from_pretrained is none of these, ModuleList.append is.
struct LayerMethod {
    std::string_view schema;  // "append(Any module) -> Any"
    IValue (*call)(Module& self, Arguments arguments);
    bool is_static = false;  // called on the class too: Transformer.generate_square_subsequent_mask(5)
};

struct LayerRecord {
    std::string_view name;     // "Conv2d"
    std::string_view base;     // "_ConvNd", or "Module"; empty for Module itself
    std::string_view module;   // the Python module that defines it: "torch.nn.modules.conv"
    std::string_view summary;  // one sentence
    // The constructor's arguments in schema syntax: "(int in_channels, int out_channels, int[2] kernel_size, ...)".
    // Containers, which take any number of modules, have "(...)". Empty: the base's constructor and init.
    std::string_view constructor = {};
    // Does what __init__ does: attributes, parameters (with PyTorch's initial values for the seed), children. Null:
    // every argument becomes the attribute of its name, but for device and dtype; losses' size_average and reduce
    // decide the reduction.
    void (*init)(Module& self, Arguments arguments) = nullptr;
    // Of those arguments, the names that are registered as buffers: "weight, pos_weight".
    std::string_view buffers = {};
    // "(Tensor input, int[]? output_size=None) -> Tensor"; empty: the base's, or one tensor `input`.
    std::string_view forward_schema = {};
    IValue (*forward)(Module& self, Arguments arguments) = nullptr;
    // Instead of `forward`: the function of torch.nn.functional that the layer calls, its arguments named as forward's
    // arguments and the module's attributes are: "hardtanh(input, min_val, max_val, inplace)", "nll_loss(input, target,
    // reduction=reduction)". Also "self.log_input" where forward has an argument of the name, numbers, 'text' and
    // float(attribute). "torch.tanh(input)": in scripts torch's function of the name.
    std::string_view calls = {};
    // In scripts, which read forward from `calls` or from the .py file of the module (core/python/script/torchscript):
    // PyTorch's __constants__, "stride padding", and types that a value may not show, "bias: Optional[Tensor]".
    std::string_view constants = {};
    std::string_view annotations = {};
    // The text between the brackets when it is printed; null: from `repr`.
    std::string (*extra_repr)(const Module& self) = nullptr;
    // "kernel_size={kernel_size}, mode={mode!r}[inplace?, inplace=True]": attributes by str() or repr(), and
    // text that is there when an attribute is true.
    std::string_view repr = {};
    void (*reset_parameters)(Module& self) = nullptr;
    std::span<const LayerMethod> methods = {};
    // The version that state_dict's metadata carries; PyTorch's _version.
    int version = 1;
};

// Families export one array each; this lists them all.
std::span<const LayerRecord* const> layer_records();
// Null for a name that is no layer's.
const LayerRecord* find_layer(std::string_view name);
// Is it the record of that name, or derived from it?
bool is_derived(const LayerRecord& record, std::string_view base);

// Constructs a layer. Throws Error (Run) with Python's messages for arguments that do not fit the constructor, and
// errors of __init__.
ModulePtr make_layer(std::string_view name, std::vector<IValue> arguments = {},
                     std::vector<std::pair<std::string, IValue>> keywords = {});
// The record's __init__ on an existing module: super().__init__(...) in a class of a model source. The module's layer
// is then the record, unless it has one derived from it.
void init_layer(Module& self, const LayerRecord& record, CallArguments arguments);
// The record's forward, whatever the module's own is: super().forward(...).
IValue call_forward(Module& self, const LayerRecord& record, CallArguments arguments);
// The method of a record or its bases; null when there is none.
const LayerMethod* find_method(const LayerRecord& record, std::string_view name);
IValue call_method(Module& self, const LayerMethod& method, CallArguments arguments);
// Whether a record or one of its bases computes something.
bool has_forward(const LayerRecord& record);
// The record's extra_repr.
std::string extra_repr_of(const Module& self, const LayerRecord& record);
// False when no base has reset_parameters.
bool reset_parameters(Module& self);
// The same as the record does it, of a module of a file whose class is called so.
bool reset_parameters(Module& self, const LayerRecord& record);

// `calls` of a record, read. Texts are the record's.
struct LayerCall {
    struct Argument {
        enum class Kind { Argument, Attribute, Number, Text };
        std::string_view keyword;  // empty: by position
        Kind kind = Kind::Attribute;
        std::string_view text;  // the name, the number, the text
        bool as_float = false;
    };
    std::string_view function;
    bool is_of_torch = false;
    std::vector<Argument> arguments;
};
LayerCall call_of(const LayerRecord& record);

// The schemas of a record, inherited ones filled in: "Conv2d.__init__(...)", "Conv2d.forward(...)".
const FunctionSchema& constructor_schema(const LayerRecord& record);
const FunctionSchema& forward_schema(const LayerRecord& record);

}  // namespace loupe::nn

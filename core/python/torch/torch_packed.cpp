// SPDX-License-Identifier: Apache-2.0
// torch.nn.utils.rnn.PackedSequence as a class of a program.

#include "core/nn/utils/packed_sequence.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/operations.h"
#include "core/python/torch/torch_module.h"

namespace loupe::python {
namespace {

// The same sequence with other data: what data.method(...) gives.
IValue moved(const IValue& self, std::string_view method, CallArguments arguments) {
    const TupleObject& packed = self.to_tuple();
    std::vector<IValue> elements = packed.elements;
    elements[0] = call_method(elements[0], method, std::move(arguments));
    if (elements[0].to_tensor().is_same(packed.elements[0].to_tensor())) return self;
    return make_ptr<TupleObject>(std::move(elements), packed.type);
}

ClassPtr packed_class() {
    const ClassPtr cls = make_named_tuple_class("PackedSequence", "torch.nn.utils.rnn",
                                                {"data", "batch_sizes", "sorted_indices", "unsorted_indices"},
                                                {IValue(), IValue(), IValue()});
    cls->define("to", [](CallArguments arguments) {
        const IValue self = arguments.positional.at(0);
        arguments.positional.erase(arguments.positional.begin());
        return moved(self, "to", std::move(arguments));
    });
    for (const char* name : {"double", "float", "half", "long", "int", "short", "char", "byte", "cpu", "cuda"}) {
        cls->define(name, [name](CallArguments arguments) { return moved(arguments.positional.at(0), name, {}); });
    }
    cls->define("is_pinned", [](CallArguments) { return IValue(false); });
    cls->define("pin_memory", [](CallArguments arguments) { return arguments.positional.at(0); });
    cls->define_property("is_cuda", [](const IValue& self) {
        return IValue(self.to_tuple().elements.at(0).to_tensor().device().type == DeviceType::Cuda);
    });
    return cls;
}

}  // namespace

void define_packed_sequence(PythonModule& module) {
    const ClassPtr packed = packed_class();
    // What the functions give has a type of its own.
    const IValue sample = nn::PackedSequence{}.to_value();
    Evaluator::current()->state().tuple_classes[sample.to_tuple().type.get()] = packed;
    module.define("PackedSequence", IValue::other(packed));
}

}  // namespace loupe::python

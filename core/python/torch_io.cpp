// SPDX-License-Identifier: Apache-2.0
// torch.save and torch.load: the values of programs in checkpoints, as PyTorch pickles them.

#include <cerrno>
#include <unordered_set>

#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/io/checkpoint.h"
#include "core/io/checkpoint_writer.h"
#include "core/io/pickle_values.h"
#include "core/python/arguments.h"
#include "core/python/builtin_objects.h"
#include "core/python/error.h"
#include "core/python/evaluator.h"
#include "core/python/stream.h"
#include "core/python/torch_call.h"
#include "core/python/torch_module.h"
#include "core/python/torch_objects.h"

namespace loupe::python {
namespace {

class PythonValues final : public OtherValues {
  public:
    bool write(const IValue& value, CheckpointPickler& pickler) override {
        if (!value.is_other()) return false;
        RefCounted* object = value.object_pointer();
        if (const auto* dtype = dynamic_cast<DtypeObject*>(object)) {
            pickler.write_global("torch", dtype_name(dtype->dtype));
        } else if (is_same_object(value, layout_object()) || is_same_object(value, sparse_layout_object())) {
            pickler.write_call("torch.serialization", "_get_layout", {repr(value)});
        } else if (const auto* bytes = dynamic_cast<BytesObject*>(object)) {
            pickler.write_bytes(bytes->data);
        } else if (const auto* set = dynamic_cast<SetObject*>(object)) {
            pickler.write_set(set->values());
        } else {
            throw Error(ErrorKind::Unsupported, concat("Can't pickle ", repr(value), ": files hold tensors and plain values"),
                        {.hint = concat("save the attributes of the ", type_name(value), " as a dict")});
        }
        return true;
    }
    bool is_ordered(const DictObject& dict, IValue& state) override {
        const ContainerClass* own = container_class(dict);
        if (own == nullptr || own->cls->name() != "OrderedDict") return false;
        const IValue* metadata = own->attributes.find("_metadata");
        if (metadata == nullptr) return true;
        const auto attributes = make_dict();
        attributes->set("_metadata", *metadata);
        state = attributes;
        return true;
    }
};

// What a pickle names, as the evaluator has it. Nothing else is made.
class PythonClasses final : public NoClasses {
  public:
    IValue make_dtype(ScalarType dtype) override { return dtype_object(dtype); }
    IValue make_size(IValue sizes) override {
        Dims dims;
        for (const IValue& size : to_vector(sizes)) dims.push_back(size.to_int());
        return python::make_size(span_of(dims));
    }
    IValue make_parameter(const Tensor& tensor, bool requires_grad) override { return loupe::make_parameter(tensor, requires_grad); }
    IValue make_layout(const std::string& name) override {
        if (name == "torch.strided") return layout_object();
        if (name == "torch.sparse_coo") return sparse_layout_object();
        return NoClasses::make_layout(name);
    }
    IValue make_bytes(std::string bytes) override { return python::make_bytes(std::move(bytes)); }
    IValue make_set(std::vector<IValue> values) override {
        const auto set = make_ptr<SetObject>();
        for (const IValue& value : values) set->add(value);
        return IValue::other(set);
    }
    IValue make_ordered_dict(Ptr<DictObject> dict, const PickleNode* state, ValueBuilder& builder) override {
        const IValue collections = Evaluator::current()->import_module("collections");
        const IValue out = python::call(get_attribute(collections, "OrderedDict"), CallArguments{});
        for (const auto& [key, value] : dict->entries()) out.to_dict().set(key, value);
        if (state == nullptr || !state->is(PickleKind::Dict)) return out;
        const IValue attributes = builder.build(*state);
        for (const auto& [name, value] : attributes.to_dict().entries()) {
            if (name.is_string()) set_attribute(out, name.to_string(), value);
        }
        return out;
    }
};

// Containers of a file have the types of what is in them; Python's take anything. They stay the same objects.
class Untyped {
  public:
    void visit(const IValue& value) {
        if (!value.is_list() && !value.is_tuple() && !value.is_dict()) return;
        if (!seen_.insert(value.object_pointer()).second) return;
        if (value.is_list()) {
            if (container_class(value.to_list()) == nullptr) value.to_list().element_type = types::any();
            for (const IValue& element : value.to_list().elements) visit(element);
        } else if (value.is_tuple()) {
            for (const IValue& element : value.to_tuple().elements) visit(element);
        } else {
            DictObject& dict = value.to_dict();
            if (container_class(dict) == nullptr) dict.key_type = dict.value_type = types::any();
            for (const auto& [key, element] : dict.entries()) visit(element);
        }
    }

  private:
    std::unordered_set<const void*> seen_;
};

IValue save(CallArguments arguments) {
    const BoundArguments given(arguments, "save",
                               {"obj", "f", "pickle_module=", "pickle_protocol=", "_use_new_zipfile_serialization="});
    FileArgument file(given[1], FileArgument::Use::Write);
    PythonValues values;
    const CheckpointOptions options{.is_stream = !given.truth_or(4, true), .others = &values};
    with_python_errors([&] { write_checkpoint(given[0], file.path(), options); });
    file.finish();
    return {};
}

IValue load(CallArguments arguments) {
    const BoundArguments given(arguments, "load", {"f", "map_location=", "pickle_module=", "*", "weights_only="});
    const FileArgument file(given[0], FileArgument::Use::Read);
    const std::string& path = file.path();
    try {
        PythonClasses classes;
        const IValue value = read_checkpoint(path, classes);
        Untyped().visit(value);
        return value;
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Usage) {
            throw_os_error(ENOENT, path);
        }
        rethrow_as_python(error);
    }
}

}  // namespace

void fill_torch_io(PythonModule& module) {
    module.define("save", NativeCallable::Body(save));
    module.define("load", NativeCallable::Body(load));
}

}  // namespace loupe::python

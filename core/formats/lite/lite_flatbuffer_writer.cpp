// SPDX-License-Identifier: Apache-2.0
#include "core/formats/lite/lite_flatbuffer_writer.h"

#include <algorithm>
#include <complex>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/lite/flat_builder.h"
#include "core/formats/lite/lite_bytecode.h"
#include "core/formats/lite/lite_flatbuffer_layout.h"
#include "core/formats/torchscript/code_writer.h"
#include "core/runtime/interpreter/interpreter.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/packed.h"
#include "core/tensor/tensor.h"

namespace loupe {
namespace {

using namespace lite;
using Field = FlatBuilder::Field;
using Index = std::uint32_t;

constexpr Index kBytecodeVersion = 9;

[[noreturn]] void refuse(std::string what) {
    throw Error(ErrorKind::Unsupported, std::move(what), {.hint = "write a .ptl file instead"});
}

std::span<const std::byte> bytes_of(const Storage& storage) {
    return {static_cast<const std::byte*>(storage.data()), storage.bytes()};
}

const std::vector<IValue>& elements_of(const IValue& tuple) { return tuple.to_tuple().elements; }

template <typename T>
std::string raw_bytes(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

// Values are numbered first, each after its elements, and written afterwards.
class FlatModel {
  public:
    std::string write(const nn::Module& module) {
        // The function that restores an object precedes it.
        std::vector<Index> methods;
        const IValue bytecode = lite_bytecode(module).functions;
        for (std::size_t i = 1; i < elements_of(bytecode).size(); ++i) {
            const std::string& name = elements_of(elements_of(bytecode)[i])[0].to_string();
            methods.push_back(add_function(elements_of(bytecode)[i]));
            functions_.emplace(name, methods.back());
        }
        const Index state = add(IValue(Ptr<Object>(const_cast<nn::Module*>(&module))));
        const auto mobile_values = static_cast<Index>(values_.size());
        const WrittenCode code = write_code(module);
        std::vector<Index> constants;
        for (const IValue& constant : code.constants) constants.push_back(add(constant));
        const auto root = out_.table({Field::of(kBytecodeVersion), Field::offset(), Field::offset(), Field::of(state),
                                      Field::offset(), Field::of(static_cast<std::int32_t>(storages_.size())),
                                      Field::offset(), Field::offset(), Field::offset(), Field::offset(),
                                      Field::of(static_cast<std::uint32_t>(code.version)), Field::of(mobile_values)});
        out_.link_root(root.at);
        out_.link(root.fields[module_field::extra_files], out_.offsets(0));
        out_.link(root.fields[module_field::methods], numbers(methods));
        write_all(root.fields[module_field::values], values_.size(), [&](std::size_t i) { return values_[i](); });
        write_all(root.fields[module_field::storages], storages_.size(),
                  [&](std::size_t i) { return write_storage(storages_[i]); });
        write_all(root.fields[module_field::object_types], classes_.size(),
                  [&](std::size_t i) { return write_class(*classes_[i]); });
        write_all(root.fields[module_field::sources], code.files.size(),
                  [&](std::size_t i) { return write_source(code.files[i]); });
        out_.link(root.fields[module_field::source_constants], numbers(constants));
        return out_.finish();
    }

  private:
    // --- parts of tables ---

    std::size_t numbers(const std::vector<Index>& all) { return out_.vector(std::span<const Index>(all)); }
    // A vector of offsets to the results of `write`, in the field at that position.
    void write_all(std::size_t field, std::size_t count, const std::function<std::size_t(std::size_t)>& write) {
        const std::size_t list = out_.offsets(count);
        out_.link(field, list);
        for (std::size_t i = 0; i < count; ++i) out_.link(list + 4 + 4 * i, write(i));
    }
    void write_texts(std::size_t field, const std::vector<std::string>& texts) {
        write_all(field, texts.size(), [&](std::size_t i) { return out_.string(texts[i]); });
    }

    std::size_t write_storage(const Ptr<Storage>& given) {
        const auto table = out_.table({Field::offset()});
        const Ptr<Storage> storage = on_host(given);
        const auto bytes = bytes_of(*storage);
        out_.link(table.fields[0],
                  out_.raw_vector({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, bytes.size(), 16));
        return table.at;
    }
    std::size_t write_class(const ClassType& type) {
        const bool has_fields = !restores_itself(type);
        const auto table = out_.table({Field::offset(), Field::of(has_fields ? kWithFields : kWithSetState),
                                       has_fields ? Field::offset() : Field::none()});
        out_.link(table.fields[0], out_.string(type.name()));
        if (!has_fields) return table.at;
        std::vector<std::string> names;
        for (const ClassType::Attribute& attribute : type.attributes()) names.push_back(attribute.name);
        write_texts(table.fields[2], names);
        return table.at;
    }
    // "code/__torch__/a/b.py" is __torch__.a.b.
    std::size_t write_source(const std::pair<std::string, std::string>& file) {
        std::string name = file.first.substr(5, file.first.size() - 5 - 3);
        std::replace(name.begin(), name.end(), '/', '.');
        const auto table = out_.table({Field::offset(), Field::offset()});
        out_.link(table.fields[0], out_.string(name));
        out_.link(table.fields[1], out_.string(file.second));
        return table.at;
    }

    // --- values ---

    // The table of a value whose specific part `write` writes.
    Index plan(Tag tag, std::function<std::size_t()> write) {
        values_.push_back([this, tag, write = std::move(write)] {
            const auto table = out_.table(
                {Field::of(static_cast<std::uint8_t>(tag)), tag == Tag::None ? Field::none() : Field::offset()});
            if (tag != Tag::None) out_.link(table.fields[1], write());
            return table.at;
        });
        return static_cast<Index>(values_.size()) - 1;
    }
    template <typename T>
    Index plan_struct(Tag tag, T value) {
        return plan(tag, [this, value] { return out_.raw(raw_bytes(value), alignof(T)); });
    }
    // A table of one vector.
    template <typename T>
    Index plan_vector(Tag tag, std::vector<T> elements) {
        return plan(tag, [this, elements = std::move(elements)] {
            const auto table = out_.table({Field::offset()});
            out_.link(table.fields[0], out_.vector(std::span<const T>(elements)));
            return table.at;
        });
    }
    Index plan_text(Tag tag, std::string text) {
        return plan(tag, [this, text = std::move(text)] {
            const auto table = out_.table({Field::offset()});
            out_.link(table.fields[0], out_.string(text));
            return table.at;
        });
    }

    Index add(const IValue& value) {
        switch (value.tag()) {
            case IValue::Tag::None:
                return plan(Tag::None, {});
            case IValue::Tag::Int:
                return plan_struct(Tag::Int, value.to_int());
            case IValue::Tag::Bool:
                return plan_struct(Tag::Bool, value.to_bool());
            case IValue::Tag::Double:
                return plan_struct(Tag::Double, value.to_double());
            case IValue::Tag::Complex:
                return plan_struct(Tag::Complex, value.to_complex());
            case IValue::Tag::String:
                return plan_text(Tag::String, value.to_string());
            case IValue::Tag::Device:
                return plan_text(Tag::Device, python_str(value));
            case IValue::Tag::Tensor:
                return value.to_tensor().defined() ? add_tensor(value.to_tensor()) : plan(Tag::None, {});
            default:
                return add_once(value);
        }
    }
    // Shared values are written once.
    Index add_once(const IValue& value) {
        const void* key =
            value.is_object() ? static_cast<const void*>(value.to_object().get()) : value.object_pointer();
        if (const auto known = shared_.find(key); known != shared_.end()) return known->second;
        if (!under_way_.insert(key).second) refuse("a value that holds itself has no form in a FlatBuffer");
        const Index index = add_compound(value);
        under_way_.erase(key);
        kept_.push_back(value);
        return shared_[key] = index;
    }
    Index add_compound(const IValue& value) {
        if (value.is_object()) return add_object(*value.to_object());
        if (value.is_tuple()) return plan_vector(Tag::Tuple, add_all(value.to_tuple().elements));
        if (value.is_list()) return add_list(value.to_list());
        if (value.is_dict()) return add_dict(value.to_dict());
        refuse(concat("a value of type ", value_type_name(value), " has no form in a FlatBuffer"));
    }
    std::vector<Index> add_all(const std::vector<IValue>& values) {
        std::vector<Index> indices;
        for (const IValue& value : values) indices.push_back(add(value));
        return indices;
    }

    Index add_list(const ListObject& list) {
        const TypeKind kind = list.element_type->kind();
        const auto converted = [&]<typename T>(Tag tag, T (IValue::*get)() const) {
            std::vector<T> numbers;
            for (const IValue& element : list.elements) numbers.push_back((element.*get)());
            return plan_vector(tag, std::move(numbers));
        };
        if (kind == TypeKind::Int) return converted(Tag::IntList, &IValue::to_int);
        if (kind == TypeKind::Float) return converted(Tag::DoubleList, &IValue::to_double);
        if (kind == TypeKind::Bool) {
            std::vector<std::uint8_t> flags;
            for (const IValue& element : list.elements) flags.push_back(element.to_bool() ? 1 : 0);
            return plan_vector(Tag::BoolList, std::move(flags));
        }
        return plan(Tag::List,
                    [this, items = add_all(list.elements), type = types::list(list.element_type)->annotation_str()] {
                        const auto table = out_.table({Field::offset(), Field::offset()});
                        out_.link(table.fields[0], numbers(items));
                        out_.link(table.fields[1], out_.string(type));
                        return table.at;
                    });
    }
    Index add_dict(const DictObject& dict) {
        std::vector<Index> keys;
        std::vector<Index> values;
        for (const auto& [key, value] : dict.entries()) {
            keys.push_back(add(key));
            values.push_back(add(value));
        }
        return plan(Tag::Dict,
                    [this, keys, values, type = types::dict(dict.key_type, dict.value_type)->annotation_str()] {
                        const auto table = out_.table({Field::offset(), Field::offset(), Field::offset()});
                        out_.link(table.fields[0], numbers(keys));
                        out_.link(table.fields[1], numbers(values));
                        out_.link(table.fields[2], out_.string(type));
                        return table.at;
                    });
    }
    Index add_object(const Object& object) {
        const Ptr<ClassType>& type = object.type();
        if (restores_itself(*type)) return add_restored(object);
        std::vector<Index> attributes;
        for (std::size_t i = 0; i < object.slot_count(); ++i) attributes.push_back(add(object.slot(i)));
        return plan(Tag::Object, [this, attributes, number = number_of(type)] {
            const auto table = out_.table({Field::of(number), Field::none(), Field::offset()});
            out_.link(table.fields[2], numbers(attributes));
            return table.at;
        });
    }
    static bool restores_itself(const ClassType& type) {
        return type.find_method("__getstate__") != nullptr && type.find_method("__setstate__") != nullptr;
    }
    Index add_restored(const Object& object) {
        const Index state = add(runtime::run_method(Ptr<Object>(const_cast<Object*>(&object)), "__getstate__", {}));
        const Index set_state = functions_.at(object.type()->find_method("__setstate__")->qualified_name());
        return plan(Tag::Object, [this, state, set_state, number = number_of(object.type())] {
            return out_.table({Field::of(number), Field::of(state), Field::none(), Field::of(set_state)}).at;
        });
    }
    // Of the class that a function is a method of.
    Index class_number(const std::string& function) const {
        const std::string name = function.substr(0, function.rfind('.'));
        const auto found = std::ranges::find(
            classes_, name, [](const Ptr<ClassType>& type) -> const std::string& { return type->name(); });
        return found == classes_.end() ? 0 : static_cast<Index>(found - classes_.begin());
    }
    Index number_of(const Ptr<ClassType>& type) {
        const auto [known, is_new] = class_numbers_.emplace(type.get(), static_cast<Index>(classes_.size()));
        if (is_new) classes_.push_back(type);
        return known->second;
    }

    Index add_tensor(const Tensor& given) {
        const Tensor tensor = unpacked_(given);
        if (tensor.is_sparse()) refuse("a sparse tensor has no form in a FlatBuffer");
        const auto [known, is_new] =
            storage_numbers_.emplace(tensor.storage().get(), static_cast<Index>(storages_.size()));
        if (is_new) storages_.push_back(tensor.storage());
        return plan(Tag::Tensor, [this, tensor, needs_grad = requires_grad(given), storage = known->second] {
            const auto table = out_.table({Field::of(storage), Field::of(static_cast<std::int8_t>(tensor.dtype())),
                                           Field::of(narrow(tensor.storage_offset())), Field::offset(), Field::offset(),
                                           Field::of(static_cast<std::uint8_t>(needs_grad))});
            out_.link(table.fields[tensor_field::sizes], dims(tensor.sizes()));
            out_.link(table.fields[tensor_field::strides], dims(tensor.strides()));
            return table.at;
        });
    }
    static std::int32_t narrow(std::int64_t value) {
        const auto narrowed = static_cast<std::int32_t>(value);
        if (narrowed != value) refuse("a tensor with sizes or strides past 32 bits has no form in a FlatBuffer");
        return narrowed;
    }
    std::size_t dims(std::span<const std::int64_t> from) {
        std::vector<std::int32_t> narrowed;
        for (const std::int64_t dim : from) narrowed.push_back(narrow(dim));
        return out_.vector(std::span<const std::int32_t>(narrowed));
    }

    // --- functions ---

    static const std::vector<IValue>& field(const IValue& code, std::size_t i) {
        return elements_of(elements_of(elements_of(code)[i])[1]);
    }

    // (qualified name, (instructions, operators, constants, types, register_size), (arguments, returns)).
    Index add_function(const IValue& function) {
        const IValue code = elements_of(function)[1];
        std::vector<Index> constants = add_all(field(code, 2));
        std::vector<std::pair<IValue, Index>> defaults[2];
        for (std::size_t side = 0; side < 2; ++side) {
            for (const IValue& argument : field(elements_of(function)[2], side)) {
                defaults[side].emplace_back(argument, add(elements_of(elements_of(argument)[2])[1]));
            }
        }
        return plan(Tag::Function, [=, this] {
            const std::int64_t registers = elements_of(elements_of(code)[4])[1].to_int();
            const auto table =
                out_.table({Field::offset(), Field::offset(), Field::offset(), Field::offset(), Field::offset(),
                            Field::of(static_cast<std::int32_t>(registers)), Field::offset(), Field::none(),
                            Field::of(class_number(elements_of(function)[0].to_string()))});
            out_.link(table.fields[function_field::name], out_.string(elements_of(function)[0].to_string()));
            out_.link(table.fields[function_field::instructions], write_instructions(field(code, 0)));
            const auto& operators = field(code, 1);
            write_all(table.fields[function_field::operators], operators.size(),
                      [&](std::size_t i) { return write_operator(elements_of(operators[i])); });
            out_.link(table.fields[function_field::constants], numbers(constants));
            std::vector<std::string> types;
            for (const IValue& type : field(code, 3)) types.push_back(checked_type(type.to_string()));
            write_texts(table.fields[function_field::types], types);
            const auto schema = out_.table({Field::offset(), Field::offset()});
            out_.link(table.fields[function_field::schema], schema.at);
            for (std::size_t side = 0; side < 2; ++side) {
                write_all(schema.fields[side], defaults[side].size(),
                          [&](std::size_t i) { return write_argument(defaults[side][i]); });
            }
            return table.at;
        });
    }

    // As PyTorch refuses them when it writes FlatBuffers.
    static std::string checked_type(const std::string& text) {
        if (text.starts_with("__torch__.") && !text.starts_with("__torch__.torch.classes")) {
            refuse(
                concat("__torch__ types other than custom c++ classes (__torch__.torch.classes) are not supported in "
                       "lite interpreter FlatBuffers: ",
                       text));
        }
        return text;
    }

    std::size_t write_instructions(const std::vector<IValue>& all) {
        std::string content;
        for (const IValue& each : all) {
            const auto& parts = elements_of(each);
            const auto code =
                std::find(kInstructions.begin(), kInstructions.end(), parts[0].to_string()) - kInstructions.begin();
            content += static_cast<char>(code);
            content += '\0';
            content += raw_bytes(static_cast<std::uint16_t>(parts[2].to_int()));
            content += raw_bytes(static_cast<std::int32_t>(parts[1].to_int()));
        }
        return out_.raw_vector(content, all.size(), 4);
    }
    std::size_t write_operator(const std::vector<IValue>& parts) {
        const auto table =
            out_.table({Field::offset(), Field::offset(), Field::of(static_cast<std::int32_t>(parts[2].to_int()))});
        out_.link(table.fields[0], out_.string(parts[0].to_string()));
        out_.link(table.fields[1], out_.string(parts[1].to_string()));
        return table.at;
    }
    std::size_t write_argument(const std::pair<IValue, Index>& argument) {
        const auto table = out_.table({Field::offset(), Field::offset(), Field::of(argument.second)});
        const auto& parts = elements_of(argument.first);
        out_.link(table.fields[0], out_.string(elements_of(parts[0])[1].to_string()));
        out_.link(table.fields[1], out_.string(elements_of(parts[1])[1].to_string()));
        return table.at;
    }

    FlatBuilder out_{"PTMF"};
    std::vector<std::function<std::size_t()>> values_;
    std::vector<IValue> kept_;  // kept alive, so that addresses are unique
    std::unordered_map<const void*, Index> shared_;
    std::unordered_set<const void*> under_way_;
    std::vector<Ptr<Storage>> storages_;
    UnpackedOnce unpacked_;
    std::unordered_map<const Storage*, Index> storage_numbers_;
    std::vector<Ptr<ClassType>> classes_;
    std::unordered_map<const ClassType*, Index> class_numbers_;
    std::unordered_map<std::string, Index> functions_;
};

}  // namespace

std::string lite_flatbuffer(const nn::Module& module) { return FlatModel().write(module); }

}  // namespace loupe

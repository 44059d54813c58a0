// SPDX-License-Identifier: Apache-2.0
// The layout follows PyTorch's mobile_bytecode.fbs.
#include "core/formats/lite/lite_flatbuffer.h"

#include <complex>
#include <optional>
#include <unordered_map>

#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/raw_tensor.h"
#include "core/formats/lite/flat_table.h"
#include "core/formats/lite/lite_flatbuffer_layout.h"
#include "core/formats/lite/lite_parts.h"

namespace loupe {
namespace {

using namespace lite;

constexpr std::size_t kMostValues = std::size_t{1} << 22;
constexpr int kDeepest = 200;

class FlatReader {
  public:
    explicit FlatReader(const Ptr<MappedFile>& file)
        : root_(FlatTable::root(file->bytes())),
          values_(root_.vector(module_field::values, 4)),
          built_(values_.size()),
          storages_(root_.vector(module_field::storages, 4)),
          opened_(storages_.size()) {}

    ModelFile read() {
        ModelFile model;
        unit_ = make_ptr<ir::CompilationUnit>();
        model.unit = unit_;
        const IValue root = value(root_.number<std::uint32_t>(module_field::state), 0);
        model.module = nn::as_module(root);
        if (!model.module) throw_file_error("FlatBuffer: holds no module");
        Tag tag{};
        const std::string class_name =
            class_of(entry(root_.number<std::uint32_t>(module_field::state), tag).table(1)).second;
        const FlatVector methods = root_.vector(module_field::methods, 4);
        for (std::size_t i = 0; i < methods.size(); ++i) {
            const FlatTable held = function_at(methods.number<std::uint32_t>(i));
            const std::string name(held.string(function_field::name));
            if (!is_of_inner_object(name, class_name))
                add_lite_method(*unit_, *model.module, name, function(held, model.module->type()));
        }
        model.format = concat("Lite interpreter FlatBuffer, bytecode version ",
                              root_.number<std::uint32_t>(module_field::version));
        return model;
    }

  private:
    // --- values ---

    FlatTable entry(std::uint32_t index, Tag& tag) const {
        if (index >= values_.size()) throw_file_error(concat("FlatBuffer: value ", index, " of ", values_.size()));
        const FlatTable value = values_.table(index);
        tag = static_cast<Tag>(value.number<std::uint8_t>(0));
        return value;
    }

    IValue value(std::uint32_t index, int depth) {
        if (depth > kDeepest) throw_file_error("FlatBuffer: values nest too deep");
        Tag tag{};
        const FlatTable from = entry(index, tag);
        if (built_[index].is_under_way) throw_file_error("FlatBuffer: a value that holds itself");
        if (!built_[index].value) {
            if (++made_ > kMostValues) throw_file_error("FlatBuffer: too many values");
            built_[index].is_under_way = true;
            built_[index].value = make(from, tag, depth);
            built_[index].is_under_way = false;
        }
        return *built_[index].value;
    }

    IValue make(const FlatTable& from, Tag tag, int depth) {
        if (tag == Tag::None) return {};
        const FlatTable held = tag <= Tag::Complex ? from : from.table(1);
        switch (tag) {
            case Tag::Int:
                return from.behind<std::int64_t>(1);
            case Tag::Bool:
                return from.behind<std::uint8_t>(1) != 0;
            case Tag::Double:
                return from.behind<double>(1);
            case Tag::Complex:
                return from.behind<std::complex<double>>(1);
            case Tag::Tensor:
                return tensor(held);
            case Tag::String:
                return IValue(held.string(0));
            case Tag::List:
                return list(held, depth);
            case Tag::Tuple:
                return make_ptr<TupleObject>(elements(held.vector(0, 4), depth));
            case Tag::Dict:
                return dict(held, depth);
            case Tag::Object:
                return object(held, depth);
            case Tag::IntList:
                return numbers<std::int64_t, std::int64_t>(held.vector(0, 8), types::integer());
            case Tag::DoubleList:
                return numbers<double, double>(held.vector(0, 8), types::floating());
            case Tag::BoolList:
                return numbers<std::uint8_t, bool>(held.vector(0, 1), types::boolean());
            case Tag::Device:
                return parse_device(std::string(held.string(0)));
            default:
                throw Error(ErrorKind::Unsupported,
                            concat("FlatBuffer: a value of kind ", static_cast<int>(tag), " is not supported"));
        }
    }

    std::vector<IValue> elements(const FlatVector& indices, int depth) {
        std::vector<IValue> out;
        for (std::size_t i = 0; i < indices.size(); ++i)
            out.push_back(value(indices.number<std::uint32_t>(i), depth + 1));
        return out;
    }
    template <typename From, typename To>
    static IValue numbers(const FlatVector& from, const TypePtr& type) {
        std::vector<IValue> out;
        for (std::size_t i = 0; i < from.size(); ++i) out.emplace_back(static_cast<To>(from.number<From>(i)));
        return make_ptr<ListObject>(type, std::move(out));
    }

    IValue list(const FlatTable& from, int depth) {
        const TypePtr type = lite_type(from.string(1), *unit_);
        if (type->kind() != TypeKind::List) throw_file_error(concat("FlatBuffer: a list of type ", type->str()));
        auto made = make_ptr<ListObject>(type->element(), elements(from.vector(0, 4), depth));
        check(made, *type);
        return made;
    }
    IValue dict(const FlatTable& from, int depth) {
        const TypePtr type = lite_type(from.string(2), *unit_);
        if (type->kind() != TypeKind::Dict) throw_file_error(concat("FlatBuffer: a dict of type ", type->str()));
        auto made = make_ptr<DictObject>(type->contained()[0], type->contained()[1]);
        const std::vector<IValue> keys = elements(from.vector(0, 4), depth);
        const std::vector<IValue> values = elements(from.vector(1, 4), depth);
        if (keys.size() != values.size()) throw_file_error("FlatBuffer: a dict with more keys than values");
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (!keys[i].is_string() && !keys[i].is_number())
                throw_file_error("FlatBuffer: a dict with keys that are none");
            made->set(keys[i], values[i]);
        }
        check(made, *type);
        return made;
    }
    static void check(const IValue& value, const Type& type) {
        if (!is_instance(value, type)) throw_file_error(concat("FlatBuffer: a value that is no ", type.str()));
    }

    // Its description, and its name.
    std::pair<FlatTable, std::string> class_of(const FlatTable& object) const {
        const FlatVector object_types = root_.vector(module_field::object_types, 4);
        const auto index = object.number<std::uint32_t>(object_field::type);
        if (index >= object_types.size())
            throw_file_error(concat("FlatBuffer: class ", index, " of ", object_types.size()));
        const FlatTable type = object_types.table(index);
        return {type, std::string(type.string(0))};
    }

    IValue object(const FlatTable& from, int depth) {
        const auto [type, plain_name] = class_of(from);
        const std::string name = plain_name.starts_with("__torch__.") ? plain_name : concat("__torch__.", plain_name);
        const auto how = type.number<std::uint8_t>(1);
        if (how == kWithSetState) {
            BytecodeFunction set_state =
                function(function_at(from.number<std::uint32_t>(object_field::set_state)), types::any());
            return Ptr<Object>(restore_lite_module(*unit_, name, std::move(set_state),
                                                   value(from.number<std::uint32_t>(object_field::state), depth + 1)));
        }
        if (how != kWithFields)
            throw Error(ErrorKind::Unsupported,
                        concat("an object of ", quote_name(name), ", a class of C++, which is not supported"));
        const FlatVector names = type.vector(2, 4);
        const FlatVector attributes = from.vector(object_field::attributes, 4);
        if (names.size() != attributes.size())
            throw_file_error(concat("FlatBuffer: an object of ", quote_name(name), " without all attributes"));
        const nn::ModulePtr module = make_lite_module(*unit_, name);
        for (std::size_t i = 0; i < names.size(); ++i) {
            add_lite_attribute(*module, std::string(names.string(i)),
                               value(attributes.number<std::uint32_t>(i), depth + 1));
        }
        return Ptr<Object>(module);
    }

    // --- tensors ---

    const Ptr<Storage>& storage(std::uint32_t index) {
        if (index >= storages_.size())
            throw_file_error(concat("FlatBuffer: storage ", index, " of ", storages_.size()));
        if (!opened_[index])
            opened_[index] = copy_to_storage(storages_.table(index).vector(0, 1).bytes(), MemoryCategory::Other);
        return opened_[index];
    }

    IValue tensor(const FlatTable& from) {
        if (from.has(tensor_field::quantized))
            throw Error(ErrorKind::Unsupported, "quantised tensors are not supported");
        const auto dtype = dtype_from_number(from.number<std::int8_t>(tensor_field::dtype));
        if (!dtype) throw Error(ErrorKind::Unsupported, "a tensor of a type that is not supported");
        const Dims sizes = dims(from.vector(tensor_field::sizes, 4));
        const Dims strides = dims(from.vector(tensor_field::strides, 4));
        const std::int64_t offset = from.number<std::int32_t>(tensor_field::offset);
        const auto number = from.number<std::uint32_t>(tensor_field::storage);
        const Ptr<Storage>& held = storage(number);
        if (sizes.size() != strides.size() ||
            !fits(sizes, strides, offset, held->bytes() / static_cast<std::size_t>(element_size(*dtype)))) {
            throw_file_error("FlatBuffer: a tensor that leaves its storage");
        }
        if (*dtype == ScalarType::Bool) normalise_bools({static_cast<std::byte*>(held->data()), held->bytes()});
        // A tensor in an attribute and in a list is written twice.
        const bool learns = from.number<std::uint8_t>(tensor_field::requires_grad) != 0 && is_differentiable(*dtype);
        std::string key = concat(number, " ", static_cast<int>(*dtype), " ", offset, " ", learns);
        for (const Dims* each : {&sizes, &strides}) {
            key += ";";
            for (const std::int64_t dim : *each) key += concat(dim, ",");
        }
        if (const auto known = tensors_.find(key); known != tensors_.end()) return known->second;
        const Tensor t =
            tensor_on(held, *dtype, {sizes.data(), sizes.size()}, {strides.data(), strides.size()}, offset);
        if (learns) set_requires_grad(t, true);
        tensors_.emplace(std::move(key), t);
        return t;
    }
    static Dims dims(const FlatVector& from) {
        Dims out;
        for (std::size_t i = 0; i < from.size(); ++i) out.push_back(from.number<std::int32_t>(i));
        return out;
    }
    // Sizes and strides have 32 bits, so that no product of two leaves 64.
    static bool fits(const Dims& sizes, const Dims& strides, std::int64_t offset, std::size_t elements) {
        if (offset < 0 || sizes.size() > 64) return false;
        std::int64_t last = offset;
        bool is_empty = false;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            if (sizes[i] < 0 || strides[i] < 0) return false;
            is_empty = is_empty || sizes[i] == 0;
            if (sizes[i] > 0) last += (sizes[i] - 1) * strides[i];
            if (last < 0) return false;
        }
        return is_empty || static_cast<std::uint64_t>(last) < elements;
    }

    // --- functions ---

    FlatTable function_at(std::uint32_t index) const {
        Tag tag{};
        const FlatTable from = entry(index, tag);
        if (tag != Tag::Function) throw_file_error("FlatBuffer: a method that is no function");
        return from.table(1);
    }

    BytecodeFunction function(const FlatTable& held, const TypePtr& self) {
        BytecodeFunction out;
        const FlatVector instructions = held.vector(function_field::instructions, 8);
        for (std::size_t i = 0; i < instructions.size(); ++i) {
            const std::size_t at = instructions.position(i);
            const auto code = held.at_position<std::uint8_t>(at);
            if (code >= kInstructions.size())
                throw Error(ErrorKind::Unsupported,
                            concat("bytecode instruction ", static_cast<int>(code), " is not supported"));
            out.instructions.push_back(
                {kInstructions[code], held.at_position<std::int32_t>(at + 4), held.at_position<std::uint16_t>(at + 2)});
        }
        const FlatVector operators = held.vector(function_field::operators, 4);
        for (std::size_t i = 0; i < operators.size(); ++i) {
            const FlatTable each = operators.table(i);
            out.operators.push_back(
                {std::string(each.string(0)), std::string(each.string(1)), each.number<std::int32_t>(2, -1)});
        }
        out.constants = elements(held.vector(function_field::constants, 4), 0);
        const FlatVector annotations = held.vector(function_field::types, 4);
        for (std::size_t i = 0; i < annotations.size(); ++i)
            out.types.push_back(lite_type(annotations.string(i), *unit_));
        if (held.has(function_field::schema)) read_schema(held.table(function_field::schema), self, out.schema);
        return out;
    }

    void read_schema(const FlatTable& from, const TypePtr& self, FunctionSchema& schema) {
        for (const bool is_return : {false, true}) {
            const FlatVector all = from.vector(is_return ? 1 : 0, 4);
            for (std::size_t i = 0; i < all.size(); ++i) {
                const FlatTable each = all.table(i);
                Argument argument;
                argument.name = std::string(each.string(0));
                const bool is_self = !is_return && i == 0;
                argument.type = is_self ? self : lite_type(each.string(1), *unit_);
                const IValue given = value(each.number<std::uint32_t>(2), 0);
                if (!given.is_none() && !is_self) argument.default_value = given;
                (is_return ? schema.returns : schema.arguments).push_back(std::move(argument));
            }
        }
    }

    struct Built {
        std::optional<IValue> value;
        bool is_under_way = false;
    };

    FlatTable root_;
    FlatVector values_;
    std::vector<Built> built_;
    FlatVector storages_;
    std::vector<Ptr<Storage>> opened_;
    std::unordered_map<std::string, Tensor> tensors_;
    Ptr<ir::CompilationUnit> unit_;
    std::size_t made_ = 0;
};

}  // namespace

ModelFile read_lite_flatbuffer(const Ptr<MappedFile>& file) { return FlatReader(file).read(); }

}  // namespace loupe

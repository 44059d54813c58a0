// SPDX-License-Identifier: Apache-2.0
#include "core/dispatch/registry.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe {
namespace {

// "aten::_log_softmax" -> "LogSoftmaxBackward0", "aten::log1p" -> "Log1PBackward0", as PyTorch's generator names nodes:
// a letter behind anything but a letter is a capital.
std::string default_node_name(std::string_view name) {
    if (const auto colon = name.rfind(':'); colon != std::string_view::npos) name.remove_prefix(colon + 1);
    std::string out;
    bool upper = true;
    for (const char c : name) {
        if (c == '_') {
            upper = true;
        } else {
            out += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
            upper = c >= '0' && c <= '9';
        }
    }
    return out + "Backward0";
}

bool is_tensor_list(const Type& type) {
    if (type.kind() != TypeKind::List) return false;
    const Type& element = *type.element();
    return element.kind() == TypeKind::Tensor ||
           (element.kind() == TypeKind::Optional && element.element()->kind() == TypeKind::Tensor);
}

bool is_tensor(const Type& type) {
    return type.kind() == TypeKind::Tensor ||
           (type.kind() == TypeKind::Optional && type.element()->kind() == TypeKind::Tensor);
}

void derive_saves(Operator& op) {
    if (!op.record->derivative) return;
    for (const Argument& argument : op.schema.arguments) {
        const std::int32_t key = ArgumentPlace::hash(argument.name);
        if (std::find(op.argument_keys.begin(), op.argument_keys.end(), key) != op.argument_keys.end())
            throw Error(ErrorKind::Internal, concat(op.full_name, " has two arguments of one hash: ", argument.name));
        op.argument_keys.push_back(key);
    }
    const Derivative& derivative = op.record->derivative;
    for (std::size_t i = 0; i < derivative.save_count; ++i) {
        const Save& save = derivative.saves[i];
        op.saves.push_back(
            {static_cast<std::int8_t>(op.place_of(save.place)), save.is_result,
             save.is_conditional ? static_cast<std::int8_t>(op.place_of(save.if_needed)) : std::int8_t{-1}});
    }
}

void derive_facts(Operator& op) {
    op.full_name = op.schema.full_name();
    derive_saves(op);
    op.takes_sparse = op.record->sparse.as_is || !op.schema.name.starts_with("aten::");
    for (std::size_t i = 0; i < op.schema.arguments.size() && i < 64; ++i) {
        const Argument& argument = op.schema.arguments[i];
        const std::uint64_t bit = std::uint64_t{1} << i;
        if (is_tensor(*argument.type)) op.tensor_arguments |= bit;
        if (is_tensor_list(*argument.type)) op.list_arguments |= bit;
        if (argument.name == "device") op.device_argument = static_cast<std::int8_t>(i);
        if (argument.alias && argument.alias->is_write) op.written_arguments |= bit;
        if (argument.element_alias && argument.element_alias->is_write) op.written_elements |= bit;
    }
    for (const std::string_view name : split(op.record->writes, ' ')) {
        if (name.empty()) continue;
        const auto place = op.schema.find_argument(name);
        if (!place) throw Error(ErrorKind::Internal, concat(op.full_name, " has no argument ", name));
        op.unmarked_writes |= std::uint64_t{1} << *place;
    }
    for (const Argument& result : op.schema.returns) {
        std::int8_t source = -1;
        if (const auto& result_alias = result.alias ? result.alias : result.element_alias) {
            for (std::size_t i = 0; i < op.schema.arguments.size(); ++i) {
                const auto& alias = op.schema.arguments[i].alias;
                if (alias && alias->set == result_alias->set) source = static_cast<std::int8_t>(i);
            }
            const bool is_written = source >= 0 && (op.written_arguments >> source & 1) != 0;
            if (source >= 0 && !is_written && (op.tensor_arguments >> source & 1) != 0) {
                op.is_view = true;
                op.is_multi_output_view |= result.type->kind() == TypeKind::List;
            }
        }
        op.result_alias.push_back(source);
    }
    op.works_anywhere = op.record->placement == Placement::Anywhere || op.is_view;
    const bool takes_any = op.works_anywhere || op.is_composite() || !op.schema.name.starts_with("aten::");
    op.dtypes = takes_any ? kAnyDtype : op.record->dtypes.taken;
}

class Registry {
  public:
    Registry() {
        for (const OperatorFamily& family : operator_families()) add_family(family);
    }

    void add_family(const OperatorFamily& family) {
        for (const OperatorRecord* record : family.records) add_record(*record, family.name);
    }

    const Operator* find(std::string_view full_name) const {
        const auto found = by_full_name_.find(full_name);
        return found == by_full_name_.end() ? nullptr : found->second;
    }
    std::span<const Operator* const> named(std::string_view name) const {
        const auto found = by_name_.find(name);
        if (found == by_name_.end()) return {};
        return found->second;
    }
    std::span<const Operator* const> all() const { return all_; }

  private:
    void add_record(const OperatorRecord& record, std::string_view family) {
        const auto kernels = std::make_shared<KernelTable>();
        if (record.kernel.function != nullptr) {
            kernels->candidates[static_cast<std::size_t>(DeviceType::Cpu)].push_back(
                {"portable", record.kernel.function, nullptr});
        }
        const FunctionSchema schema = parse_schema(record.schema);
        const std::string node_name = record.derivative.node_name.empty() ? default_node_name(schema.name)
                                                                          : std::string(record.derivative.node_name);
        const auto add = [&](FunctionSchema variant_schema, OperatorVariant variant) {
            auto op = std::make_unique<Operator>();
            op->record = &record;
            op->variant = variant;
            op->schema = std::move(variant_schema);
            op->node_name = node_name;
            op->family = family;
            op->kernels = kernels;
            derive_facts(*op);
            insert(std::move(op));
        };
        add(schema, OperatorVariant::Functional);
        if ((record.variants & kInPlace) != 0) add(in_place_schema(schema), OperatorVariant::InPlace);
        if ((record.variants & kOut) != 0) add(out_schema(schema, record.out), OperatorVariant::Out);
    }

    void insert(std::unique_ptr<Operator> op) {
        if (by_full_name_.contains(op->full_name)) {
            throw Error(ErrorKind::Internal, concat("operator ", op->full_name, " is registered twice"));
        }
        const Operator* pointer = op.get();
        owned_.push_back(std::move(op));
        all_.push_back(pointer);
        by_full_name_.emplace(pointer->full_name, pointer);
        by_name_[pointer->schema.name].push_back(pointer);
    }

    static FunctionSchema in_place_schema(FunctionSchema schema) {
        schema.name += "_";
        const AliasInfo written{.set = "a", .set_after = "a", .is_write = true};
        schema.arguments.front().alias = written;
        schema.returns.front().alias = written;
        schema.returns.front().name.clear();
        return schema;
    }

    static FunctionSchema out_schema(FunctionSchema schema, const OutForm& form) {
        const std::vector<std::string_view> names = split(form.names, ' ');
        const std::size_t count = schema.returns.size();
        if (!form.names.empty() && names.size() != count) {
            throw Error(ErrorKind::Internal,
                        concat(schema.full_name(), " has ", count, " results, its out= form names ", names.size()));
        }
        schema.overload = form.overload;
        for (std::size_t i = 0; i < count; ++i) {
            const std::string set(1, static_cast<char>('a' + i));
            const AliasInfo written{.set = set, .set_after = set, .is_write = true};
            Argument out = schema.returns[i];
            if (!form.names.empty())
                out.name = names[i];
            else if (count == 1)
                out.name = "out";
            else if (out.name.empty())
                out.name = concat("out", i);
            out.kwarg_only = true;
            out.alias = written;
            schema.arguments.push_back(std::move(out));
            schema.returns[i].alias = written;
            if (!form.names.empty()) schema.returns[i].name.clear();
        }
        return schema;
    }

    std::vector<std::unique_ptr<Operator>> owned_;
    std::vector<const Operator*> all_;
    std::map<std::string, std::vector<const Operator*>, std::less<>> by_name_;
    std::unordered_map<std::string_view, const Operator*> by_full_name_;
};

Registry& registry() {
    static auto* instance = new Registry;  // never destroyed: plugins and static tensors may outlive main
    return *instance;
}

}  // namespace

std::size_t Operator::place_of(ArgumentPlace argument) const {
    if (!argument.is_name()) return static_cast<std::size_t>(argument.key());
    const auto found = std::find(argument_keys.begin(), argument_keys.end(), argument.key());
    if (found == argument_keys.end())
        throw Error(ErrorKind::Internal, concat("the derivative of ", full_name, " names an argument that it lacks"));
    return static_cast<std::size_t>(found - argument_keys.begin());
}

const Operator* find_operator(std::string_view name, std::string_view overload) {
    if (overload.empty()) return registry().find(name);
    return registry().find(concat(name, ".", overload));
}
const Operator* find_operator(std::string_view full_name) { return registry().find(full_name); }
std::span<const Operator* const> operators_named(std::string_view name) { return registry().named(name); }
std::span<const Operator* const> all_operators() { return registry().all(); }

bool register_kernel(std::string_view full_name, DeviceType device, KernelCandidate candidate) {
    const Operator* op = find_operator(full_name);
    if (op == nullptr) return false;
    auto& list = op->kernels->candidates[static_cast<std::size_t>(device)];
    list.insert(list.begin(), std::move(candidate));
    return true;
}

void register_family(const OperatorFamily& family) { registry().add_family(family); }

}  // namespace loupe

// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the rules for nested tensors share: a call under way, and PyTorch's ways to write sizes.

#include <map>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/base/typed_error.h"
#include "core/dispatch/call.h"
#include "core/tensor/nested.h"

namespace loupe::nested_ops {

[[noreturn]] inline void fail(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

struct Call {
    const Operator& op;
    Arguments arguments;

    std::string name() const {  // "add.Tensor", "sin.default"
        std::string out(std::string_view(op.full_name).substr(std::string_view(op.full_name).find(':') + 2));
        return out.find('.') == std::string::npos ? out + ".default" : out;
    }
    std::string function() const { return name().substr(0, name().find('.')); }
    bool is_tensor(std::size_t i) const { return i < arguments.size() && arguments[i].is_tensor(); }
    bool has_jagged(std::size_t i) const { return is_tensor(i) && is_jagged(arguments[i].to_tensor()); }
    bool has_strided(std::size_t i) const { return is_tensor(i) && is_strided_nested(arguments[i].to_tensor()); }
    Tensor tensor(std::size_t i) const { return arguments[i].to_tensor(); }
    Dims integers(std::size_t i) const {
        Dims out;
        for (const IValue& each : arguments[i].to_list().elements) out.push_back(each.to_int());
        return out;
    }
    std::vector<IValue> copied() const { return {arguments.begin(), arguments.end()}; }
    std::vector<IValue> run(const std::vector<IValue>& changed) const {
        std::vector<IValue> results(op.result_count());
        call_operator(op, changed, results.data());
        return results;
    }
    bool is_in_place() const {
        return op.variant == OperatorVariant::InPlace || std::string_view(op.schema.name).ends_with('_');
    }
};

using Rule = void (*)(const Call& call, IValue* results);
using RuleTable = std::map<std::string_view, Rule>;

// "(2, j1, 4)".
inline std::string tuple_text(IntSpan sizes) {
    std::vector<std::string> texts;
    for (const std::int64_t size : sizes) texts.push_back(size_text(size));
    return concat("(", join(texts, ", "), sizes.size() == 1 ? ",)" : ")");
}
// "torch.Size([2, j1, 4])".
inline std::string size_object_text(IntSpan sizes) { return concat("torch.Size(", shape_list_text(sizes), ")"); }

}  // namespace loupe::nested_ops

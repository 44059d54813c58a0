// SPDX-License-Identifier: Apache-2.0
#include "core/ops/numbers/text.h"

#include "core/base/strings.h"

namespace loupe::numbers {
namespace {

template <typename Range, typename ToText>
std::string joined(const Range& values, ToText to_text) {
    std::vector<std::string> parts;
    for (const auto& value : values) parts.push_back(to_text(value));
    return join(parts, ", ");
}

std::string element_text(const IValue& value) { return stream_text(value); }

}  // namespace

std::string stream_text(const IValue& value) {
    switch (value.tag()) {
        case IValue::Tag::Tensor:
            return stream_text(value.to_tensor());
        case IValue::Tag::String:
            return value.to_string();
        case IValue::Tag::List:
            return concat("[", joined(value.to_list().elements, element_text), "]");
        case IValue::Tag::Tuple: {
            const auto& elements = value.to_tuple().elements;
            return concat("(", joined(elements, element_text), elements.size() == 1 ? ",)" : ")");
        }
        case IValue::Tag::Dict:
            return concat("{",
                          joined(value.to_dict().entries(),
                                 [](const DictObject::Entry& entry) {
                                     return concat(stream_text(entry.first), ": ", stream_text(entry.second));
                                 }),
                          "}");
        default:
            return constant_text(value);
    }
}

}  // namespace loupe::numbers

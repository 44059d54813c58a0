// SPDX-License-Identifier: Apache-2.0
#include "core/study/recorded_call.h"

#include <algorithm>
#include <charconv>

#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/dispatch.h"
#include "core/model/literal.h"
#include "core/study/event_arguments.h"
#include "core/tensor/device_copy.h"

namespace loupe::session {
namespace {

bool has_bit(std::uint64_t bits, std::size_t i) { return (bits >> i & 1) != 0; }

bool is_optional(const Argument& argument) { return argument.type->kind() == TypeKind::Optional; }

// Of a list of tensors that is written, since it holds None or is one of several: "[None, Tensor(float32 [3])]",
// "[2 tensors]".
std::vector<bool> given_in(std::string_view list) {
    std::vector<bool> given;
    if (list.ends_with(" tensors]")) {
        std::size_t count = 0;
        std::from_chars(list.data() + 1, list.data() + list.size(), count);
        given.assign(std::min<std::size_t>(count, 1U << 16), true);
        return given;
    }
    int depth = 0;
    std::size_t begin = 1;
    for (std::size_t at = 1; at < list.size(); ++at) {
        const char c = list[at];
        if (c == '[' || c == '(') ++depth;
        const bool is_end = depth == 0 && (c == ',' || c == ']');
        if (is_end && at > begin) {
            given.push_back(list.substr(begin, at - begin).find("None") == std::string_view::npos);
            begin = at + 1;
        }
        if (c == ']' || c == ')') --depth;
    }
    return given;
}

class Assembly {
  public:
    Assembly(const Recording& recording, const Event& event, const ElementsOf& elements)
        : recording_(recording), event_(event), elements_(elements) {
        call_.op = find_operator(event.op, event.overload);
        if (call_.op == nullptr) throw Error(ErrorKind::Unsupported, concat(event.op, " is no operator with a record"));
    }

    RecordedCall result() {
        const Operator& op = *call_.op;
        count_lists();
        for (std::size_t i = 0; i < op.argument_count(); ++i) {
            const Argument& argument = op.schema.arguments[i];
            const auto written = written_argument(event_, argument.name);
            if (has_bit(op.tensor_arguments, i)) {
                const bool is_left_out = written == "None" || (is_optional(argument) && next_ >= event_.inputs.size());
                call_.arguments.push_back(is_left_out ? IValue() : IValue(next(i, -1, argument.name)));
            } else if (has_bit(op.list_arguments, i)) {
                call_.arguments.push_back(list(i, argument, written));
            } else if (written) {
                call_.arguments.push_back(literal(*written, argument));
            } else if (argument.default_value) {
                call_.arguments.push_back(*argument.default_value);
            } else {
                throw Error(ErrorKind::Unsupported, concat("argument ", argument.name, " was not recorded"));
            }
        }
        if (next_ != event_.inputs.size())
            throw Error(ErrorKind::Unsupported, concat("the arguments of ", op.full_name, " were not recorded whole"));
        check_results();
        return std::move(call_);
    }

  private:
    // A file may say anything: what is computed again is of the sizes that were recorded.
    void check_results() const {
        const auto made = infer_outputs(*call_.op, call_.arguments);
        if (!made || made->size() != event_.outputs.size()) return;
        for (std::size_t i = 0; i < made->size(); ++i) {
            if (event_.outputs[i] == 0) continue;
            const Shape& recorded = recording_.value(event_.outputs[i]).shape;
            const Dims& sizes = (*made)[i].sizes;
            if (!std::equal(recorded.begin(), recorded.end(), sizes.begin(), sizes.end()))
                throw Error(ErrorKind::Unsupported,
                            concat("the arguments of ", call_.op->full_name, " do not give what was recorded"));
        }
    }

    // Tensors that are left for lists whose length no text gives.
    void count_lists() {
        const Operator& op = *call_.op;
        std::size_t single = 0;
        for (std::size_t i = 0; i < op.argument_count(); ++i) {
            const auto written = written_argument(event_, op.schema.arguments[i].name);
            if (has_bit(op.tensor_arguments, i) && written != "None" && !is_optional(op.schema.arguments[i])) ++single;
            if (!has_bit(op.list_arguments, i) || written == "None") continue;
            if (written)
                for (const bool given : given_in(*written)) single += given ? 1 : 0;
            else
                ++lists_;
        }
        in_lists_ = event_.inputs.size() - std::min(single, event_.inputs.size());
        if (lists_ > 1 && in_lists_ % lists_ != 0)
            throw Error(ErrorKind::Unsupported, concat("the lists of ", op.full_name, " were not recorded apart"));
    }

    Tensor next(std::size_t argument, int element, std::string name) {
        if (next_ >= event_.inputs.size() || event_.inputs[next_] == 0)
            throw Error(ErrorKind::Unsupported, concat("argument ", name, " was not recorded"));
        const ValueId id = event_.inputs[next_++];
        const Tensor t = elements_(id);
        if (!t.defined())
            throw Error(ErrorKind::Usage,
                        concat("the elements of ", name, " of #", event_.id, " ", event_.op, " were not kept"),
                        {.hint = "run again with values recorded"});
        call_.places.push_back({argument, element, id, std::move(name)});
        return detach(on_host(t));
    }

    IValue list(std::size_t i, const Argument& argument, std::optional<std::string_view> written) {
        if (written == "None") return {};
        std::vector<bool> given(written ? 0 : in_lists_ / lists_, true);
        if (written) given = given_in(*written);
        TensorList tensors;
        for (std::size_t k = 0; k < given.size(); ++k)
            tensors.push_back(given[k] ? next(i, static_cast<int>(k), concat(argument.name, "[", k, "]")) : Tensor());
        return as_list(argument, tensors);
    }
    static IValue as_list(const Argument& argument, const TensorList& tensors) {
        const bool has_none = std::any_of(tensors.begin(), tensors.end(), [](const Tensor& t) { return !t.defined(); });
        if (!has_none) return IValue(tensors);
        const Type& plain = is_optional(argument) ? *argument.type->element() : *argument.type;
        std::vector<IValue> elements;
        for (const Tensor& t : tensors) elements.push_back(t.defined() ? IValue(t) : IValue());
        return make_ptr<ListObject>(plain.element(), std::move(elements));
    }

    // Layouts, devices and the like that a literal does not spell are at their defaults as far as numbers go.
    static IValue literal(std::string_view written, const Argument& argument) {
        const Type& plain = is_optional(argument) ? *argument.type->element() : *argument.type;
        if (written == "None") return {};
        if (plain.kind() == TypeKind::Device) return IValue(Device());
        if (plain.kind() == TypeKind::List && written.front() != '[') {
            std::vector<IValue> one{literal_value(written, *plain.element())};
            return make_ptr<ListObject>(plain.element(), std::move(one));
        }
        return literal_value(written, plain);
    }

    const Recording& recording_;
    const Event& event_;
    const ElementsOf& elements_;
    RecordedCall call_;
    std::size_t next_ = 0;
    std::size_t lists_ = 0;
    std::size_t in_lists_ = 0;
};

}  // namespace

Tensor RecordedCall::tensor(const TensorPlace& place) const {
    const IValue& value = arguments[place.argument];
    return place.element < 0 ? value.to_tensor()
                             : value.to_list().elements[static_cast<std::size_t>(place.element)].to_tensor();
}

void RecordedCall::set_tensor(const TensorPlace& place, const Tensor& t) {
    if (place.element < 0) {
        arguments[place.argument] = t;
        return;
    }
    // A copy of the list: calls share it.
    const ListObject& list = arguments[place.argument].to_list();
    const auto changed = make_ptr<ListObject>(list.element_type, list.elements);
    changed->elements[static_cast<std::size_t>(place.element)] = t;
    arguments[place.argument] = IValue(changed);
}

RecordedCall recorded_call(const Recording& recording, const Event& event, const ElementsOf& elements) {
    return Assembly(recording, event, elements).result();
}

}  // namespace loupe::session

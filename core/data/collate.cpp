// SPDX-License-Identifier: Apache-2.0
#include "core/data/collate.h"

#include <algorithm>
#include <cstring>

#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/data/error.h"
#include "core/dispatch/functions.h"
#include "core/value/type.h"

namespace loupe::data {
namespace {

bool is_sequence(const IValue& value) { return value.is_list() || value.is_tuple(); }

const std::vector<IValue>& elements_of(const IValue& sequence) {
    return sequence.is_list() ? sequence.to_list().elements : sequence.to_tuple().elements;
}

IValue any_list(std::vector<IValue> elements) { return make_ptr<ListObject>(types::any(), std::move(elements)); }

// Python's name of the class.
std::string class_of(const IValue& value) {
    if (value.is_none()) return "<class 'NoneType'>";
    if (value.is_complex()) return "<class 'complex'>";
    if (value.is_device()) return "<class 'torch.device'>";
    return concat("<class '", value_type_name(value), "'>");
}

// Plain rows of the same layout are copied one after the other, without an operator's call.
bool can_copy_rows(const std::vector<IValue>& samples) {
    const Tensor first = samples.front().to_tensor();
    return std::all_of(samples.begin(), samples.end(), [&](const IValue& sample) {
        if (!sample.is_tensor()) return false;
        const TensorImpl& t = *sample.tensor_impl();
        return t.contiguous && t.dtype == first.dtype() && t.sizes == first.impl()->sizes &&
               t.storage->device().type == DeviceType::Cpu && !requires_grad(sample.to_tensor());
    });
}

Tensor stack(const std::vector<IValue>& samples) {
    if (!can_copy_rows(samples)) {
        TensorList tensors;
        for (const IValue& sample : samples) tensors.push_back(sample.to_tensor());
        return fn::stack(tensors, 0);
    }
    const Tensor first = samples.front().to_tensor();
    Dims sizes{static_cast<std::int64_t>(samples.size())};
    sizes.insert(sizes.end(), first.sizes().begin(), first.sizes().end());
    const Tensor out = empty(span_of(sizes), first.dtype());
    auto* to = static_cast<std::byte*>(out.raw_data());
    const std::size_t row = first.bytes();
    for (const IValue& sample : samples) {
        if (row != 0) std::memcpy(to, sample.to_tensor().raw_data(), row);
        to += row;
    }
    return out;
}

template <typename T, typename Get>
Tensor numbers(const std::vector<IValue>& samples, Get&& get) {
    const Dims sizes{static_cast<std::int64_t>(samples.size())};
    const Tensor out = empty(span_of(sizes), scalar_type_of<T>);
    std::transform(samples.begin(), samples.end(), out.data<T>(), get);
    return out;
}

// torch.tensor(numbers): whole ones are int64 until a float is among them.
Tensor collate_numbers(const std::vector<IValue>& samples) {
    const auto all = [&](auto is) { return std::all_of(samples.begin(), samples.end(), is); };
    if (!all([](const IValue& v) { return v.is_number(); }))
        throw_type_error("default_collate: a batch mixes numbers with other values");
    if (samples.front().is_double()) return numbers<double>(samples, [](const IValue& v) { return v.to_double(); });
    if (all([](const IValue& v) { return v.is_bool(); }))
        return numbers<bool>(samples, [](const IValue& v) { return v.to_bool(); });
    if (all([](const IValue& v) { return v.is_bool() || v.is_int(); })) {
        return numbers<std::int64_t>(samples, [](const IValue& v) { return v.to_int(); });
    }
    return numbers<float>(samples, [](const IValue& v) { return static_cast<float>(v.to_double()); });
}

class Collator {
  public:
    Collator(const CollateOther& other, const ClassText& class_text) : other_(other), class_text_(class_text) {}

    // is_column: the samples come out of zip(), as a tuple: texts stay one.
    IValue collate(const std::vector<IValue>& samples, bool is_column = false) const {
        const IValue& first = samples.front();
        if (first.is_tensor()) return stack(samples);
        if (first.is_double() || first.is_int() || first.is_bool()) return collate_numbers(samples);
        if (first.is_string()) return is_column ? IValue(make_ptr<TupleObject>(samples)) : any_list(samples);
        if (first.is_dict()) return collate_dicts(samples);
        if (is_sequence(first)) return collate_sequences(samples);
        if (other_) {
            if (auto batch = other_(samples)) return std::move(*batch);
        }
        fail(first);
    }

  private:
    [[noreturn]] void fail(const IValue& value) const {
        throw_type_error(
            concat("default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found ",
                   class_text_ ? class_text_(value) : class_of(value)));
    }

    IValue collate_dicts(const std::vector<IValue>& samples) const {
        const DictObject& first = samples.front().to_dict();
        const auto out = make_ptr<DictObject>(first.key_type, types::any());
        for (const auto& [key, ignored] : first.entries()) {
            std::vector<IValue> column;
            column.reserve(samples.size());
            for (const IValue& sample : samples) {
                const IValue* value = sample.is_dict() ? sample.to_dict().find(key) : nullptr;
                if (value == nullptr) throw ArgumentError("KeyError", python_repr(key));
                column.push_back(*value);
            }
            out->set(key, collate(column));
        }
        return out;
    }

    IValue collate_sequences(const std::vector<IValue>& samples) const {
        const std::size_t count = elements_of(samples.front()).size();
        for (const IValue& sample : samples) {
            if (!is_sequence(sample) || elements_of(sample).size() != count) {
                throw Error(ErrorKind::Run, "each element in list of batch should be of equal size");
            }
        }
        std::vector<IValue> batch;
        batch.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            std::vector<IValue> column;
            column.reserve(samples.size());
            for (const IValue& sample : samples) column.push_back(elements_of(sample)[i]);
            batch.push_back(collate(column, true));
        }
        const bool is_named = samples.front().is_tuple() && samples.front().to_tuple().type != nullptr;
        if (is_named) return make_ptr<TupleObject>(std::move(batch), samples.front().to_tuple().type);
        return any_list(std::move(batch));
    }

    const CollateOther& other_;
    const ClassText& class_text_;
};

}  // namespace

IValue default_collate(const std::vector<IValue>& samples, const CollateOther& other, const ClassText& class_text) {
    if (samples.empty()) throw_index_error("list index out of range");
    return Collator(other, class_text).collate(samples);
}

IValue default_convert(const IValue& sample) {
    if (sample.is_dict()) {
        const auto out = make_ptr<DictObject>(sample.to_dict().key_type, types::any());
        for (const auto& [key, value] : sample.to_dict().entries()) out->set(key, default_convert(value));
        return out;
    }
    if (!is_sequence(sample)) return sample;
    std::vector<IValue> converted;
    for (const IValue& element : elements_of(sample)) converted.push_back(default_convert(element));
    if (sample.is_tuple() && sample.to_tuple().type != nullptr) {
        return make_ptr<TupleObject>(std::move(converted), sample.to_tuple().type);
    }
    return any_list(std::move(converted));
}

}  // namespace loupe::data

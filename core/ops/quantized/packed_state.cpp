// SPDX-License-Identifier: Apache-2.0
// Objects of torch.classes from their pickled state: at::native's conv_serialization.h, RNN.cpp,
// fbgemm_utils.cpp.

#include <array>

#include "core/ops/quantized/packed.h"
#include "core/ops/quantized/quantized.h"

namespace loupe {

using namespace quantized_ops;

namespace {

template <typename... Parts>
void expect(bool holds, const Parts&... parts) {
    if (!holds) throw Error(ErrorKind::File, concat("packed parameters ", parts...));
}

const std::vector<IValue>& fields_of(const IValue& state, std::size_t count) {
    expect(state.is_tuple() && state.to_tuple().elements.size() == count, "whose state is no tuple of ", count);
    return state.to_tuple().elements;
}
const std::vector<IValue>& list_of(const IValue& value) {
    expect(value.is_list(), "whose state lacks a list");
    return value.to_list().elements;
}
Tensor optional_tensor(const IValue& value) {
    expect(value.is_tensor() || value.is_none(), "whose bias is no tensor");
    return value.is_tensor() ? value.to_tensor() : Tensor();
}
std::int64_t integer(const IValue& value) {
    expect(value.is_int(), "whose state lacks an integer");
    return value.to_int();
}
std::vector<std::int64_t> integers_of(const Tensor& t) {
    expect(is_integral(t.dtype()) && !t.is_sparse(), "whose settings are no integers");
    const Tensor wide = fn::contiguous(fn::to_dtype(t, number_of(ScalarType::Int64)), 0);
    return {wide.data<std::int64_t>(), wide.data<std::int64_t>() + wide.numel()};
}

// (weight, bias)
IValue linear(const IValue& state) {
    const auto& fields = fields_of(state, 2);
    expect(fields[0].is_tensor(), "of a linear layer that are no weight and bias");
    return pack_linear(fields[0].to_tensor(), optional_tensor(fields[1]));
}

// Dimensions, stride, padding, dilation, output_padding, groups, flags.
ConvSettings settings_of(const std::vector<std::int64_t>& numbers) {
    const std::int64_t dims = numbers.empty() ? 0 : numbers[0];
    expect((dims == 2 || dims == 3) && numbers.size() == static_cast<std::size_t>(4 * dims + 3),
           "of a convolution with ", numbers.size(), " settings");
    const auto part = [&](std::int64_t i) {
        const auto begin = numbers.begin() + 1 + i * dims;
        return Dims(begin, begin + dims);
    };
    const std::int64_t flags = numbers.back();
    expect(flags == 0 || flags == 1, "of a convolution with the flags ", flags);
    return {part(0), part(1), part(2), part(3), numbers[numbers.size() - 2], flags == 1};
}

// Before versions had numbers: (weight, bias, stride, padding, dilation, groups), of tensors.
IValue conv_of_tensors(const IValue& state) {
    const auto& fields = fields_of(state, 6);
    const auto numbers = [&](std::size_t i) {
        Dims all;
        for (const IValue& each : list_of(fields[i])) {
            expect(each.is_tensor(), "whose settings are no tensors");
            for (const std::int64_t number : integers_of(each.to_tensor())) all.push_back(number);
        }
        return all;
    };
    expect(fields[0].is_tensor() && fields[5].is_tensor(), "whose state lacks a tensor");
    const std::vector<std::int64_t> groups = integers_of(fields[5].to_tensor());
    expect(groups.size() == 1, "of a convolution without groups");
    ConvSettings settings{numbers(2), numbers(3), numbers(4), {}, groups[0]};
    settings.output_padding.assign(settings.stride.size(), 0);
    return pack_conv(fields[0].to_tensor(), optional_tensor(fields[1]), settings);
}

// ("2", [settings, weight], [bias]) or (3, settings, [None, weight, bias])
IValue conv(const IValue& state) {
    expect(state.is_tuple() && !state.to_tuple().elements.empty(), "whose state is no tuple");
    if (state.to_tuple().elements[0].is_tensor()) return conv_of_tensors(state);
    const auto& fields = fields_of(state, 3);
    if (fields[0].is_string()) {
        expect(fields[0].to_string() == "2", "of version ", fields[0].to_string(), ", which is not known");
        const auto& tensors = list_of(fields[1]);
        const auto& optional = list_of(fields[2]);
        expect(tensors.size() == 2 && optional.size() == 1 && tensors[0].is_tensor() && tensors[1].is_tensor(),
               "of a convolution that are no settings, weight and bias");
        return pack_conv(tensors[1].to_tensor(), optional_tensor(optional[0]),
                         settings_of(integers_of(tensors[0].to_tensor())));
    }
    expect(integer(fields[0]) == 3, "of version ", integer(fields[0]), ", which is not known");
    std::vector<std::int64_t> numbers;
    for (const IValue& number : list_of(fields[1])) numbers.push_back(integer(number));
    const auto& optional = list_of(fields[2]);
    expect(optional.size() == 3 && optional[1].is_tensor(), "of a convolution without a weight");
    return pack_conv(optional[1].to_tensor(), optional_tensor(optional[2]), settings_of(numbers));
}

// (1, [weight], [], [bit rate])
IValue embedding(const IValue& state) {
    const auto& fields = fields_of(state, 4);
    expect(integer(fields[0]) == 1, "of version ", integer(fields[0]), ", which is not known");
    const auto& tensors = list_of(fields[1]);
    expect(tensors.size() == 1 && tensors[0].is_tensor(), "of an embedding without a weight");
    return pack_embedding(tensors[0].to_tensor());
}

// Of plain weights: tensors [w_ih, w_hh, b_ih, b_hh, ...] of int8 and float32, a scale and a zero point each.
IValue cell_of_weights(const std::vector<IValue>& fields) {
    const auto &tensors = list_of(fields[1]), &scales = list_of(fields[2]), &points = list_of(fields[3]);
    expect(tensors.size() >= 4 && scales.size() == 2 && points.size() == 2, "of a recurrent cell without weights");
    const auto layer = [&](std::size_t i) {
        expect(tensors[i].is_tensor() && tensors[i].to_tensor().dtype() == ScalarType::Int8 &&
                   !tensors[i].to_tensor().is_sparse() && scales[i].is_double(),
               "of a recurrent cell whose weights are not of int8");
        const Tensor weight = make_quantized(tensors[i].to_tensor(), scales[i].to_double(), integer(points[i]));
        return pack_linear(weight, optional_tensor(tensors[i + 2])).to_other_as<PackedLinear>();
    };
    return IValue::other(make_ptr<PackedCell>(layer(0), layer(1), false));
}

// (kind, tensors, floats, integers, linear layers)
IValue cell(const IValue& state) {
    const auto& fields = fields_of(state, 5);
    expect(fields[0].is_string(), "of a recurrent cell without a kind");
    const std::string& kind = fields[0].to_string();
    const auto& layers = list_of(fields[4]);
    const auto& numbers = list_of(fields[3]);
    if (kind == "quantized") return cell_of_weights(fields);
    if (kind != "quantized_dynamic" && kind != "quantized_fp16") {
        throw Error(ErrorKind::Unsupported,
                    concat("holds a recurrent cell of the kind ", "'", kind, "'", ", which is not supported"));
    }
    expect(layers.size() == 2 && layers[0].is_other() && layers[1].is_other(), "of a recurrent cell without layers");
    const auto first = layers[0].to_other_as<PackedLinear>(), second = layers[1].to_other_as<PackedLinear>();
    expect(first != nullptr && second != nullptr, "of a recurrent cell without linear layers");
    const bool reduces = kind == "quantized_dynamic" && !numbers.empty() && integer(numbers[0]) != 0;
    return IValue::other(make_ptr<PackedCell>(first, second, reduces));
}

struct PackedClass {
    std::string_view name;  // after "__torch__.torch.classes."
    IValue (*make)(const IValue& state);
};
constexpr std::array kClasses{
    PackedClass{"quantized.LinearPackedParamsBase", linear}, PackedClass{"quantized.Conv2dPackedParamsBase", conv},
    PackedClass{"quantized.Conv3dPackedParamsBase", conv},
    PackedClass{"quantized.EmbeddingPackedParamsBase", embedding}, PackedClass{"rnn.CellParamsBase", cell}};

const PackedClass* find_class(std::string_view name) {
    constexpr std::string_view kPrefix = "__torch__.torch.classes.";
    if (!name.starts_with(kPrefix)) return nullptr;
    const auto* const found = std::ranges::find(kClasses, name.substr(kPrefix.size()), &PackedClass::name);
    return found == kClasses.end() ? nullptr : found;
}

}  // namespace

bool is_packed_class(std::string_view class_name) { return find_class(class_name) != nullptr; }

IValue unpickle_packed(std::string_view class_name, const IValue& state) {
    const PackedClass* const found = find_class(class_name);
    return found == nullptr ? IValue() : found->make(state);
}

}  // namespace loupe

// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/hostile_arguments.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/ops/random/mersenne_twister.h"
#include "core/ops/random/random.h"
#include "core/ops/samples.h"

namespace loupe::fuzz {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

constexpr std::array<std::int64_t, 22> kInts{
    0,         1,         -1,           2,         -2,    3,         4,      5,          7,       -5,        16, 100,
    1LL << 31, 1LL << 40, -(1LL << 40), 1LL << 62, kMost, kMost - 1, kLeast, kLeast + 1, 1000003, 0xffffffff};
constexpr std::array<std::int64_t, 8> kTameInts{0, 1, -1, 2, 3, 1, 2, -2};
constexpr std::array<double, 14> kDoubles{0,    1,     -1,        0.5,        2,    1e-5,   -0.0,
                                          1e30, 1e308, kInfinity, -kInfinity, kNan, 5e-324, -1e19};
constexpr std::array<const char*, 20> kTexts{
    "",     "none",     "mean", "sum", "ij,jk->ik", "i,i->", "...ij->...", "trunc", "floor",   "tanh",
    "left", "bilinear", "fro",  "nuc", "{}",        "%d%s",  "reflect",    "ortho", "reduced", "a\xff\x00z"};
constexpr std::array<ScalarType, 12> kDtypes{ScalarType::Float32,    ScalarType::Float64,   ScalarType::Int64,
                                             ScalarType::Bool,       ScalarType::UInt8,     ScalarType::BFloat16,
                                             ScalarType::Float16,    ScalarType::Complex64, ScalarType::Int32,
                                             ScalarType::Complex128, ScalarType::Int8,      ScalarType::Int16};

// Shapes that fit each other now and then.
std::vector<std::int64_t> draw_shape(Draw& draw) {
    static const std::array<std::vector<std::int64_t>, 18> kShapes{{{},
                                                                    {0},
                                                                    {1},
                                                                    {3},
                                                                    {2, 3},
                                                                    {3, 3},
                                                                    {3, 3},
                                                                    {2, 0},
                                                                    {0, 3},
                                                                    {2, 3, 4},
                                                                    {1, 3, 3},
                                                                    {2, 3, 3},
                                                                    {1, 2, 5, 5},
                                                                    {2, 2, 3, 3},
                                                                    {0, 2, 3, 3},
                                                                    {1, 2, 3, 3, 3},
                                                                    {1, 1, 1, 1, 1, 1},
                                                                    {70}}};
    return draw.pick(kShapes);
}

Tensor extreme_indices(Draw& draw, const std::vector<std::int64_t>& shape) {
    Tensor t = empty(shape, ScalarType::Int64);
    std::generate_n(t.data<std::int64_t>(), t.numel(),
                    [&] { return draw.one_in(3) ? draw.pick(kInts) : draw.pick(kTameInts); });
    return t;
}

// Views of other layouts: a stride of nought, steps of two, transposed.
Tensor relaid(Draw& draw, const Tensor& t) {
    if (t.dim() == 0 || !draw.one_in(4)) return t;
    Dims sizes = to_dims(t.sizes());
    Dims strides = to_dims(t.strides());
    switch (draw.below(3)) {
        case 0:
            strides[draw.below(strides.size())] = 0;
            break;
        case 1: {
            const std::size_t d = draw.below(sizes.size());
            sizes[d] = (sizes[d] + 1) / 2;
            strides[d] *= 2;
            break;
        }
        default:
            std::reverse(sizes.begin(), sizes.end());
            std::reverse(strides.begin(), strides.end());
    }
    return t.view_as_strided(span_of(sizes), span_of(strides), t.storage_offset());
}

Tensor draw_tensor(Draw& draw) {
    const auto shape = draw_shape(draw);
    if (draw.one_in(5)) return relaid(draw, extreme_indices(draw, shape));
    const ScalarType dtype = draw.one_in(2) ? ScalarType::Float32 : draw.pick(kDtypes);
    Random random;
    Tensor t = random_tensor(random, shape, dtype);
    if (t.numel() > 0 && dtype == ScalarType::Float32 && draw.one_in(4)) {
        t.data<float>()[draw.below(static_cast<std::size_t>(t.numel()))] = static_cast<float>(draw.pick(kDoubles));
    }
    t = relaid(draw, t);
    if (is_differentiable(dtype) && draw.one_in(3)) set_requires_grad(t, true);
    return t;
}

IValue draw_list(const Type& element, Draw& draw, const std::optional<std::int64_t>& size);

IValue draw_scalar(Draw& draw) {
    switch (draw.below(4)) {
        case 0:
            return draw.pick(kDoubles);
        case 1:
            return std::complex<double>(draw.pick(kDoubles), draw.pick(kDoubles));
        case 2:
            return draw.one_in(2);
        default:
            return draw.pick(kInts);
    }
}

IValue draw_any(Draw& draw) {
    switch (draw.below(6)) {
        case 0:
            return draw_tensor(draw);
        case 1:
            return std::string(draw.pick(kTexts));
        case 2:
            return draw_list(*types::integer(), draw, {});
        case 3:
            return IValue();
        default:
            return draw_scalar(draw);
    }
}

IValue draw_dict(const Type& type, Draw& draw);

IValue draw_value(const Type& type, Draw& draw, const std::optional<std::int64_t>& size = {}) {
    switch (type.kind()) {
        case TypeKind::Tensor:
            return draw.one_in(40) ? IValue() : IValue(draw_tensor(draw));
        case TypeKind::Int:
            return draw.one_in(2) ? draw.pick(kTameInts) : draw.pick(kInts);
        case TypeKind::Float:
            return draw.pick(kDoubles);
        case TypeKind::Complex:
            return std::complex<double>(draw.pick(kDoubles), draw.pick(kDoubles));
        case TypeKind::Bool:
            return draw.one_in(2);
        case TypeKind::Number:
            return draw_scalar(draw);
        case TypeKind::String:
            return std::string(draw.pick(kTexts));
        case TypeKind::Device:
            return Device{};
        case TypeKind::Generator:
            return IValue::other(make_ptr<MersenneTwister>());
        case TypeKind::Optional:
            return draw.one_in(2) ? IValue() : draw_value(*type.element(), draw, size);
        case TypeKind::List:
            return draw_list(*type.element(), draw, size);
        case TypeKind::AnyList:
            return draw_list(*types::integer(), draw, {});
        case TypeKind::Dict:
            return draw_dict(type, draw);
        case TypeKind::Tuple: {
            std::vector<IValue> elements;
            for (const TypePtr& element : type.contained()) elements.push_back(draw_value(*element, draw));
            return make_ptr<TupleObject>(std::move(elements));
        }
        case TypeKind::Any:
        case TypeKind::Var:
            return draw_any(draw);
        default:
            return {};
    }
}

IValue draw_list(const Type& element, Draw& draw, const std::optional<std::int64_t>& size) {
    const auto list = make_ptr<ListObject>(&element);
    std::size_t count = draw.below(5);
    if (size && !draw.one_in(4)) count = static_cast<std::size_t>(*size);
    const bool tame = draw.one_in(2);
    for (std::size_t i = 0; i < count; ++i) {
        if (tame && element.kind() == TypeKind::Int)
            list->elements.push_back(draw.pick(kTameInts));
        else
            list->elements.push_back(draw_value(element, draw));
    }
    return list;
}

IValue draw_dict(const Type& type, Draw& draw) {
    const auto dict = make_ptr<DictObject>(type.contained()[0], type.contained()[1]);
    for (std::size_t i = draw.below(3); i > 0; --i) {
        IValue key = draw_value(*type.contained()[0], draw);
        if (key.is_list() || key.is_none()) continue;
        dict->set(std::move(key), draw_value(*type.contained()[1], draw));
    }
    return dict;
}

IValue draw_argument(const Argument& argument, Draw& draw) {
    if (argument.default_value && draw.one_in(2)) return *argument.default_value;
    return draw_value(*argument.type, draw, argument.list_size);
}

// A copy that an operator may write to, of what is not shared by others.
IValue own(const IValue& value) {
    if (!value.is_list()) return value;
    return make_ptr<ListObject>(value.to_list().element_type, value.to_list().elements);
}

// Arguments that fit, of the dtypes that the record has samples of; empty when there are none.
std::vector<IValue> sample_arguments(const Operator& op, Draw& draw) {
    if (op.record->samples == nullptr) return {};
    Random random;
    std::vector<Sample> samples;
    try {
        samples = op.record->samples(random, draw.one_in(2) ? ScalarType::Float32 : draw.pick(kDtypes));
    } catch (const Error&) {
        return {};
    }
    if (samples.empty()) return {};
    std::vector<IValue> arguments = draw.pick(samples).arguments;
    for (IValue& value : arguments) value = own(value);
    const auto& wanted = op.schema.arguments;
    for (std::size_t i = arguments.size(); i < wanted.size(); ++i) {
        arguments.push_back(wanted[i].default_value ? *wanted[i].default_value : draw_argument(wanted[i], draw));
    }
    for (const IValue& value : arguments) {
        if (value.is_tensor() && is_differentiable(value.to_tensor().dtype()) &&
            op.variant == OperatorVariant::Functional) {
            set_requires_grad(value.to_tensor(), draw.one_in(2));
        }
    }
    return arguments;
}

std::string describe_value(const IValue& value) {
    if (value.is_tensor()) {
        const Tensor t = value.to_tensor();
        std::string text =
            concat(describe(t), " strides ", shape_list_text(t.strides()), requires_grad(t) ? " grad" : "");
        if (t.dtype() == ScalarType::Int64 && t.numel() > 0) text += concat(" from ", *t.data<std::int64_t>());
        return text;
    }
    if (value.is_list()) {
        std::string text = "[";
        for (const IValue& element : value.to_list().elements) text += describe_value(element) + ", ";
        return text + "]";
    }
    return python_repr(value);
}

}  // namespace

std::vector<IValue> hostile_arguments(const Operator& op, std::size_t round, Draw& draw) {
    const auto& wanted = op.schema.arguments;
    std::vector<IValue> arguments;
    if (round % 2 == 1) arguments = sample_arguments(op, draw);
    if (arguments.empty()) {
        for (const Argument& argument : wanted) arguments.push_back(draw_argument(argument, draw));
        return arguments;
    }
    if (wanted.empty()) return arguments;
    for (std::size_t n = 1 + draw.below(2); n > 0; --n) {
        const std::size_t i = draw.below(wanted.size());
        arguments[i] = draw_value(*wanted[i].type, draw, wanted[i].list_size);
    }
    return arguments;
}

std::string describe_call(const Operator& op, const std::vector<IValue>& arguments) {
    std::string text = op.full_name + "(";
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        text += concat(i == 0 ? "" : ", ", op.schema.arguments[i].name, "=", describe_value(arguments[i]));
    }
    return text + ")";
}

}  // namespace loupe::fuzz

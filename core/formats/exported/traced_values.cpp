// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/traced_values.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/exported/expression_fit.h"
#include "core/passes/fake_run.h"
#include "core/value/map_tensors.h"

namespace loupe::exported {
namespace {

using Kind = SymbolExpression::Kind;

SymbolExpression number(std::int64_t value) { return {Kind::Number, value}; }

// A number of elements that no size of a model is by chance.
constexpr std::int64_t kDataHint = 11;

std::vector<SymbolExpression> contiguous(const std::vector<SymbolExpression>& sizes) {
    std::vector<SymbolExpression> strides(sizes.size(), number(1));
    for (std::size_t d = sizes.size(); d-- > 1;) strides[d - 1] = product_of(strides[d], sizes[d]);
    return strides;
}

template <typename Values>
std::vector<SymbolExpression> numbers(const Values& values) {
    std::vector<SymbolExpression> out;
    for (const std::int64_t value : values) out.push_back(number(value));
    return out;
}

IValue map_elements(const IValue& value, const std::function<IValue(const IValue&)>& change) {
    if (value.is_list()) {
        std::vector<IValue> elements;
        for (const IValue& each : value.to_list().elements) elements.push_back(map_elements(each, change));
        return make_ptr<ListObject>(value.to_list().element_type, std::move(elements));
    }
    if (value.is_tuple()) {
        std::vector<IValue> elements;
        for (const IValue& each : value.to_tuple().elements) elements.push_back(map_elements(each, change));
        return make_ptr<TupleObject>(std::move(elements), value.to_tuple().type);
    }
    if (value.is_dict()) {
        const DictObject& dict = value.to_dict();
        const auto copy = make_ptr<DictObject>(dict.key_type, dict.value_type);
        for (const auto& [key, each] : dict.entries()) copy->set(key, map_elements(each, change));
        return copy;
    }
    return change(value);
}

void visit_leaves(const IValue& value, const std::function<void(const IValue&)>& visit) {
    if (value.is_list()) {
        for (const IValue& each : value.to_list().elements) visit_leaves(each, visit);
    } else if (value.is_tuple()) {
        for (const IValue& each : value.to_tuple().elements) visit_leaves(each, visit);
    } else if (value.is_dict()) {
        for (const auto& [key, each] : value.to_dict().entries()) visit_leaves(each, visit);
    } else {
        visit(value);
    }
}

}  // namespace

Ptr<SymbolicNumber> number_in(const IValue& value) {
    return value.is_other() ? value.to_other_as<SymbolicNumber>() : nullptr;
}

bool holds_number(const IValue& value) {
    bool found = false;
    visit_leaves(value, [&](const IValue& each) { found = found || number_in(each) != nullptr; });
    return found;
}

void TracedValues::add_symbol(const std::string& name, std::int64_t hint, const SymbolRange& range) {
    if (const auto found = symbols_.find(name); found != symbols_.end()) {
        if (found->second.hint.to_int() == hint) return;
        throw Error(ErrorKind::Usage,
                    concat("'", name, "' is ", found->second.hint.to_int(), " in one input and ", hint, " in another"));
    }
    // Distances that have many remainders, and differ between symbols.
    constexpr std::array<std::int64_t, kSamples> kSteps{1, 2, 3, 5, 8, 13, 22, 31};
    TracedSymbol symbol;
    symbol.hint = hint;
    symbol.range = range;
    const std::size_t turn = symbols_.size();
    for (std::size_t i = 0; i < kSamples; ++i) {
        std::int64_t value = hint + kSteps[(i + 3 * turn) % kSamples] + static_cast<std::int64_t>(turn);
        if (range.most && value > *range.most) {
            const std::int64_t least = std::max<std::int64_t>(range.least.value_or(1), 1);
            const std::int64_t width = std::max<std::int64_t>(*range.most - least + 1, 1);
            value = least + (value - least) % width;
        }
        symbol.samples.emplace_back(value);
    }
    symbols_.emplace(name, std::move(symbol));
}

SymbolExpression TracedValues::add_data_size() {
    const std::string name = concat("u", data_symbols_++);
    TracedSymbol symbol;
    symbol.is_data = true;
    symbol.hint = kDataHint;
    symbol.range.least = 0;
    for (std::size_t i = 0; i < kSamples; ++i)
        symbol.samples.emplace_back(kDataHint + 1 + static_cast<std::int64_t>(i * i + data_symbols_));
    symbols_.emplace(name, std::move(symbol));
    return {Kind::Symbol, 0, name};
}

Ptr<SymbolicNumber> TracedValues::add_data_number(TypeKind kind, const Tensor& item_of) {
    const auto made = make_ptr<SymbolicNumber>();
    made->kind = kind;
    made->is_data = true;
    made->target = "torch.ops.aten.item.default";
    made->arguments = {{"self", IValue(item_of)}};
    made->item_of = item_of;
    if (kind == TypeKind::Int) {
        made->expression = add_data_size();
        TracedSymbol& symbol = symbols_.at(made->expression.name);
        symbol.range = {};
        made->hint = symbol.hint;
        made->samples = symbol.samples;
        return made;
    }
    const std::string name = concat(kind == TypeKind::Float ? "zuf" : "u", data_symbols_++);
    TracedSymbol symbol;
    symbol.is_data = true;
    const IValue example = kind == TypeKind::Float ? IValue(1.5) : IValue(true);
    symbol.hint = example;
    symbol.samples.assign(kSamples, example);
    if (kind == TypeKind::Bool) symbol.range = {0, 1};
    symbols_.emplace(name, symbol);
    made->hint = example;
    made->samples = symbol.samples;
    const SymbolExpression itself{Kind::Symbol, 0, name};
    made->expression =
        kind == TypeKind::Float ? itself : SymbolExpression{Kind::Call, 0, "Equality", {itself, number(1)}};
    return made;
}

std::int64_t TracedValues::evaluate_at(const SymbolExpression& expression, std::size_t sample) const {
    SymbolValues values;
    for (const auto& [name, symbol] : symbols_) {
        const IValue& value = sample == kExample ? symbol.hint : symbol.samples[sample];
        if (value.is_int()) values.emplace(name, value.to_int());
    }
    const auto value = evaluate(expression, values);
    if (!value) throw Error(ErrorKind::Unsupported, concat("the size ", str(expression), " has no value"));
    return *value;
}

TensorFacts& TracedValues::add_fixed(const Tensor& tensor) {
    TensorFacts facts;
    facts.tensor = tensor;
    facts.sizes = numbers(tensor.sizes());
    facts.strides = numbers(tensor.strides());
    facts.offset = number(tensor.storage_offset());
    return facts_[tensor.impl()] = std::move(facts);
}

TensorFacts& TracedValues::add_sized(ScalarType dtype, const std::vector<SymbolExpression>& sizes) {
    TensorFacts facts;
    facts.sizes = sizes;
    facts.strides = contiguous(sizes);
    facts.offset = number(0);
    facts.tensor = fake_at(dtype, facts, kExample);
    const bool is_fixed = std::ranges::all_of(sizes, [](const auto& each) { return each.kind == Kind::Number; });
    for (std::size_t i = 0; i < kSamples && !is_fixed; ++i) facts.samples.push_back(fake_at(dtype, facts, i));
    const TensorImpl* key = facts.tensor.impl();
    return facts_[key] = std::move(facts);
}

Tensor TracedValues::fake_at(ScalarType dtype, const TensorFacts& facts, std::size_t sample) const {
    Dims sizes;
    Dims strides;
    for (const SymbolExpression& each : facts.sizes) sizes.push_back(evaluate_at(each, sample));
    for (const SymbolExpression& each : facts.strides) strides.push_back(evaluate_at(each, sample));
    return passes::fake_tensor(span_of(sizes), dtype, span_of(strides));
}

namespace {

// The sizes of what a result was made of, with their values for the example and every sample.
class Candidates {
  public:
    explicit Candidates(TracedValues& values) : values_(values) {}

    void add(const SymbolExpression& expression) {
        if (expression.kind == Kind::Number) return;
        SizeValues each{expression, {values_.evaluate_at(expression, TracedValues::kExample)}};
        for (std::size_t i = 0; i < TracedValues::kSamples; ++i)
            each.values.push_back(values_.evaluate_at(expression, i));
        list.push_back(std::move(each));
    }
    void add_all(const std::vector<IValue>& from) {
        for (const IValue& value : from) {
            visit_leaves(value, [&](const IValue& each) {
                if (const auto number = number_in(each)) {
                    if (number->kind == TypeKind::Int) add(number->expression);
                } else if (each.is_tensor()) {
                    add_tensor(each.to_tensor());
                }
            });
        }
    }

    std::vector<SizeValues> list;

  private:
    void add_tensor(const Tensor& tensor) {
        const TensorFacts* facts = values_.find(tensor);
        if (facts == nullptr || facts->samples.empty()) return;
        SymbolExpression all = number(1);
        for (const SymbolExpression& each : facts->sizes) {
            add(each);
            all = product_of(all, each);
        }
        add(all);
    }

    TracedValues& values_;
};

// In words: "7 for the example's sizes, 9 for others".
[[noreturn]] void refuse(const Tensor& tensor, std::size_t dim) {
    throw Error(ErrorKind::Unsupported,
                concat("size ", dim, " of the result ", shape_text(tensor.sizes()),
                       " follows from the sizes of the inputs in no way that a program of torch.export can say"));
}

}  // namespace

TensorFacts& TracedValues::add_result(const Tensor& tensor, std::vector<Tensor> samples,
                                      const std::vector<IValue>& from) {
    if (samples.empty()) return add_fixed(tensor);
    const auto of = [&](const Tensor& t, auto get) {
        std::vector<std::int64_t> values{get(t)};
        for (const Tensor& sample : samples) {
            if (sample.dim() != t.dim())
                throw Error(ErrorKind::Unsupported, "for other sizes the result has another number of dimensions");
            values.push_back(get(sample));
        }
        return values;
    };
    Candidates candidates(*this);
    candidates.add_all(from);
    TensorFacts facts;
    facts.tensor = tensor;
    const auto dims = static_cast<std::size_t>(tensor.dim());
    for (std::size_t d = 0; d < dims; ++d) {
        const auto found = fit_expression(of(tensor, [d](const Tensor& t) { return t.sizes()[d]; }), candidates.list);
        if (!found) refuse(tensor, d);
        facts.sizes.push_back(*found);
    }
    // A stride is a product of sizes, or a stride of what it is a view of: outer ones follow from inner ones.
    for (const SymbolExpression& each : facts.sizes) candidates.add(each);
    std::vector<std::size_t> order(dims);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t d) { return tensor.strides()[d]; });
    facts.strides.assign(dims, number(1));
    for (const std::size_t d : order) {
        const auto found = fit_expression(of(tensor, [d](const Tensor& t) { return t.strides()[d]; }), candidates.list);
        if (!found) refuse(tensor, d);
        facts.strides[d] = *found;
        candidates.add(product_of(facts.strides[d], facts.sizes[d]));
        candidates.add(facts.strides[d]);
    }
    const auto offset = fit_expression(of(tensor, [](const Tensor& t) { return t.storage_offset(); }), candidates.list);
    facts.offset = offset.value_or(number(tensor.storage_offset()));
    facts.samples = std::move(samples);
    return facts_[tensor.impl()] = std::move(facts);
}

TensorFacts* TracedValues::find(const Tensor& tensor) {
    const auto found = facts_.find(tensor.impl());
    return found == facts_.end() ? nullptr : &found->second;
}

TensorFacts& TracedValues::at(const Tensor& tensor) {
    if (TensorFacts* facts = find(tensor)) return *facts;
    throw Error(ErrorKind::Internal, "a tensor of a trace that no node made");
}

void TracedValues::forget_elements(const Tensor& tensor) {
    if (const TensorFacts* facts = find(tensor); facts == nullptr || !facts->is_known) return;
    for (auto& [key, facts] : facts_) {
        if (facts.tensor.storage() == tensor.storage()) facts.is_known = false;
    }
}

IValue TracedValues::size_number(const SymbolExpression& expression, const Tensor& of, const char* target,
                                 std::optional<std::int64_t> dim) {
    if (expression.kind == Kind::Number) return IValue(expression.number);
    Ptr<SymbolicNumber>& made = sizes_[str(expression)];
    if (made) return IValue::other(made);
    made = make_ptr<SymbolicNumber>();
    made->expression = expression;
    made->hint = evaluate_at(expression, kExample);
    for (std::size_t i = 0; i < kSamples; ++i) made->samples.emplace_back(evaluate_at(expression, i));
    for (const auto& [name, symbol] : symbols_) {
        const std::string text = str(expression);
        if (symbol.is_data && text.find(name) != std::string::npos) made->is_data = true;
    }
    made->target = target;
    made->arguments = {{"self", IValue(of)}};
    if (dim) made->arguments.emplace_back("dim", IValue(*dim));
    return IValue::other(made);
}

IValue TracedValues::concrete(const IValue& value, std::size_t sample) {
    if (!varies(value) && !holds_number(value)) return value;
    return map_elements(value, [&](const IValue& each) -> IValue {
        if (const auto number = number_in(each)) return sample == kExample ? number->hint : number->samples[sample];
        if (!each.is_tensor() || sample == kExample) return each;
        const TensorFacts* facts = find(each.to_tensor());
        return facts == nullptr || facts->samples.empty() ? each : IValue(facts->samples[sample]);
    });
}

bool TracedValues::varies(const IValue& value) {
    bool found = false;
    visit_leaves(value, [&](const IValue& each) {
        if (number_in(each)) found = true;
        if (!each.is_tensor()) return;
        const TensorFacts* facts = find(each.to_tensor());
        found = found || (facts != nullptr && !facts->samples.empty());
    });
    return found;
}

}  // namespace loupe::exported

// SPDX-License-Identifier: Apache-2.0
#pragma once
// The values of a program while it is traced for torch.export. Tensors are fakes, without elements. Numbers that depend
// on sizes of inputs or on elements are symbolic: an expression, how the graph computes it, its value for the example,
// and its values for other sizes, from which expressions of sizes are found.

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/formats/exported/symbols.h"
#include "core/value/ivalue.h"

namespace loupe::exported {

class SymbolicNumber final : public RefCounted {
  public:
    TypeKind kind = TypeKind::Int;  // or Float, Bool
    SymbolExpression expression;
    IValue hint;
    std::vector<IValue> samples;  // for other sizes
    bool is_data = false;         // depends on elements of tensors: the example has no value for it
    // How the graph computes it: "_operator.add" of numbers, "torch.ops.aten.sym_size.int" of a tensor and a dimension.
    // Empty: an input of the graph.
    std::string target;
    std::vector<std::pair<std::string, IValue>> arguments;  // by name
    Tensor item_of;  // the tensor whose only element it is, where nothing else is to be computed
};

// Null when the value is none.
Ptr<SymbolicNumber> number_in(const IValue& value);
// Also inside of lists, tuples and dicts.
bool holds_number(const IValue& value);

struct TensorFacts {
    Tensor tensor;                // held: its address is its name
    std::vector<Tensor> samples;  // for other sizes; empty: the same for all
    std::vector<SymbolExpression> sizes;
    std::vector<SymbolExpression> strides;
    SymbolExpression offset;
    bool is_known = false;  // its elements are those of a constant
    IValue number;          // of a tensor that a trace made of a number: that number
};

// A symbol of a size, or of a number that is read from a tensor.
struct TracedSymbol {
    IValue hint;
    std::vector<IValue> samples;
    SymbolRange range;
    bool is_data = false;
};

class TracedValues {
  public:
    static constexpr std::size_t kSamples = 8;

    // Throws Error (Usage) when the name is in use with another value.
    void add_symbol(const std::string& name, std::int64_t hint, const SymbolRange& range);
    // A size or number that elements decide. Floats and bools have no range.
    Ptr<SymbolicNumber> add_data_number(TypeKind kind, const Tensor& item_of);
    SymbolExpression add_data_size();
    const std::map<std::string, TracedSymbol>& symbols() const { return symbols_; }

    // sample: of 0 ... kSamples - 1; kExample for the example.
    static constexpr std::size_t kExample = static_cast<std::size_t>(-1);
    std::int64_t evaluate_at(const SymbolExpression& expression, std::size_t sample) const;

    // A tensor whose sizes are the same for all inputs.
    TensorFacts& add_fixed(const Tensor& tensor);
    // One with these sizes, contiguous.
    TensorFacts& add_sized(ScalarType dtype, const std::vector<SymbolExpression>& sizes);
    // A result: its sizes are found from those of `from`, the tensors and numbers it was made of.
    // Throws Error (Unsupported) when no expression gives them.
    TensorFacts& add_result(const Tensor& tensor, std::vector<Tensor> samples, const std::vector<IValue>& from);
    TensorFacts* find(const Tensor& tensor);
    TensorFacts& at(const Tensor& tensor);

    // A constant's elements are written: it, and what shares its storage, has no known ones any more.
    void forget_elements(const Tensor& tensor);

    // The size as a constant, or the one symbolic number of its expression.
    IValue size_number(const SymbolExpression& expression, const Tensor& of, const char* target,
                       std::optional<std::int64_t> dim);

    // With the numbers and tensors of one sample in place of symbolic ones, also inside of containers.
    IValue concrete(const IValue& value, std::size_t sample);
    bool varies(const IValue& value);

    // A fake with sizes and strides of a sample.
    Tensor fake_at(ScalarType dtype, const TensorFacts& facts, std::size_t sample) const;

  private:
    std::map<std::string, TracedSymbol> symbols_;
    std::unordered_map<const TensorImpl*, TensorFacts> facts_;
    std::map<std::string, Ptr<SymbolicNumber>> sizes_;  // by expression
    std::size_t data_symbols_ = 0;
};

}  // namespace loupe::exported

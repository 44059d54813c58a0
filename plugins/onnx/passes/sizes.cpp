// SPDX-License-Identifier: Apache-2.0
// Sizes that an exporter took apart: tensors of whole numbers become numbers.
#include <algorithm>
#include <unordered_map>

#include "core/passes/graph_tools.h"
#include "plugins/onnx/passes/rewriter.h"

namespace loupe::onnx {
namespace {

namespace prim = ir::prim;
using ir::Node;
using ir::Value;

constexpr std::size_t kMostNumbers = 64;

// Never below 0: a size, or made of such.
bool is_natural(const Value* value) {
    if (const auto constant = passes::constant_int(value)) return *constant >= 0;
    const Node* node = value->node();
    if (node->is("aten::size.int")) return true;
    const bool is_kept = node->is("aten::add.int") || node->is("aten::mul.int") || node->is("aten::floordiv.int");
    return is_kept && is_natural(node->input(0)) && is_natural(node->input(1));
}

class SizeReader {
  public:
    explicit SizeReader(const Rewriter& rewriter) : rewriter_(rewriter) {}

    std::optional<Values> read(const Value* value) {
        if (const auto found = known_.find(value); found != known_.end()) return found->second;
        if (depth_ == kDeepest) return std::nullopt;
        ++depth_;
        auto numbers = read_new(value);
        --depth_;
        return known_[value] = std::move(numbers);
    }

  private:
    std::optional<Values> read_new(const Value* value) {
        if (const auto constants = rewriter_.whole_numbers(value)) return written(*constants);
        const Node* node = value->node();
        const std::string_view kind = node->kind().str();
        if (node->op() == nullptr || !kind.starts_with("onnx::")) return std::nullopt;
        const std::string_view name = kind.substr(6);
        if (name == "Shape") return shape(node);
        if (name == "Concat") return joined(node);
        if (name == "Gather") return gathered(node);
        if (name == "Slice") return sliced(node);
        if (name == "Add" || name == "Mul" || name == "Sub" || name == "Div") return computed(node, name);
        if (name == "Where") return chosen(node);
        if (name == "ConstantOfShape") return repeated(node);
        if (name == "Cast") {
            constexpr std::int64_t kInt64 = 7;  // of ONNX's types
            return Rewriter::whole_number(node, "to") == kInt64 ? read(node->input(0)) : std::nullopt;
        }
        if (name == "Reshape") {
            const auto shape = rewriter_.whole_numbers(node, "shape");
            return shape && *shape == Dims{-1} ? read(node->input(0)) : std::nullopt;
        }
        // Between a number and a list of one.
        if (name == "Unsqueeze" || name == "Squeeze") {
            auto numbers = read(node->input(0));
            return numbers && numbers->size() == 1 ? numbers : std::nullopt;
        }
        return name == "Identity" ? read(node->input(0)) : std::nullopt;
    }

    std::optional<Values> written(const Dims& numbers) const {
        if (numbers.size() > kMostNumbers) return std::nullopt;
        Values out;
        for (const std::int64_t each : numbers) out.push_back(rewriter_.constant(IValue(each)));
        return out;
    }

    std::optional<Values> shape(const Node* node) const {
        const auto rank = rewriter_.rank_of(node->input(0));
        if (!rank) return std::nullopt;
        const auto limited = [&](std::int64_t at) {
            return std::clamp<std::int64_t>(at < 0 ? at + *rank : at, 0, *rank);
        };
        const std::int64_t begin = limited(Rewriter::whole_number(node, "start").value_or(0));
        const std::int64_t end = limited(Rewriter::whole_number(node, "end").value_or(*rank));
        Values out;
        for (std::int64_t d = begin; d < end; ++d)
            out.push_back(rewriter_.call("aten::size.int", {node->input(0), rewriter_.constant(IValue(d))}));
        return out;
    }

    std::optional<Values> joined(const Node* node) {
        const Node* list = node->input(0)->node();
        if (list->kind() != prim::ListConstruct || Rewriter::whole_number(node, "axis") != 0) return std::nullopt;
        Values out;
        for (const Value* part : list->inputs()) {
            const auto numbers = read(part);
            if (!numbers || out.size() + numbers->size() > kMostNumbers) return std::nullopt;
            out.insert(out.end(), numbers->begin(), numbers->end());
        }
        return out;
    }

    std::optional<Values> gathered(const Node* node) {
        const auto places = rewriter_.whole_numbers(node, "indices");
        if (!places || Rewriter::whole_number(node, "axis") != 0) return std::nullopt;
        const auto numbers = read(node->input(0));
        if (!numbers) return std::nullopt;
        const auto size = static_cast<std::int64_t>(numbers->size());
        Values out;
        for (const std::int64_t place : *places) {
            if (place >= size || place < -size) return std::nullopt;
            out.push_back((*numbers)[static_cast<std::size_t>(place < 0 ? place + size : place)]);
        }
        return out;
    }

    std::optional<Values> sliced(const Node* node) {
        const auto starts = rewriter_.whole_numbers(node, "starts"), ends = rewriter_.whole_numbers(node, "ends");
        const auto steps = rewriter_.whole_numbers(node, "steps"), axes = rewriter_.whole_numbers(node, "axes");
        if (!starts || !ends || starts->size() != 1 || ends->size() != 1) return std::nullopt;
        if ((steps && *steps != Dims{1}) || (axes && *axes != Dims{0})) return std::nullopt;
        const auto numbers = read(node->input(0));
        if (!numbers) return std::nullopt;
        const auto size = static_cast<std::int64_t>(numbers->size());
        const auto limited = [&](std::int64_t at) {
            return std::clamp<std::int64_t>(at < 0 ? std::max(at, -size) + size : at, 0, size);
        };
        const std::int64_t begin = limited((*starts)[0]), end = std::max(begin, limited((*ends)[0]));
        return Values(numbers->begin() + begin, numbers->begin() + end);
    }

    std::optional<Values> computed(const Node* node, std::string_view name) {
        const auto a = read(node->input(0)), b = read(node->input(1));
        if (!a || !b || (a->size() != b->size() && a->size() != 1 && b->size() != 1)) return std::nullopt;
        Values out;
        for (std::size_t i = 0; i < std::max(a->size(), b->size()); ++i) {
            Value* x = (*a)[a->size() == 1 ? 0 : i];
            Value* y = (*b)[b->size() == 1 ? 0 : i];
            // ONNX divides towards zero: the same where nothing is negative.
            const auto divisor = passes::constant_int(y);
            if (name == "Div" && !(is_natural(x) && divisor && *divisor > 0)) return std::nullopt;
            const char* op = name == "Add"   ? "aten::add.int"
                             : name == "Mul" ? "aten::mul.int"
                             : name == "Sub" ? "aten::sub.int"
                                             : "aten::floordiv.int";
            out.push_back(rewriter_.call(op, {x, y}));
        }
        return out;
    }

    // Where(Equal(sizes, -1), ones, sizes): an exporter's care for sizes that are to stay.
    std::optional<Values> chosen(const Node* node) {
        const Node* test = node->input(0)->node();
        if (test->kind().str() != "onnx::Equal") return std::nullopt;
        const auto p = read(test->input(0)), q = read(test->input(1));
        const auto a = read(node->input(1)), b = read(node->input(2));
        if (!p || !q || !a || !b || p->size() != b->size() || a->size() != b->size()) return std::nullopt;
        if (q->size() != p->size() && q->size() != 1) return std::nullopt;
        Values out;
        for (std::size_t i = 0; i < p->size(); ++i) {
            const Value* left = (*p)[i];
            const Value* right = (*q)[q->size() == 1 ? 0 : i];
            const auto x = passes::constant_int(left), y = passes::constant_int(right);
            const bool differ = (y && *y < 0 && is_natural(left)) || (x && *x < 0 && is_natural(right));
            if (!(x && y) && !differ) return std::nullopt;
            out.push_back(x && y && *x == *y ? (*a)[i] : (*b)[i]);
        }
        return out;
    }

    std::optional<Values> repeated(const Node* node) const {
        const auto sizes = rewriter_.whole_numbers(node->input(0));
        const Value* given = node->named_input("value");
        const auto value = given != nullptr && !ir::is_none_constant(given) ? rewriter_.number_of(given) : 0.0;
        const auto dtype = given != nullptr ? rewriter_.dtype_of(given) : std::nullopt;
        if (!sizes || sizes->size() != 1 || !value || dtype != ScalarType::Int64) return std::nullopt;
        if ((*sizes)[0] < 0 || static_cast<std::size_t>((*sizes)[0]) > kMostNumbers) return std::nullopt;
        return written(Dims(static_cast<std::size_t>((*sizes)[0]), static_cast<std::int64_t>(*value)));
    }

    static constexpr int kDeepest = 100;

    const Rewriter& rewriter_;
    std::unordered_map<const Value*, std::optional<Values>> known_;
    int depth_ = 0;
};

}  // namespace

std::optional<Values> sizes_in(const Rewriter& rewriter, const Value* value) {
    return SizeReader(rewriter).read(value);
}

}  // namespace loupe::onnx

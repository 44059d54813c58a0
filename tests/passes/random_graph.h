// SPDX-License-Identifier: Apache-2.0
#pragma once
// Graphs drawn at random, and inputs for them: tensors [4, 4] and [4] throughout, so that every operator drawn fits.

#include <cstdint>
#include <string>
#include <vector>

namespace loupe::test {

class RandomGraph {
  public:
    explicit RandomGraph(std::uint32_t seed) : state_(seed * 2654435761U + 1) {
        text_ =
            "graph(%x : Tensor, %y : Tensor, %v : Tensor, %c : bool, %n : int):\n"
            "  %none : NoneType = prim::Constant()\n  %zero : int = prim::Constant[value=0]()\n"
            "  %one : int = prim::Constant[value=1]()\n  %two : int = prim::Constant[value=2]()\n"
            "  %six : int = prim::Constant[value=6]()\n  %half : float = prim::Constant[value=0.5]()\n  %yes : bool = "
            "prim::Constant[value=1]()\n"
            "  %no : bool = prim::Constant[value=0]()\n  %seven : int = prim::Constant[value=7]()\n";
        matrices_ = {"x", "y"};
        numbers_ = {"n", "one", "two"};
        add_nodes(8 + pick(14), 1);
        text_ += "  %out : (Tensor, Tensor, int) = prim::TupleConstruct(%" + matrices_.back() + ", %" + any(matrices_) +
                 ", %" + numbers_.back() + ")\n";
        text_ += "  return (%out)\n";
    }
    const std::string& text() const { return text_; }

  private:
    std::size_t pick(std::size_t count) {
        state_ = state_ * 1664525U + 1013904223U;
        return (state_ >> 10) % count;
    }
    const std::string& any(const std::vector<std::string>& names) { return names[pick(names.size())]; }
    std::string fresh() { return "t" + std::to_string(next_++); }
    void line(int depth, const std::string& text) {
        text_ += std::string(static_cast<std::size_t>(2 * depth), ' ') + text + "\n";
    }
    std::string node(int depth, const std::string& type, const std::string& right) {
        const std::string name = fresh();
        line(depth, "%" + name + " : " + type + " = " + right);
        return name;
    }

    void add_nodes(std::size_t count, int depth) {
        for (std::size_t i = 0; i < count; ++i) add_node(depth);
    }

    void add_node(int depth) {
        static constexpr const char* kUnary[] = {"relu", "sigmoid", "tanh", "sin", "neg", "t"};
        static constexpr const char* kBinary[] = {"mul", "maximum", "mm", "matmul"};
        const std::string a = "%" + any(matrices_);
        const std::string b = "%" + any(matrices_);
        switch (pick(20)) {
            case 0:
            case 1:
                matrices_.push_back(node(depth, "Tensor", std::string("aten::") + kUnary[pick(6)] + "(" + a + ")"));
                break;
            case 2: {
                const std::string product =
                    node(depth, "Tensor", std::string("aten::") + kBinary[pick(4)] + "(" + a + ", " + b + ")");
                matrices_.push_back(node(depth, "Tensor", "aten::tanh(%" + product + ")"));
                break;
            }
            case 3:
                matrices_.push_back(node(depth, "Tensor", "aten::add(" + a + ", " + b + ", %one)"));
                break;
            case 4:
                matrices_.push_back(node(depth, "Tensor", "aten::mul(" + a + ", %v)"));
                break;
            case 5: {  // written in place: a copy, so that inputs stay
                const std::string copy = node(depth, "Tensor", "aten::mul(" + a + ", %half)");
                matrices_.push_back(node(
                    depth, "Tensor", (pick(2) == 0 ? "aten::add_(%" : "aten::sub_(%") + copy + ", " + b + ", %one)"));
                if (pick(2) == 0) matrices_.push_back(copy);
                break;
            }
            case 6:
                numbers_.push_back(node(depth, "int",
                                        std::string(pick(2) == 0 ? "aten::add" : "aten::mul") + "(%" + any(numbers_) +
                                            ", %" + any(numbers_) + ")"));
                break;
            case 7:
                numbers_.push_back(node(depth, "int", "aten::size(" + a + ", %one)"));
                break;
            case 8:
                add_list(depth, a, b);
                break;
            case 9:
                add_tuple(depth, a, b);
                break;
            case 10:
                add_linear(depth, a, b);
                break;
            case 11:
                add_chunks(depth, a);
                break;
            case 12:
                if (depth < 3) add_if(depth);
                break;
            case 13:
                add_dict(depth, a, b);
                break;
            case 14:
                add_layers(depth, a, b);
                break;
            case 15:
                if (depth < 3) add_equal(depth, a);
                break;
            case 16:
                add_gradients(depth, a, b);
                break;
            case 17:
                add_views(depth, a);
                break;
            case 18:
                add_write_through_view(depth, a, b);
                break;
            default:
                if (depth < 3) add_loop(depth);
                break;
        }
    }

    // A copy, perhaps written itself, then through views of it.
    void add_write_through_view(int depth, const std::string& a, const std::string& b) {
        std::string whole = node(depth, "Tensor", "aten::mul(" + a + ", %half)");
        if (pick(2) == 0) whole = node(depth, "Tensor", "aten::add_(%" + whole + ", " + b + ", %one)");
        const std::string turned = pick(2) == 0 ? node(depth, "Tensor", "aten::t(%" + whole + ")") : whole;
        const std::string part = node(depth, "Tensor",
                                      pick(2) == 0 ? "aten::select(%" + turned + ", %zero, %one)"
                                                   : "aten::slice(%" + turned + ", %zero, %one, %two, %one)");
        const std::string written = node(depth, "Tensor", "aten::mul_(%" + part + ", %half)");
        if (pick(2) == 0) whole = node(depth, "Tensor", "aten::mul(%" + whole + ", %" + written + ")");
        matrices_.push_back(whole);
    }
    void add_list(int depth, const std::string& a, const std::string& b) {
        const std::string list = node(depth, "Tensor[]", "prim::ListConstruct(" + a + ", " + b + ")");
        if (pick(2) == 0) node(depth, "Tensor[]", "aten::append(%" + list + ", " + a + ")");
        numbers_.push_back(node(depth, "int", "aten::len(%" + list + ")"));
        const std::string joined = node(depth, "Tensor", "aten::cat(%" + list + ", %zero)");
        matrices_.push_back(node(depth, "Tensor", "aten::slice(%" + joined + ", %zero, %two, %six, %one)"));
    }
    void add_tuple(int depth, const std::string& a, const std::string& b) {
        const std::string tuple = node(depth, "(Tensor, Tensor)", "prim::TupleConstruct(" + a + ", " + b + ")");
        const std::string first = fresh();
        const std::string second = fresh();
        line(depth, "%" + first + " : Tensor, %" + second + " : Tensor = prim::TupleUnpack(%" + tuple + ")");
        matrices_.push_back(second);
        matrices_.push_back(first);
    }
    void add_linear(int depth, const std::string& a, const std::string& b) {
        const std::string turned = node(depth, "Tensor", "aten::t(" + b + ")");
        const std::string product =
            pick(2) == 0 ? node(depth, "Tensor", "aten::addmm(%v, " + a + ", %" + turned + ", %one, %one)")
                         : node(depth, "Tensor", "aten::matmul(" + a + ", %" + turned + ")");
        matrices_.push_back(node(depth, "Tensor", "aten::sigmoid(%" + product + ")"));
    }
    void add_chunks(int depth, const std::string& a) {
        const std::string list = node(depth, "Tensor[]", "aten::chunk(" + a + ", %two, %one)");
        const std::string first = fresh();
        const std::string second = fresh();
        line(depth, "%" + first + " : Tensor, %" + second + " : Tensor = prim::ListUnpack(%" + list + ")");
        const std::string turned = node(depth, "Tensor[]", "prim::ListConstruct(%" + second + ", %" + first + ")");
        matrices_.push_back(node(depth, "Tensor", "aten::cat(%" + turned + ", %one)"));
    }

    void add_dict(int depth, const std::string& a, const std::string& b) {
        const std::string dict =
            node(depth, "Dict(int, Tensor)",
                 "prim::DictConstruct(%one, " + a + ", " + (pick(4) == 0 ? "%n" : "%two") + ", " + b + ")");
        if (pick(3) == 0) line(depth, " = aten::_set_item(%" + dict + ", %one, " + b + ")");
        numbers_.push_back(node(depth, "int", "aten::len(%" + dict + ")"));
        matrices_.push_back(node(depth, "Tensor", "aten::__getitem__(%" + dict + ", %one)"));
    }
    // Of evaluation: dropout that passes on, products with and without a summand, what addition cuts off, a cast to the
    // same.
    void add_layers(int depth, const std::string& a, const std::string& b) {
        const std::string kept = node(depth, "Tensor", "aten::dropout(" + a + ", %half, %no)");
        const std::string linear = node(depth, "Tensor", "aten::linear(%" + kept + ", " + b + ", %v)");
        const std::string product = node(depth, "Tensor", "aten::mm(%" + linear + ", " + b + ")");
        const std::string sum = node(depth, "Tensor", "aten::add(%" + product + ", " + a + ", %one)");
        const std::string bounded = node(depth, "Tensor", "aten::tanh(%" + sum + ")");
        const std::string same = node(depth, "Tensor", "aten::to(%" + bounded + ", %seven, %no, %no, %none)");
        const std::string more = node(depth, "Tensor", "aten::add(%" + same + ", " + a + ", %one)");
        matrices_.push_back(node(depth, "Tensor", "aten::relu(%" + more + ")"));
    }
    // A branch that knows what the number is.
    void add_equal(int depth, const std::string& a) {
        const std::string number = any(numbers_);
        const std::string condition = node(depth, "bool", "aten::eq(%" + number + ", %six)");
        const std::string result = fresh();
        const std::string second = fresh();
        line(depth, "%" + result + " : Tensor, %" + second + " : Tensor = prim::If(%" + condition + ")");
        line(depth + 1, "block0():");
        const std::string scaled = node(depth + 2, "Tensor", "aten::mul(" + a + ", %" + number + ")");
        const std::string bounded = node(depth + 2, "Tensor", "aten::tanh(%" + scaled + ")");
        line(depth + 2, "-> (%" + bounded + ", " + a + ")");
        line(depth + 1, "block1():");
        const std::string again = node(depth + 2, "int", "prim::Constant[value=1]()");
        const std::string moved = node(depth + 2, "Tensor", "aten::add(" + a + ", %" + again + ", %" + again + ")");
        const std::string other = node(depth + 2, "Tensor", "aten::multiply(" + a + ", %half)");
        line(depth + 2, "-> (%" + other + ", %" + moved + ")");
        matrices_.push_back(node(depth, "Tensor", "aten::sub(%" + second + ", %" + result + ", %one)"));
    }
    // As derivative graphs are written.
    void add_gradients(int depth, const std::string& a, const std::string& b) {
        const std::string zero = node(depth, "Tensor", "prim::AutogradZero()");
        const std::string first = node(depth, "Tensor", "prim::AutogradAdd(%" + zero + ", " + a + ")");
        const std::string arrives = node(depth, "bool", "prim::AutogradAnyNonZero(%" + zero + ", %" + first + ")");
        const std::string result = fresh();
        line(depth, "%" + result + " : Tensor = prim::If(%" + arrives + ")");
        line(depth + 1, "block0():");
        const std::string inner = node(depth + 2, "Tensor", "aten::sigmoid(" + b + ")");
        line(depth + 2, "-> (%" + inner + ")");
        line(depth + 1, "block1():");
        line(depth + 2, "-> (%" + zero + ")");
        matrices_.push_back(node(depth, "Tensor", "prim::AutogradAdd(%" + result + ", " + a + ")"));
    }
    void add_views(int depth, const std::string& a) {
        const std::string sizes = node(depth, "int[]", "aten::size(" + a + ")");
        numbers_.push_back(node(depth, "int", "aten::len(%" + sizes + ")"));
        const std::string wide = node(depth, "Tensor", "aten::expand(%v, %" + sizes + ", %yes)");
        const std::string flat = node(depth, "Tensor", "aten::reshape(" + a + ", %" + sizes + ")");
        matrices_.push_back(node(depth, "Tensor", "aten::mul(%" + wide + ", %" + flat + ")"));
    }

    // What is made inside is not seen outside.
    std::string inside(int depth, std::size_t count) {
        const std::size_t known_matrices = matrices_.size();
        const std::size_t known_numbers = numbers_.size();
        add_nodes(count, depth);
        const std::string result = matrices_.back();
        matrices_.resize(known_matrices);
        numbers_.resize(known_numbers);
        return result;
    }
    void add_if(int depth) {
        const std::string condition = pick(3) == 0   ? node(depth, "bool", "aten::gt(%" + any(numbers_) + ", %two)")
                                      : pick(2) == 0 ? "c"
                                                     : "yes";
        const std::string result = fresh();
        line(depth, "%" + result + " : Tensor = prim::If(%" + condition + ")");
        for (int b = 0; b < 2; ++b) {
            line(depth + 1, "block" + std::to_string(b) + "():");
            const std::string given = inside(depth + 2, 1 + pick(3));
            line(depth + 2, "-> (%" + given + ")");
        }
        matrices_.push_back(result);
    }
    void add_loop(int depth) {
        const std::string start = any(matrices_);
        const std::string result = fresh();
        const std::string index = fresh();
        const std::string carried = fresh();
        line(depth,
             "%" + result + " : Tensor = prim::Loop(%" + (pick(2) == 0 ? "two" : "n") + ", %yes, %" + start + ")");
        line(depth + 1, "block0(%" + index + " : int, %" + carried + " : Tensor):");
        matrices_.push_back(carried);
        numbers_.push_back(index);
        const std::string given = inside(depth + 2, 1 + pick(3));
        matrices_.pop_back();
        numbers_.pop_back();
        line(depth + 2, "-> (%yes, %" + given + ")");
        matrices_.push_back(result);
    }

    std::uint32_t state_;
    std::size_t next_ = 0;
    std::string text_;
    std::vector<std::string> matrices_;
    std::vector<std::string> numbers_;
};

}  // namespace loupe::test

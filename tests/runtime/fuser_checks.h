// SPDX-License-Identifier: Apache-2.0
#pragma once
// What tests of fused groups share: groups in text, drawn; running them with every fuser and one operator at a time.

#include <QtTest>

#include <cstring>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/ir/parser.h"
#include "core/ops/random/random.h"
#include "core/ops/samples.h"
#include "core/runtime/fuse/fuser.h"
#include "core/runtime/fuse/fuser_backends.h"

namespace loupe::test {

using namespace loupe::runtime;

inline std::string bits_of(const Tensor& t) {
    const Tensor plain = fn::contiguous(t, 0);
    return {plain.data<char>(), plain.bytes()};
}

// NaN is NaN, whatever its sign.
inline bool same_elements(const Tensor& got, const Tensor& want) {
    if (bits_of(got) == bits_of(want)) return true;
    if (!is_floating(got.dtype())) return false;
    const auto wide = [](const Tensor& t) {
        return fn::contiguous(fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Float64)), 0);
    };
    const Tensor a = wide(got), b = wide(want);
    for (std::int64_t i = 0; i < a.numel(); ++i) {
        const double x = a.data<double>()[i], y = b.data<double>()[i];
        if (std::memcmp(&x, &y, sizeof(x)) != 0 && !(x != x && y != y)) return false;
    }
    return true;
}

// "" when they are the same in dtype, shape, memory order and elements.
inline std::string difference(const Tensor& got, const Tensor& want) {
    if (got.dtype() != want.dtype()) return concat("dtype ", describe(got), " for ", describe(want));
    if (!std::equal(got.sizes().begin(), got.sizes().end(), want.sizes().begin(), want.sizes().end()))
        return concat(describe(got), " for ", describe(want));
    if (!std::equal(got.strides().begin(), got.strides().end(), want.strides().begin(), want.strides().end()))
        return "strides";
    return same_elements(got, want) ? "" : "elements";
}

// One by one, by the portable kernels: no plugin's answers to one operator count here.
inline std::vector<IValue> run_unfused(const Ptr<ir::Graph>& graph, const std::vector<IValue>& inputs) {
    std::vector<IValue> results(graph->outputs().size());
    FusedGroup(graph).run(inputs, results.data());  // the first call runs the operators
    return results;
}

inline std::vector<std::string> backends() {
    std::vector<std::string> names;
    for (const FuserBackend& backend : fusers()) {
        if (backend.name != "broken") names.push_back(backend.name);  // of a test
    }
    return names;
}

struct Fused {
    std::vector<IValue> results;
    std::string reason;
    std::vector<FusedKernelText> kernels;
};
// The second call: the kernel's.
inline Fused run_fused(const Ptr<ir::Graph>& graph, const std::vector<IValue>& inputs, const std::string& backend) {
    FusedGroup group(graph, backend);
    Fused fused;
    fused.results.resize(graph->outputs().size());
    group.run(inputs, fused.results.data());
    group.run(inputs, fused.results.data());
    fused.reason = group.reason();
    fused.kernels = group.kernels();
    return fused;
}

inline void check(const std::string& text, const std::vector<IValue>& inputs, bool is_fused = true) {
    const Ptr<ir::Graph> graph = ir::parse_graph(text);
    const std::vector<IValue> want = run_unfused(graph, inputs);
    for (const std::string& backend : backends()) {
        Fused fused;
        try {
            fused = run_fused(graph, inputs, backend);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Unsupported && backend != "portable") continue;
            throw;
        }
        QVERIFY2(fused.reason.empty() == is_fused, (backend + ": " + fused.reason + "\n" + text).c_str());
        for (std::size_t i = 0; i < want.size(); ++i) {
            const std::string problem = difference(fused.results[i].to_tensor(), want[i].to_tensor());
            std::string kernels;
            for (const FusedKernelText& kernel : fused.kernels) kernels += kernel.expression + "\n";
            QVERIFY2(problem.empty(),
                     concat(backend, ": output ", i, ": ", problem, "\n", text, "\n", kernels).c_str());
        }
    }
}

// Reductions of narrow dtypes and of rows that do not lie as rows may differ in the last bit.
inline std::string near(const Tensor& got, const Tensor& want) {
    const std::string problem = difference(got, want);
    if (problem != "elements" || !is_floating(got.dtype())) return problem;
    const double tolerance =
        got.dtype() == ScalarType::Float64 ? 1e-12 : (got.dtype() == ScalarType::Float32 ? 1e-6 : 1e-2);
    const auto wide = [](const Tensor& t) {
        return fn::contiguous(fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Float64)), 0);
    };
    const Tensor a = wide(got), b = wide(want);
    for (std::int64_t i = 0; i < a.numel(); ++i) {
        const double x = a.data<double>()[i], y = b.data<double>()[i];
        if (x != y && !(x != x && y != y) && !(std::abs(x - y) <= tolerance * std::max(1.0, std::abs(y))))
            return concat("element ", i, ": ", x, " for ", y);
    }
    return {};
}

inline void check_rows(const std::string& text, const std::vector<IValue>& inputs, int kernels) {
    const Ptr<ir::Graph> graph = ir::parse_graph(text);
    const std::vector<IValue> want = run_unfused(graph, inputs);
    for (const std::string& backend : backends()) {
        Fused fused;
        try {
            fused = run_fused(graph, inputs, backend);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Unsupported && backend != "portable") continue;
            throw;
        }
        QVERIFY2(fused.reason.empty(), (backend + ": " + fused.reason + "\n" + text).c_str());
        if (kernels > 0 && inputs[0].to_tensor().dim() > 1)
            QCOMPARE(fused.kernels.size(), static_cast<std::size_t>(kernels));
        std::string shown;
        for (const FusedKernelText& kernel : fused.kernels) shown += kernel.expression + "\n" + kernel.program + "\n";
        for (std::size_t i = 0; i < want.size(); ++i) {
            const std::string problem = near(fused.results[i].to_tensor(), want[i].to_tensor());
            QVERIFY2(problem.empty(),
                     concat(backend, ": ", problem, " of ", describe(inputs[0].to_tensor()), "\n", text, "\n", shown)
                         .c_str());
        }
    }
}

// A group of pointwise operators in text, drawn.
class Drawing {
  public:
    explicit Drawing(std::uint32_t seed) : random_(seed) {}

    std::size_t below(std::size_t n) { return random_.engine()() % n; }

    std::string draw(std::size_t inputs, std::size_t steps, bool with_rows = false) {
        values_.clear();
        count_ = 0;
        body_ =
            "  %last : int = prim::Constant[value=-1]()\n  %lasts : int[] = prim::Constant[value=[-1]]()\n  %yes : "
            "bool = prim::Constant[value=1]()\n"
            "  %one : int = prim::Constant[value=1]()\n  %two : int = prim::Constant[value=2]()\n"
            "  %half : float = prim::Constant[value=0.5]()\n  %f32 : int = prim::Constant[value=6]()\n"
            "  %f64 : int = prim::Constant[value=7]()\n  %bf16 : int = prim::Constant[value=15]()\n"
            "  %no : bool = prim::Constant[value=0]()\n  %none : NoneType = prim::Constant()\n"
            "  %slope : float = prim::Constant[value=0.01]()\n  %erf : str = prim::Constant[value=\"none\"]()\n"
            "  %low : float = prim::Constant[value=-0.75]()\n  %high : float = prim::Constant[value=1.25]()\n";
        std::string header = "graph(";
        for (std::size_t i = 0; i < inputs; ++i) {
            values_.push_back(concat("%in", i));
            header += concat(i > 0 ? ", " : "", values_.back(), " : Tensor");
        }
        for (std::size_t i = 0; i < steps; ++i) {
            if (with_rows && below(3) == 0)
                add_row_operator();
            else
                add_pointwise();
        }
        std::string results = values_.back();
        if (below(2) == 0 && values_.size() > inputs + 1)
            results += concat(", ", values_[inputs + below(values_.size() - inputs - 1)]);
        return concat(header, "):\n", body_, "  return (", results, ")\n");
    }

    Tensor tensor(ScalarType dtype, std::size_t shape, std::size_t order) {
        static const Dims kShapes[][3] = {{{4, 5, 6}, {5, 6}, {4, 1, 6}},
                                          {{3, 200}, {200}, {3, 1}},
                                          {{2, 3, 8, 8}, {3, 1, 1}, {2, 3, 8, 8}},
                                          {{5000}, {1}, {5000}},
                                          {{7}, {}, {7}},
                                          {{64, 33}, {33}, {64, 33}},
                                          {{}, {}, {1}},
                                          {{0, 3}, {3}, {1, 3}}};
        const Dims& sizes = kShapes[shape % std::size(kShapes)][below(3)];
        const Tensor plain = random_tensor(random_, span_of(sizes), dtype);
        if (order == 0 || sizes.size() < 2) return plain;
        // The same sizes with the last two dimensions exchanged in memory, or every other element of twice as many.
        const auto rank = static_cast<std::int64_t>(sizes.size());
        if (order == 1)
            return fn::transpose(fn::contiguous(fn::transpose(plain, rank - 1, rank - 2), 0), rank - 1, rank - 2);
        Dims twice = sizes;
        twice.back() *= 2;
        return fn::slice(random_tensor(random_, span_of(twice), dtype), rank - 1, 0, twice.back(), 2);
    }

  private:
    std::string any() { return values_[below(values_.size())]; }
    std::string add(const std::string& call) {
        values_.push_back(concat("%v", count_++));
        body_ += concat("  ", values_.back(), " : Tensor = ", call, "\n");
        return values_.back();
    }
    void add_row_operator() {
        constexpr const char* kRows[] = {"softmax($, %last, %none)",    "log_softmax($, %last, %none)",
                                         "sum($, %lasts, %yes, %none)", "mean($, %lasts, %yes, %none)",
                                         "amax($, %lasts, %yes)",       "amin($, %lasts, %yes)",
                                         "var($, %lasts, %yes, %yes)"};
        std::string call = kRows[below(std::size(kRows))];
        call.replace(call.find('$'), 1, any());
        add("aten::" + call);
    }
    void add_choice() {
        constexpr const char* kCompare[] = {"gt", "le", "eq", "ne"};
        const std::string a = any(), b = any();
        const std::string condition = add(concat("aten::", kCompare[below(4)], "(", any(), ", ", any(), ")"));
        values_.erase(std::find(values_.begin(), values_.end(), condition));
        add(concat("aten::where(", condition, ", ", a, ", ", b, ")"));
    }
    void add_pointwise() {
        constexpr const char* kUnary[] = {"neg", "exp",        "tanh",  "sigmoid", "relu",  "abs",  "sqrt", "floor",
                                          "sin", "reciprocal", "rsqrt", "erf",     "log1p", "silu", "trunc"};
        constexpr const char* kBinary[] = {"mul", "div", "maximum", "minimum"};
        switch (below(12)) {
            case 0:
            case 1:
            case 2:
                add(concat("aten::", kUnary[below(std::size(kUnary))], "(", any(), ")"));
                break;
            case 3:
                add(concat("aten::add(", any(), ", ", any(), below(2) == 0 ? ", %one)" : ", %two)"));
                break;
            case 4:
                add(concat("aten::sub(", any(), ", ", any(), ", %one)"));
                break;
            case 5:
                add(concat("aten::", kBinary[below(4)], "(", any(), ", ", any(), ")"));
                break;
            case 6:
                add(concat("aten::mul(", any(), ", %half)"));
                break;
            case 7:
                add(concat("aten::add(", any(), ", %two, %one)"));
                break;
            case 8:
                add_choice();
                break;
            case 9:
                add(concat("aten::clamp(", any(), ", %low, %high)"));
                break;
            case 10:
                add(concat("aten::to(", any(), ", ", below(2) == 0 ? "%f32" : (below(2) == 0 ? "%f64" : "%bf16"),
                           ", %no, %no, %none)"));
                break;
            default:
                add(concat("aten::leaky_relu(", any(), ", %slope)"));
                break;
        }
    }

    Random random_;
    // Of the graph that draw() is at.
    std::string body_;
    std::vector<std::string> values_;
    int count_ = 0;
};

// Some elements become infinite and NaN; of 2 all of the tensor is one element, expanded.
inline Tensor with_specials(const Tensor& t, std::size_t kind) {
    if (kind == 0 || t.numel() == 0) return t;
    if (kind == 2) {
        Tensor one = t;
        while (one.dim() > 0) one = fn::select(one, 0, 0);
        return fn::expand(one, Dims(t.sizes().begin(), t.sizes().end()));
    }
    if (!is_floating(t.dtype())) return t;
    const Tensor mask = fn::gt_scalar(t, Scalar(0.8)), other = fn::lt_scalar(t, Scalar(-0.9));
    return fn::masked_fill(fn::masked_fill(t, mask, Scalar(std::numeric_limits<double>::infinity())), other,
                           Scalar(std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace loupe::test

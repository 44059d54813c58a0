// SPDX-License-Identifier: Apache-2.0
#pragma once
// Groups in text that tests of several fusers share: expressions of rows, and the backward pass of a normalisation.

#include <string>
#include <vector>

#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/ops/random/random.h"
#include "core/ops/samples.h"

namespace loupe::test {

// What gives %r of %x, %y, %m, %w, %v. kernels: how many there are; negative: none of three dimensions.
struct RowBody {
    const char* name;
    const char* body;
    int kernels = 1;
};
inline std::vector<RowBody> row_bodies() {
    return {
        {"softmax of scores",
         "  %a : Tensor = aten::mul(%x, %half)\n  %b : Tensor = aten::add(%a, %m, %one)\n  %r : Tensor = "
         "aten::softmax(%b, %last, %none)\n"},
        {"log_softmax",
         "  %a : Tensor = aten::exp(%x)\n  %b : Tensor = aten::log_softmax(%a, %last, %none)\n  %r : Tensor = "
         "aten::mul(%b, %half)\n"},
        {"residual and layer_norm",
         "  %a : Tensor = aten::add(%x, %y, %one)\n  %n : Tensor = aten::layer_norm(%a, %shape, %w, %v, %eps, "
         "%yes)\n  %r : Tensor = aten::relu(%n)\n"},
        {"layer_norm without weight",
         "  %a : Tensor = aten::add(%x, %y, %one)\n  %r : Tensor = aten::layer_norm(%a, %shape, %none, %none, %eps, "
         "%yes)\n"},
        {"rms",
         "  %s : Tensor = aten::mul(%x, %x)\n  %q : Tensor = aten::mean(%s, %lasts, %yes, %none)\n  %e : Tensor = "
         "aten::add(%q, %eps, %one)\n"
         "  %i : Tensor = aten::rsqrt(%e)\n  %k : Tensor = aten::mul(%x, %i)\n  %r : Tensor = aten::mul(%k, %w)\n"},
        {"dropped and kept",
         "  %s : Tensor = aten::exp(%x)\n  %q : Tensor = aten::sum(%s, %lasts, %no, %none)\n  %r : Tensor = "
         "aten::log(%q)\n"},
        {"variance",
         "  %s : Tensor = aten::add(%x, %y, %one)\n  %q : Tensor = aten::var(%s, %lasts, %yes, %yes)\n  %m2 : "
         "Tensor = aten::mean(%s, %lasts, %yes, %none)\n"
         "  %c : Tensor = aten::sub(%s, %m2, %one)\n  %r : Tensor = aten::div(%c, %q)\n"},
        {"extremes",
         "  %s : Tensor = aten::neg(%x)\n  %q : Tensor = aten::amax(%s, %lasts, %yes)\n  %p : Tensor = "
         "aten::amin(%s, %lasts, %yes)\n"
         "  %d : Tensor = aten::sub(%q, %p, %one)\n  %r : Tensor = aten::div(%s, %d)\n"},
        {"argmax", "  %s : Tensor = aten::neg(%x)\n  %r : Tensor = aten::argmax(%s, %last, %no)\n"},
        {"two sums",
         "  %s : Tensor = aten::exp(%x)\n  %q : Tensor = aten::sum(%s, %lasts, %no, %none)\n  %k : Tensor = "
         "aten::sum(%s, %lasts, %yes, %none)\n"
         "  %f : Tensor = aten::div(%s, %k)\n  %g : Tensor = aten::sum(%f, %lasts, %no, %none)\n  %r : Tensor = "
         "aten::sub(%g, %q, %one)\n"},
        {"softmax backward",
         "  %d : Tensor = aten::_softmax_backward_data(%y, %x, %last, %dtype)\n  %r : Tensor = aten::mul(%d, "
         "%half)\n"},
        {"log_softmax backward",
         "  %t : Tensor = aten::mul(%y, %half)\n  %r : Tensor = aten::_log_softmax_backward_data(%t, %x, %last, "
         "%dtype)\n"},
        {"dropped row meets columns",
         "  %s : Tensor = aten::exp(%x)\n  %q : Tensor = aten::sum(%s, %lasts, %no, %none)\n  %r : Tensor = "
         "aten::mul(%s, %q)\n",
         -1},
        {"any",
         "  %s : Tensor = aten::gt(%x, %y)\n  %q : Tensor = aten::any(%s, %last, %yes)\n  %r : Tensor = "
         "aten::where(%q, %x, %y)\n"},
    };
}

inline std::string row_group(const std::string& body, ScalarType dtype) {
    return concat(
        "graph(%x : Tensor, %y : Tensor, %m : Tensor, %w : Tensor, %v : Tensor):\n  %one : int = "
        "prim::Constant[value=1]()\n"
        "  %half : float = prim::Constant[value=0.5]()\n  %last : int = prim::Constant[value=-1]()\n  %none : "
        "NoneType = prim::Constant()\n"
        "  %yes : bool = prim::Constant[value=1]()\n  %no : bool = prim::Constant[value=0]()\n  %eps : float = "
        "prim::Constant[value=1e-05]()\n"
        "  %shape : int[] = prim::Constant[value=[40]]()\n  %lasts : int[] = prim::Constant[value=[-1]]()\n"
        "  %dtype : int = prim::Constant[value=",
        static_cast<int>(dtype), "]()\n", body, "  return (%r)\n");
}

// Rows of 40 elements: dense, turned, expanded, alone.
inline std::vector<std::vector<IValue>> row_inputs(Random& random, ScalarType dtype) {
    const auto draw = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    const auto turned = [&](std::int64_t a, std::int64_t b, std::int64_t c) {
        return fn::transpose(random_tensor(random, {a, c, b}, dtype), 1, 2);
    };
    return {
        {draw({3, 5, 40}), draw({3, 5, 40}), draw({5, 40}), draw({40}), draw({40})},
        {draw({40, 40}), draw({40, 40}), draw({1, 40}), draw({40}), draw({40})},
        {turned(3, 5, 40), turned(3, 5, 40), draw({3, 5, 1}), draw({40}), draw({40})},
        {draw({40}), draw({40}), draw({}), draw({40}), draw({40})},
        {fn::expand(draw({3, 1, 40}), Dims{3, 5, 40}), draw({3, 5, 40}), draw({3, 1, 1}), draw({40}), draw({40})},
    };
}

// What stands before a normalisation's gradient and what follows it; %k reads a sum over the rows, so it is a loop of
// its own.
inline constexpr const char* kAround =
    "graph(%g : Tensor, %x : Tensor, %mean : Tensor, %rstd : Tensor, %w : Tensor, %b : Tensor, %y : Tensor):\n"
    "  %one : int = prim::Constant[value=1]()\n  %half : float = prim::Constant[value=0.5]()\n  %none : NoneType = "
    "prim::Constant()\n"
    "  %shape : int[] = prim::Constant[value=SHAPE]()\n  %mask : bool[] = prim::Constant[value=MASK]()\n"
    "  %t : Tensor = aten::mul(%g, %half)\n"
    "  %dx : Tensor, %dw : Tensor, %db : Tensor = aten::native_layer_norm_backward(%t, %x, %shape, %mean, %rstd, "
    "WEIGHTS, %mask)\n";
inline constexpr const char* kAll =
    "  %r : Tensor = aten::add(%dx, %y, %one)\n  %k : Tensor = aten::mul(%dw, %half)\n  return (%r, %dw, %db, %k)\n";

inline std::string around(const std::string& shape, const std::string& mask, bool with_weights,
                          const std::string& rest) {
    std::string text = concat(kAround, rest);
    const auto put = [&](const char* place, const std::string& what) {
        text.replace(text.find(place), std::string(place).size(), what);
    };
    put("SHAPE", shape);
    put("MASK", mask);
    put("WEIGHTS", with_weights ? "%w, %b" : "%none, %none");
    return text;
}

}  // namespace loupe::test

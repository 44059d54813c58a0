// SPDX-License-Identifier: Apache-2.0
// Operators on each tensor of a list, as optimisers use them.

#include <algorithm>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/forward.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/out_form.h"
#include "core/ops/composed/family.h"

namespace loupe::composed {
namespace {

void require(bool holds, const std::string& what) {
    if (!holds) throw Error(ErrorKind::Run, what);
}

// As many tensors, or numbers, in each list as in the first.
void check_lists(Arguments arguments) {
    const std::size_t count = arguments[0].to_list().elements.size();
    require(count > 0, "Tensor list must have at least one tensor.");
    for (const IValue& argument : arguments.subspan(1)) {
        if (!argument.is_list()) continue;
        const std::vector<IValue>& elements = argument.to_list().elements;
        if (elements.size() == count) continue;
        const bool numbers = !elements.empty() && elements[0].is_number();
        const std::string got = concat(", got ", count, " and ", elements.size());
        if (!numbers) throw Error(ErrorKind::Run, concat("Tensor lists must have the same number of tensors", got));
        throw Error(ErrorKind::Run, concat("Tensor list must have same number of elements as scalar list",
                                           arguments.size() > 2 ? got : "."));
    }
}

// The operator on the i-th element of every list and on the arguments that are no lists.
Tensor call_on(const Operator& op, Arguments arguments, std::size_t i) {
    std::vector<IValue> all;
    for (const IValue& argument : arguments)
        all.push_back(argument.is_list() ? argument.to_list().elements[i] : argument);
    detail::fill_default_arguments(op, all);
    IValue result;
    call_operator(op, all, &result);
    return result.to_tensor();
}

template <detail::OperatorName kName>
TensorList call_on_all(Arguments arguments) {
    static const Operator& op = detail::operator_or_throw(kName.text);
    check_lists(arguments);
    TensorList results;
    for (std::size_t i = 0; i < arguments[0].to_list().elements.size(); ++i)
        results.push_back(call_on(op, arguments, i));
    return results;
}

template <detail::OperatorName kName>
void each(Arguments arguments, IValue* results) {
    results[0] = IValue(call_on_all<kName>(arguments));
}
template <detail::OperatorName kName>
void each_in_place(Arguments arguments, IValue*) {
    call_on_all<kName>(arguments);
}
// For operators that have no in-place form.
template <detail::OperatorName kName>
void each_copied_back(Arguments arguments, IValue*) {
    const TensorList results = call_on_all<kName>(arguments);
    const TensorList self = arguments[0].to_tensors();
    for (std::size_t i = 0; i < self.size(); ++i) fn::copy_(self[i], results[i]);
}
template <detail::OperatorName kName>
void each_into(Arguments arguments, IValue*) {
    const TensorList results = call_on_all<kName>(arguments.first(arguments.size() - 1));
    const TensorList out = arguments.back().to_tensors();
    require(out.size() == results.size(),
            concat("Tensor lists must have the same number of tensors, got ", results.size(), " and ", out.size()));
    for (std::size_t i = 0; i < out.size(); ++i) put_into(out[i], results[i]);
}

// The forms that give new tensors, that write to the first list, and that write to another.
#define LOUPE_EACH(name, overload, of, in_place, more) \
    LOUPE_EACH_NEW(name, overload, of, in_place, more), LOUPE_EACH_INTO(name, overload "_out", of, more ", *, ")
#define LOUPE_EACH_NEW(name, overload, of, in_place, more)                                 \
    {.schema = "aten::_foreach_" name overload "(Tensor[] self" more ") -> Tensor[]",      \
     .summary = name " of each tensor of a list.",                                         \
     .composite = each<"aten::" of>},                                                      \
    {                                                                                      \
        .schema = "aten::_foreach_" name "_" overload "(Tensor(a!)[] self" more ") -> ()", \
        .summary = name " of each tensor of a list, in place.", .composite = in_place      \
    }
#define LOUPE_EACH_INTO(name, overload, of, more)                                                      \
    {                                                                                                  \
        .schema = "aten::_foreach_" name overload "(Tensor[] self" more "Tensor(a!)[] out) -> ()",     \
        .summary = name " of each tensor of a list, into others.", .composite = each_into<"aten::" of> \
    }
#define LOUPE_UNARY(name)                                               \
    {.schema = "aten::_foreach_" name "(Tensor[] self) -> Tensor[]",    \
     .summary = name " of each tensor of a list.",                      \
     .composite = each<"aten::" name>},                                 \
        {.schema = "aten::_foreach_" name "_(Tensor(a!)[] self) -> ()", \
         .summary = name " of each tensor of a list, in place.",        \
         .composite = each_in_place<"aten::" name "_">},                \
        LOUPE_EACH_INTO(name, ".out", name, ", *, ")
#define LOUPE_NUMBERS(name)                                                                                    \
    LOUPE_EACH(name, ".Scalar", name ".Scalar", (each_in_place<"aten::" name "_.Scalar">), ", Scalar scalar"), \
        LOUPE_EACH(name, ".ScalarList", name ".Scalar", (each_in_place<"aten::" name "_.Scalar">),             \
                   ", Scalar[] scalars")
#define LOUPE_LISTS(name, alpha, alpha_out)                                                  \
    LOUPE_EACH_NEW(name, ".List", name ".Tensor", (each_in_place<"aten::" name "_.Tensor">), \
                   ", Tensor[] other" alpha),                                                \
        LOUPE_EACH_INTO(name, ".List_out", name ".Tensor", ", Tensor[] other" alpha_out)
#define LOUPE_EXTREMUM(name) LOUPE_EACH(name, ".List", name, (each_copied_back<"aten::" name>), ", Tensor[] other")
#define LOUPE_PRODUCT(name)                                                       \
    LOUPE_EACH(name, ".Scalar", name, (each_in_place<"aten::" name "_">),         \
               ", Tensor[] tensor1, Tensor[] tensor2, Scalar value=1"),           \
        LOUPE_EACH(name, ".ScalarList", name, (each_in_place<"aten::" name "_">), \
                   ", Tensor[] tensor1, Tensor[] tensor2, Scalar[] scalars")

constexpr OperatorRecord kRecords[] = {
    LOUPE_UNARY("abs"),
    LOUPE_UNARY("acos"),
    LOUPE_UNARY("asin"),
    LOUPE_UNARY("atan"),
    LOUPE_UNARY("ceil"),
    LOUPE_UNARY("cos"),
    LOUPE_UNARY("cosh"),
    LOUPE_UNARY("erf"),
    LOUPE_UNARY("erfc"),
    LOUPE_UNARY("exp"),
    LOUPE_UNARY("expm1"),
    LOUPE_UNARY("floor"),
    LOUPE_UNARY("frac"),
    LOUPE_UNARY("lgamma"),
    LOUPE_UNARY("log"),
    LOUPE_UNARY("log10"),
    LOUPE_UNARY("log1p"),
    LOUPE_UNARY("log2"),
    LOUPE_UNARY("neg"),
    LOUPE_UNARY("reciprocal"),
    LOUPE_UNARY("round"),
    LOUPE_UNARY("sigmoid"),
    LOUPE_UNARY("sin"),
    LOUPE_UNARY("sinh"),
    LOUPE_UNARY("sqrt"),
    LOUPE_UNARY("tan"),
    LOUPE_UNARY("tanh"),
    LOUPE_UNARY("trunc"),
    LOUPE_UNARY("zero"),
    LOUPE_NUMBERS("add"),
    LOUPE_NUMBERS("sub"),
    LOUPE_NUMBERS("mul"),
    LOUPE_NUMBERS("div"),
    LOUPE_LISTS("add", ", *, Scalar alpha=1", ", *, Scalar alpha=1, "),
    LOUPE_LISTS("sub", ", *, Scalar alpha=1", ", *, Scalar alpha=1, "),
    LOUPE_LISTS("mul", "", ", *, "),
    LOUPE_LISTS("div", "", ", *, "),
    LOUPE_EXTREMUM("maximum"),
    LOUPE_EXTREMUM("minimum"),
    LOUPE_PRODUCT("addcmul"),
    LOUPE_PRODUCT("addcdiv"),
    {.schema = "aten::_foreach_norm.Scalar(Tensor[] self, Scalar ord=2) -> Tensor[]",
     .summary = "Norm of each tensor of a list.",
     .composite = each<"aten::linalg_vector_norm">},
    LOUPE_EACH_INTO("norm", ".Scalar_out", "linalg_vector_norm", ", Scalar ord=2, *, "),
};

#undef LOUPE_EACH
#undef LOUPE_EACH_NEW
#undef LOUPE_EACH_INTO
#undef LOUPE_UNARY
#undef LOUPE_NUMBERS
#undef LOUPE_LISTS
#undef LOUPE_EXTREMUM
#undef LOUPE_PRODUCT

}  // namespace

std::span<const OperatorRecord> foreach_records() { return kRecords; }

}  // namespace loupe::composed

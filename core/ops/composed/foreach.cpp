// SPDX-License-Identifier: Apache-2.0
// Operators on each tensor of a list, as optimisers use them.

#include <algorithm>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/forward.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/interceptor.h"
#include "core/dispatch/out_form.h"
#include "core/kernels/lanes.h"
#include "core/kernels/list_runs.h"
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

// ---- one kernel over a list

// What the operator makes of its tensors and the number behind them.
struct ListForm {
    ListOp op = ListOp::Is;    // Is: it has no such form
    bool has_number = false;   // the second operand is the number
    bool is_scaled = false;    // self + number other
    ListOp pair = ListOp::Is;  // another: self + number (a pair b)
};

ListForm list_form(std::string_view name) {
    static constexpr std::pair<std::string_view, ListOp> kUnary[] = {
        {"abs", ListOp::Abs},         {"acos", ListOp::Acos},
        {"asin", ListOp::Asin},       {"atan", ListOp::Atan},
        {"ceil", ListOp::Ceil},       {"cos", ListOp::Cos},
        {"cosh", ListOp::Cosh},       {"erf", ListOp::Erf},
        {"erfc", ListOp::Erfc},       {"exp", ListOp::Exp},
        {"expm1", ListOp::Expm1},     {"floor", ListOp::Floor},
        {"frac", ListOp::Frac},       {"lgamma", ListOp::Lgamma},
        {"log", ListOp::Log},         {"log10", ListOp::Log10},
        {"log1p", ListOp::Log1p},     {"log2", ListOp::Log2},
        {"neg", ListOp::Neg},         {"reciprocal", ListOp::Reciprocal},
        {"round", ListOp::Round},     {"sigmoid", ListOp::Sigmoid},
        {"sin", ListOp::Sin},         {"sinh", ListOp::Sinh},
        {"sqrt", ListOp::Sqrt},       {"tan", ListOp::Tan},
        {"tanh", ListOp::Tanh},       {"trunc", ListOp::Trunc},
        {"maximum", ListOp::Maximum}, {"minimum", ListOp::Minimum}};
    static constexpr std::pair<std::string_view, ListOp> kBinary[] = {
        {"add", ListOp::Add}, {"sub", ListOp::Sub}, {"mul", ListOp::Mul}, {"div", ListOp::Div}};
    std::string text(name.substr(name.find("::") + 2));
    // The in-place forms are the same.
    if (const std::size_t mark = text.find('_'); mark != std::string::npos) text.erase(mark, 1);
    for (const auto& [known, op] : kUnary) {
        if (text == known) return {op};
    }
    for (const auto& [known, op] : kBinary) {
        if (text == concat(known, ".Scalar")) return {op, true};
        if (text == concat(known, ".Tensor")) return {op, false, op == ListOp::Add || op == ListOp::Sub};
    }
    if (text == "addcmul") return {ListOp::Add, false, false, ListOp::Mul};
    if (text == "addcdiv") return {ListOp::Add, false, false, ListOp::Div};
    return {};
}

// On a device, and nothing looks at the calls one by one: no history, no observer, no trace. As in PyTorch all tensors
// have one dtype and those of an entry one shape.
bool is_one_kernel(Arguments arguments) {
    if (execution_observer() != nullptr || detail::thread_interceptor != nullptr) return false;
    const auto& first = arguments[0].to_list().elements;
    if (first.empty() || !first[0].is_tensor() || !first[0].to_tensor().defined()) return false;
    const Tensor like = first[0].to_tensor();
    if (like.device().is_cpu() || !is_floating(like.dtype()) || element_size(like.dtype()) == 1) return false;
    for (const IValue& argument : arguments) {
        if (argument.is_number() && argument.to_scalar().is_complex()) return false;
        if (!argument.is_list()) continue;
        const std::vector<IValue>& elements = argument.to_list().elements;
        if (elements.size() != first.size()) return false;
        for (std::size_t i = 0; i < elements.size(); ++i) {
            if (!elements[i].is_tensor()) {
                if (elements[i].to_scalar().is_complex()) return false;
                continue;
            }
            const Tensor t = elements[i].to_tensor();
            const bool fits = t.defined() && t.dtype() == like.dtype() && t.device() == like.device() &&
                              std::ranges::equal(t.sizes(), first[i].to_tensor().sizes()) && t.numel() > 0 &&
                              !t.is_sparse() && !(GradMode::is_enabled() && requires_grad(t));
            if (!fits) return false;
        }
    }
    return true;
}

ListProgram program_of(const ListForm& form, int lists, bool in_place, bool has_number) {
    const int out = in_place ? 0 : lists;
    ListRecorder recorder(in_place ? lists : lists + 1);
    const int number = has_number ? recorder.number(0) : -1;
    if (form.pair != ListOp::Is) {
        const int pair = recorder.step(ListOp::Mul, number, recorder.step(form.pair, 1, 2));
        recorder.write(out, recorder.step(form.op, 0, pair));
    } else if (form.is_scaled) {
        recorder.write(out, recorder.step(form.op, 0, recorder.step(ListOp::Mul, number, 1)));
    } else if (form.has_number) {
        recorder.write(out, recorder.step(form.op, 0, number));
    } else {
        recorder.write(out, recorder.step(form.op, 0, lists > 1 ? 1 : 0));
    }
    return recorder.finish();
}

TensorList run_as_list(const ListForm& form, Arguments arguments, bool in_place) {
    std::vector<TensorList> lists;
    const IValue* numbers = nullptr;
    for (const IValue& argument : arguments) {
        if (argument.is_list() && argument.to_list().elements[0].is_tensor())
            lists.push_back(argument.to_tensors());
        else
            numbers = &argument;
    }
    const bool has_number = form.has_number || form.is_scaled || form.pair != ListOp::Is;
    const auto number_of = [&](std::size_t i) {
        const IValue& value = numbers->is_list() ? numbers->to_list().elements[i] : *numbers;
        return value.to_scalar().to_double();
    };
    ListCall call;
    call.program = program_of(form, static_cast<int>(lists.size()), in_place, has_number);
    call.in_double = lists[0][0].dtype() == ScalarType::Float64;
    TensorList results;
    std::vector<DenseEntry> entries;
    for (std::size_t i = 0; i < lists[0].size(); ++i) {
        TensorList tensors;
        for (const TensorList& list : lists) tensors.push_back(detach(list[i]));
        if (!in_place) {
            const Tensor& like = tensors[0];
            results.push_back(like.is_non_overlapping_and_dense()
                                  ? empty_strided(like.sizes(), like.strides(), like.dtype(), like.device())
                                  : empty(like.sizes(), like.dtype(), like.device()));
            tensors.push_back(results.back());
        }
        entries.emplace_back(tensors);
        call.entries.push_back(
            {entries.back().tensors(), has_number ? std::vector<double>{number_of(i)} : std::vector<double>{}, {}});
    }
    run_lists(call);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        entries[i].put_back(call.program);
        if (in_place) lists[0][i].storage()->bump_version();
    }
    return results;
}

template <detail::OperatorName kName>
void each(Arguments arguments, IValue* results) {
    static const ListForm form = list_form(kName.text);
    if (form.op != ListOp::Is && is_one_kernel(arguments)) {
        results[0] = IValue(run_as_list(form, arguments, false));
        return;
    }
    results[0] = IValue(call_on_all<kName>(arguments));
}
template <detail::OperatorName kName>
void each_in_place(Arguments arguments, IValue*) {
    static const ListForm form = list_form(kName.text);
    if (form.op != ListOp::Is && is_one_kernel(arguments))
        run_as_list(form, arguments, true);
    else
        call_on_all<kName>(arguments);
}
// For operators that have no in-place form.
template <detail::OperatorName kName>
void each_copied_back(Arguments arguments, IValue*) {
    static const ListForm form = list_form(kName.text);
    if (form.op != ListOp::Is && is_one_kernel(arguments)) {
        run_as_list(form, arguments, true);
        return;
    }
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

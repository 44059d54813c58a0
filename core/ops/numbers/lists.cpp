// SPDX-License-Identifier: Apache-2.0
// Lists: Python's list and what compiled code does with lists of sizes.

#include <algorithm>

#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/kernels/integer_math.h"
#include "core/ops/numbers/family.h"
#include "core/ops/numbers/slice.h"
#include "core/ops/numbers/text.h"
#include "core/ops/numbers/typed.h"
#include "core/tensor/memory_limit.h"

namespace loupe::numbers {
namespace {

using Elements = std::vector<IValue>;

Elements& elements_of(const IValue& list) { return list.to_list().elements; }
IValue list_like(const IValue& list, Elements elements) {
    return IValue(make_ptr<ListObject>(list.to_list().element_type, std::move(elements)));
}

[[noreturn]] void index_error() { throw Error(ErrorKind::Run, "list index out of range"); }
std::size_t checked_index(const Elements& elements, Int index) {
    const Int size = static_cast<Int>(elements.size());
    if (index < 0) index += size;
    if (index < 0 || index >= size) index_error();
    return static_cast<std::size_t>(index);
}

void get_item(Arguments arguments, IValue* results) {
    const Elements& elements = elements_of(arguments[0]);
    results[0] = elements[checked_index(elements, arguments[1].to_int())];
}
void set_item(Arguments arguments, IValue* results) {
    Elements& elements = elements_of(arguments[0]);
    elements[checked_index(elements, arguments[1].to_int())] = arguments[2];
    results[0] = arguments[0];
}
void remove_item(Arguments arguments, IValue*) {
    Elements& elements = elements_of(arguments[0]);
    const std::size_t index = checked_index(elements, arguments[1].to_int());
    elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(index));
}
void append(Arguments arguments, IValue* results) {
    elements_of(arguments[0]).push_back(arguments[1]);
    results[0] = arguments[0];
}
void extend(Arguments arguments, IValue*) {
    Elements& elements = elements_of(arguments[0]);
    const Elements more = elements_of(arguments[1]);  // a copy: both may be one list
    elements.insert(elements.end(), more.begin(), more.end());
}
void insert(Arguments arguments, IValue*) {
    Elements& elements = elements_of(arguments[0]);
    const Int size = static_cast<Int>(elements.size());
    Int index = arguments[1].to_int();
    if (index < 0) index += size;
    elements.insert(elements.begin() + std::clamp<Int>(index, 0, size), arguments[2]);
}
void pop(Arguments arguments, IValue* results) {
    Elements& elements = elements_of(arguments[0]);
    if (elements.empty()) throw Error(ErrorKind::Run, "pop from empty list");
    const std::size_t index = checked_index(elements, arguments[1].to_int());
    results[0] = std::move(elements[index]);
    elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(index));
}
void reverse(Arguments arguments, IValue*) { std::ranges::reverse(elements_of(arguments[0])); }
void clear(Arguments arguments, IValue*) { elements_of(arguments[0]).clear(); }
void copy(Arguments arguments, IValue* results) { results[0] = list_like(arguments[0], elements_of(arguments[0])); }
void length(Arguments arguments, IValue* results) {
    results[0] = IValue(static_cast<Int>(elements_of(arguments[0]).size()));
}

void slice(Arguments arguments, IValue* results) {
    const Elements& elements = elements_of(arguments[0]);
    const SliceRange range = slice_range(arguments.subspan(1), static_cast<Int>(elements.size()));
    Elements picked;
    picked.reserve(static_cast<std::size_t>(range.length));
    for (Int i = 0; i < range.length; ++i) {
        picked.push_back(elements[static_cast<std::size_t>(range.start + i * range.step)]);
    }
    results[0] = list_like(arguments[0], std::move(picked));
}

void add(Arguments arguments, IValue* results) {
    Elements both = elements_of(arguments[0]);
    const Elements& more = elements_of(arguments[1]);
    both.insert(both.end(), more.begin(), more.end());
    results[0] = list_like(arguments[0], std::move(both));
}
void add_in_place(Arguments arguments, IValue* results) {
    extend(arguments, results);
    results[0] = arguments[0];
}
Elements repeated(const Elements& elements, Int times) {
    Elements out;
    if (times <= 0 || elements.empty()) return out;
    require_memory(times, elements.size() * sizeof(IValue));
    out.reserve(elements.size() * static_cast<std::size_t>(times));
    for (Int i = 0; i < times; ++i) out.insert(out.end(), elements.begin(), elements.end());
    return out;
}
template <std::size_t List, std::size_t Times>
void boxed_repeat(Arguments arguments, IValue* results) {
    results[0] = list_like(arguments[List], repeated(elements_of(arguments[List]), arguments[Times].to_int()));
}
void repeat_in_place(Arguments arguments, IValue* results) {
    Elements& elements = elements_of(arguments[0]);
    elements = repeated(elements, arguments[1].to_int());
    results[0] = arguments[0];
}

bool elements_equal(const IValue& a, const IValue& b) {
    if (a.is_tensor() && b.is_tensor()) return fn::is_nonzero(fn::eq(a.to_tensor(), b.to_tensor()));
    return values_equal(a, b);
}
Elements::iterator find_in(const IValue& list, const IValue& wanted) {
    return std::ranges::find_if(elements_of(list), [&](const IValue& v) { return elements_equal(v, wanted); });
}
void contains(Arguments arguments, IValue* results) {
    results[0] = IValue(find_in(arguments[0], arguments[1]) != elements_of(arguments[0]).end());
}
void count(Arguments arguments, IValue* results) {
    const auto matches = [&](const IValue& v) { return elements_equal(v, arguments[1]); };
    results[0] = IValue(static_cast<Int>(std::ranges::count_if(elements_of(arguments[0]), matches)));
}
void index(Arguments arguments, IValue* results) {
    const auto found = find_in(arguments[0], arguments[1]);
    if (found == elements_of(arguments[0]).end()) {
        throw Error(ErrorKind::Run, concat("'", stream_text(arguments[1]), "' is not in list"));
    }
    results[0] = IValue(static_cast<Int>(found - elements_of(arguments[0]).begin()));
}
void remove(Arguments arguments, IValue*) {
    const auto found = find_in(arguments[0], arguments[1]);
    if (found == elements_of(arguments[0]).end()) throw Error(ErrorKind::Run, "list.remove(x): x not in list");
    elements_of(arguments[0]).erase(found);
}

bool less(const IValue& a, const IValue& b) {
    if (a.is_int() && b.is_int()) return a.to_int() < b.to_int();
    if (a.is_number() && b.is_number()) return a.to_double() < b.to_double();
    if (a.is_bool() && b.is_bool()) return a.to_bool() < b.to_bool();
    if (a.is_string() && b.is_string()) return a.to_string() < b.to_string();
    if (a.is_tensor() && b.is_tensor()) return fn::is_nonzero(fn::lt(a.to_tensor(), b.to_tensor()));
    if (a.is_tuple() && b.is_tuple()) {
        const Elements& x = a.to_tuple().elements;
        const Elements& y = b.to_tuple().elements;
        return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end(), less);
    }
    throw Error(ErrorKind::Run,
                concat("'<' not supported between instances of ", value_type_name(a), " and ", value_type_name(b)));
}
void sort_elements(Elements& elements, bool reverse) {
    std::stable_sort(elements.begin(), elements.end(),
                     [reverse](const IValue& a, const IValue& b) { return reverse ? less(b, a) : less(a, b); });
}
void sort(Arguments arguments, IValue*) { sort_elements(elements_of(arguments[0]), arguments[1].to_bool()); }
void sorted(Arguments arguments, IValue* results) {
    copy(arguments, results);
    sort_elements(elements_of(results[0]), false);
}

bool is_true(const IValue& v) {
    if (v.is_string()) return !v.to_string().empty();
    if (v.is_double()) return v.to_double() != 0;
    return v.to_int() != 0;
}
void all(Arguments arguments, IValue* results) {
    results[0] = IValue(std::ranges::all_of(elements_of(arguments[0]), is_true));
}
void any(Arguments arguments, IValue* results) {
    results[0] = IValue(std::ranges::any_of(elements_of(arguments[0]), is_true));
}
template <typename T>
void sum_of(Arguments arguments, IValue* results) {
    T sum{};
    for (const IValue& v : elements_of(arguments[0])) {
        if constexpr (std::is_same_v<T, Int>)
            sum = wrapping_sum(sum, as<T>(v));
        else
            sum += as<T>(v);
    }
    results[0] = IValue(sum);
}
template <bool Least>
void extreme(Arguments arguments, IValue* results) {
    const Elements& elements = elements_of(arguments[0]);
    if (elements.empty()) {
        throw Error(ErrorKind::Run, concat(Least ? "min" : "max", "() arg is an empty sequence"));
    }
    const IValue* best = &elements[0];
    for (const IValue& v : elements) {
        if (Least ? less(v, *best) : less(*best, v)) best = &v;
    }
    results[0] = *best;
}
template <bool Least>
void lesser_list(Arguments arguments, IValue* results) {
    const Elements& a = elements_of(arguments[0]);
    const Elements& b = elements_of(arguments[1]);
    const bool first_is_less = std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), less);
    results[0] = arguments[first_is_less == Least ? 0 : 1];
}

void range_list(Arguments arguments, IValue* results) {
    Elements numbers;
    require_memory(arguments[0].to_int(), sizeof(IValue));
    for (Int i = 0; i < arguments[0].to_int(); ++i) numbers.emplace_back(i);
    results[0] = IValue(make_ptr<ListObject>(types::integer(), std::move(numbers)));
}
Int range_length(Int low, Int high, Int step) {
    if (step == 0) throw Error(ErrorKind::Run, "range() arg 3 must not be zero");
    if (step > 0 ? low >= high : low <= high) return 0;
    const auto from = static_cast<std::uint64_t>(step > 0 ? low : high);
    const std::uint64_t last = static_cast<std::uint64_t>(step > 0 ? high : low) - from - 1;
    return checked_sum(
        static_cast<Int>(std::min<std::uint64_t>(last / wrapping_magnitude(step), std::numeric_limits<Int>::max())), 1);
}

Dims infer_size(const Dims& a, const Dims& b) { return broadcast_shapes(span_of(a), span_of(b)); }
void size_if_not_equal(Arguments arguments, IValue* results) {
    results[0] = values_equal(arguments[0], arguments[1]) ? IValue() : arguments[0];
}
Dims squeeze_all(const Dims& sizes) {
    Dims out;
    std::ranges::copy_if(sizes, std::back_inserter(out), [](Int size) { return size != 1; });
    return out;
}
Dims squeeze_one(Dims sizes, Int dim) {
    dim = wrap_dim(dim, static_cast<Int>(sizes.size()));
    if (!sizes.empty() && sizes[static_cast<std::size_t>(dim)] == 1) sizes.erase(sizes.begin() + dim);
    return sizes;
}
Dims unsqueeze(Dims sizes, Int dim) {
    sizes.insert(sizes.begin() + wrap_dim(dim, static_cast<Int>(sizes.size()) + 1), 1);
    return sizes;
}
Dims reduction_sizes(const Dims& sizes, const Dims& axes, bool keepdim) {
    const Int ndim = static_cast<Int>(sizes.size());
    std::vector<bool> is_reduced(sizes.size());
    for (const Int axis : axes) {
        if (ndim != 0) is_reduced[static_cast<std::size_t>(wrap_dim(axis, ndim))] = true;
    }
    Dims out;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (!is_reduced[i])
            out.push_back(sizes[i]);
        else if (keepdim)
            out.push_back(1);
    }
    return out;
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::__getitem__.t(t[](a) list, int idx) -> t(*)", .summary = "l[i].", .kernel = get_item},
    {.schema = "aten::select.t(t[](a) list, int idx) -> t(*)", .summary = "l[i].", .kernel = get_item},
    {.schema = "aten::_set_item.t(t[](a!) l, int idx, t(b -> *) el) -> t[](a!)",
     .summary = "l[i] = value.",
     .kernel = set_item},
    {.schema = "aten::Delete.t(t[](a!) self, int idx) -> ()", .summary = "del l[i].", .kernel = remove_item},
    {.schema = "aten::append.t(t[](a!) self, t(c -> *) el) -> t[](a!)",
     .summary = "Adds one element at the end.",
     .kernel = append},
    {.schema = "aten::extend.t(t[](a!) self, t[] other) -> ()",
     .summary = "Adds the elements of the other list.",
     .kernel = extend},
    {.schema = "aten::insert.t(t[](a!) self, int idx, t(b -> *) el) -> ()",
     .summary = "Puts an element before index i.",
     .kernel = insert},
    {.schema = "aten::pop.t(t[](a!) self, int idx=-1) -> t(*)",
     .summary = "Takes out and returns l[i].",
     .kernel = pop},
    {.schema = "aten::reverse.t(t[](a!) self) -> ()", .summary = "Turns the order around.", .kernel = reverse},
    {.schema = "aten::clear.t(t[](a!) self) -> ()", .summary = "Takes out all elements.", .kernel = clear},
    {.schema = "aten::copy.t(t[](a) self) -> t[]", .summary = "A new list of the same elements.", .kernel = copy},
    {.schema = "aten::list.t(t[] l) -> t[]", .summary = "A new list of the same elements.", .kernel = copy},
    {.schema = "aten::len.t(t[] a) -> int", .summary = "How many elements it has.", .kernel = length},
    {.schema = "aten::len.any(Any[] a) -> int", .summary = "How many elements it has.", .kernel = length},
    {.schema = "aten::slice.t(t[] l, int? start=None, int? end=None, int step=1) -> t[]",
     .summary = "l[start:end:step].",
     .kernel = slice},
    {.schema = "aten::add.t(t[] a, t[] b) -> t[]", .summary = "a + b: a new list.", .kernel = add},
    {.schema = "aten::add_.t(t[](a!) self, t[] b) -> t[]", .summary = "a += b.", .kernel = add_in_place},
    {.schema = "aten::mul.left_t(t[] l, int n) -> t[]",
     .summary = "l * n: n times over.",
     .kernel = boxed_repeat<0, 1>},
    {.schema = "aten::mul.right_(int n, t[] l) -> t[]",
     .summary = "n * l: n times over.",
     .kernel = boxed_repeat<1, 0>},
    {.schema = "aten::mul_.t(t[](a!) l, int n) -> t[](a!)", .summary = "l *= n.", .kernel = repeat_in_place},
    {.schema = "aten::__contains__.int_list(int[] l, int item) -> bool", .summary = "item in l.", .kernel = contains},
    {.schema = "aten::__contains__.float_list(float[] l, float item) -> bool",
     .summary = "item in l.",
     .kernel = contains},
    {.schema = "aten::__contains__.str_list(str[] l, str item) -> bool", .summary = "item in l.", .kernel = contains},
    {.schema = "aten::count.int(int[] self, int el) -> int", .summary = "How many elements equal el.", .kernel = count},
    {.schema = "aten::index.list_int(int[] self, int el) -> int",
     .summary = "The index of the first element that equals el.",
     .kernel = index},
    {.schema = "aten::remove.int(int[](a!) self, int el) -> ()",
     .summary = "Takes out the first element that equals el.",
     .kernel = remove},
    {.schema = "aten::count.float(float[] self, float el) -> int",
     .summary = "How many elements equal el.",
     .kernel = count},
    {.schema = "aten::index.list_float(float[] self, float el) -> int",
     .summary = "The index of the first element that equals el.",
     .kernel = index},
    {.schema = "aten::remove.float(float[](a!) self, float el) -> ()",
     .summary = "Takes out the first element that equals el.",
     .kernel = remove},
    {.schema = "aten::count.bool(bool[] self, bool el) -> int",
     .summary = "How many elements equal el.",
     .kernel = count},
    {.schema = "aten::index.list_bool(bool[] self, bool el) -> int",
     .summary = "The index of the first element that equals el.",
     .kernel = index},
    {.schema = "aten::remove.bool(bool[](a!) self, bool el) -> ()",
     .summary = "Takes out the first element that equals el.",
     .kernel = remove},
    {.schema = "aten::count.str(str[] self, str el) -> int", .summary = "How many elements equal el.", .kernel = count},
    {.schema = "aten::index.list_str(str[] self, str el) -> int",
     .summary = "The index of the first element that equals el.",
     .kernel = index},
    {.schema = "aten::remove.str(str[](a!) self, str el) -> ()",
     .summary = "Takes out the first element that equals el.",
     .kernel = remove},
    {.schema = "aten::count.Tensor(Tensor[] self, Tensor el) -> int",
     .summary = "How many elements equal el.",
     .kernel = count,
     .placement = Placement::Anywhere},
    {.schema = "aten::index.list_Tensor(Tensor[] self, Tensor el) -> int",
     .summary = "The index of the first element that equals el.",
     .kernel = index,
     .gradient = "self: grad, added at the indices; 0 elsewhere",
     .placement = Placement::Anywhere},
    {.schema = "aten::remove.Tensor(Tensor[](a!) self, Tensor el) -> ()",
     .summary = "Takes out the first element that equals el.",
     .kernel = remove,
     .placement = Placement::Anywhere},
    {.schema = "aten::sort.int(int[](a!) self, bool reverse=False) -> ()",
     .summary = "Sorts in place.",
     .kernel = sort},
    {.schema = "aten::sorted.int(int[](a) input) -> int[]", .summary = "A sorted copy.", .kernel = sorted},
    {.schema = "aten::sort.float(float[](a!) self, bool reverse=False) -> ()",
     .summary = "Sorts in place.",
     .kernel = sort},
    {.schema = "aten::sorted.float(float[](a) input) -> float[]", .summary = "A sorted copy.", .kernel = sorted},
    {.schema = "aten::sort.bool(bool[](a!) self, bool reverse=False) -> ()",
     .summary = "Sorts in place.",
     .kernel = sort},
    {.schema = "aten::sorted.bool(bool[](a) input) -> bool[]", .summary = "A sorted copy.", .kernel = sorted},
    {.schema = "aten::sort.str(str[](a!) self, bool reverse=False) -> ()",
     .summary = "Sorts in place.",
     .kernel = sort},
    {.schema = "aten::sorted.str(str[](a) input) -> str[]", .summary = "A sorted copy.", .kernel = sorted},
    {.schema = "aten::sort.Tensor(Tensor[](a!) self, bool reverse=False) -> ()",
     .summary = "Sorts in place.",
     .kernel = sort,
     .gradient = "self: grad, back where the elements stood",
     .placement = Placement::Anywhere},
    {.schema = "aten::sorted.Tensor(Tensor[](a) input) -> Tensor[]",
     .summary = "A sorted copy.",
     .kernel = sorted,
     .placement = Placement::Anywhere},
    {.schema = "aten::sort.any(t[](a!) self, bool reverse=False) -> ()", .summary = "Sorts in place.", .kernel = sort},
    {.schema = "aten::sorted.any(t[](a) self) -> t[]", .summary = "A sorted copy.", .kernel = sorted},
    {.schema = "aten::all.int(int[] self) -> bool", .summary = "Are all elements true?", .kernel = all},
    {.schema = "aten::all.float(float[] self) -> bool", .summary = "Are all elements true?", .kernel = all},
    {.schema = "aten::all.bool(bool[] self) -> bool", .summary = "Are all elements true?", .kernel = all},
    {.schema = "aten::any.int(int[] self) -> bool", .summary = "Is some element true?", .kernel = any},
    {.schema = "aten::any.float(float[] self) -> bool", .summary = "Is some element true?", .kernel = any},
    {.schema = "aten::any.bool(bool[] self) -> bool", .summary = "Is some element true?", .kernel = any},
    {.schema = "aten::any.str(str[] self) -> bool", .summary = "Is some element true?", .kernel = any},
    {.schema = "aten::sum.int(int[] self) -> int", .summary = "The sum of the elements.", .kernel = sum_of<Int>},
    {.schema = "aten::sum.float(float[] self) -> float",
     .summary = "The sum of the elements.",
     .kernel = sum_of<Float>},
    {.schema = "aten::sum.complex(complex[] self) -> complex",
     .summary = "The sum of the elements.",
     .kernel = sum_of<Complex>},
    {.schema = "aten::sum.bool(bool[] self) -> int", .summary = "The sum of the elements.", .kernel = sum_of<Int>},
    {.schema = "prim::min.self_int(int[] self) -> int", .summary = "The least element.", .kernel = extreme<true>},
    {.schema = "prim::max.self_int(int[] self) -> int", .summary = "The greatest element.", .kernel = extreme<false>},
    {.schema = "prim::min.int_list(int[] l, int[] r) -> int[]",
     .summary = "The lesser list, by the first difference.",
     .kernel = lesser_list<true>},
    {.schema = "prim::max.int_list(int[] l, int[] r) -> int[]",
     .summary = "The greater list, by the first difference.",
     .kernel = lesser_list<false>},
    {.schema = "prim::min.self_float(float[] self) -> float", .summary = "The least element.", .kernel = extreme<true>},
    {.schema = "prim::max.self_float(float[] self) -> float",
     .summary = "The greatest element.",
     .kernel = extreme<false>},
    {.schema = "prim::min.float_list(float[] l, float[] r) -> float[]",
     .summary = "The lesser list, by the first difference.",
     .kernel = lesser_list<true>},
    {.schema = "prim::max.float_list(float[] l, float[] r) -> float[]",
     .summary = "The greater list, by the first difference.",
     .kernel = lesser_list<false>},
    {.schema = "prim::min.self_bool(bool[] self) -> bool", .summary = "The least element.", .kernel = extreme<true>},
    {.schema = "prim::max.self_bool(bool[] self) -> bool",
     .summary = "The greatest element.",
     .kernel = extreme<false>},
    {.schema = "prim::min.bool_list(bool[] l, bool[] r) -> bool[]",
     .summary = "The lesser list, by the first difference.",
     .kernel = lesser_list<true>},
    {.schema = "prim::max.bool_list(bool[] l, bool[] r) -> bool[]",
     .summary = "The greater list, by the first difference.",
     .kernel = lesser_list<false>},
    {.schema = "prim::rangelist(int n) -> int[]", .summary = "[0, 1, ..., n - 1].", .kernel = range_list},
    {.schema = "aten::__range_length(int lo, int hi, int step) -> int",
     .summary = "How many numbers range(lo, hi, step) has.",
     .kernel = boxed<range_length>},
    {.schema = "aten::__derive_index(int index, int start, int step) -> int",
     .summary = "Number index of range(start, ..., step).",
     .kernel =
         boxed<[](Int index, Int start, Int step) { return wrapping_sum(start, wrapping_product(index, step)); }>},
    {.schema = "aten::_infer_size(int[] a, int[] b) -> int[]",
     .summary = "The shape that both broadcast to.",
     .kernel = boxed<infer_size>},
    {.schema = "aten::_size_if_not_equal(int[] self_size, int[] other_size) -> int[]?",
     .summary = "The first size when they differ, else None.",
     .kernel = size_if_not_equal},
    {.schema = "prim::infer_squeeze_size(int[] a) -> int[]",
     .summary = "The sizes without ones.",
     .kernel = boxed<squeeze_all>},
    {.schema = "prim::infer_squeeze_size.dim(int[] a, int dim) -> int[]",
     .summary = "The sizes without dim if it is one.",
     .kernel = boxed<squeeze_one>},
    {.schema = "prim::infer_unsqueeze_size(int[] a, int dim) -> int[]",
     .summary = "The sizes with a one put in.",
     .kernel = boxed<unsqueeze>},
    {.schema = "prim::ReductionSizes(int[] size, int[] red_axes, bool keepdim=False) -> int[]",
     .summary = "The sizes after a reduction.",
     .kernel = boxed<reduction_sizes>},
};

}  // namespace

std::span<const OperatorRecord> list_records() { return kRecords; }

}  // namespace loupe::numbers

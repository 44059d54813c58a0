// SPDX-License-Identifier: Apache-2.0
// Each element once: the unique family, and isin.

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/kernels/promotion.h"
#include "core/ops/samples.h"
#include "core/ops/sorting/family.h"
#include "core/ops/sorting/order.h"

namespace loupe::sorting {
namespace {

using Order = std::vector<std::int64_t>;

// Equal neighbours in the given order are one group.
struct Groups {
    Order firsts;   // one member a group
    Order inverse;  // the group of each item
    Order counts;
};
template <typename Equal>
Groups group(const Order& order, Equal equal) {
    Groups groups;
    groups.inverse.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i == 0 || !equal(order[i - 1], order[i])) {
            groups.firsts.push_back(order[i]);
            groups.counts.push_back(0);
        }
        ++groups.counts.back();
        groups.inverse[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(groups.firsts.size()) - 1;
    }
    return groups;
}
Order in_order(std::int64_t size) {
    Order order(static_cast<std::size_t>(size));
    std::iota(order.begin(), order.end(), 0);
    return order;
}
Tensor tensor_from(const Order& values, IntSpan sizes) {
    return tensor_of(std::span<const std::int64_t>(values), sizes);
}
Tensor vector_from(const Order& values) {
    return tensor_from(values, std::array{static_cast<std::int64_t>(values.size())});
}
Tensor nothing() { return empty(std::array<std::int64_t, 1>{0}, ScalarType::Int64); }

// Numbers that are equal have one key. NaN is equal to nothing.
template <typename T>
std::uint64_t key_of(T value) {
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
        return key_of(static_cast<float>(value));
    else if constexpr (std::is_floating_point_v<T>)
        return std::bit_cast<std::uint64_t>(static_cast<double>(value) + 0.0);
    else
        return static_cast<std::uint64_t>(value);
}

// Numbers values: equal values get one number.
template <typename T>
class Numbering {
  public:
    std::int64_t number_of(T value, std::int64_t place) {
        if (is_nan(value)) return add(place);
        if ((firsts_.size() + 1) * 2 > slots_.size()) grow();
        Slot& slot = find(key_of(value));
        if (slot.number < 0) slot = {key_of(value), add(place)};
        return slot.number;
    }
    // Where each value was first.
    const Order& firsts() const { return firsts_; }

  private:
    struct Slot {
        std::uint64_t key = 0;
        std::int64_t number = -1;
    };
    std::int64_t add(std::int64_t place) {
        firsts_.push_back(place);
        return static_cast<std::int64_t>(firsts_.size()) - 1;
    }
    Slot& find(std::uint64_t key) {
        const std::size_t last = slots_.size() - 1;
        for (std::size_t i = (key * 0x9e3779b97f4a7c15U) >> shift_;; ++i) {
            Slot& slot = slots_[i & last];
            if (slot.number < 0 || slot.key == key) return slot;
        }
    }
    void grow() {
        std::vector<Slot> old(slots_.size() * 4);
        old.swap(slots_);
        shift_ -= 2;
        for (const Slot& slot : old) {
            if (slot.number >= 0) find(slot.key) = slot;
        }
    }

    std::vector<Slot> slots_ = std::vector<Slot>(64);
    int shift_ = 58;  // 64 - log2 of the slots
    Order firsts_;
};

// Each value once, sorted, and each element's index when requested; equal values are found by hashed keys, so only
// distinct ones are sorted.
template <typename T>
Groups group_values(const T* data, std::int64_t size, bool wants_places) {
    Groups groups;
    Numbering<T> numbering;
    if (wants_places) {
        groups.inverse.resize(static_cast<std::size_t>(size));
        for (std::int64_t i = 0; i < size; ++i)
            groups.inverse[static_cast<std::size_t>(i)] = numbering.number_of(data[i], i);
    } else {
        for (std::int64_t i = 0; i < size; ++i) numbering.number_of(data[i], i);
    }
    Order order = in_order(static_cast<std::int64_t>(numbering.firsts().size()));
    const auto value_of = [&](std::int64_t number) {
        return data[numbering.firsts()[static_cast<std::size_t>(number)]];
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int64_t a, std::int64_t b) { return less(value_of(a), value_of(b)); });
    Order rank(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        rank[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
        groups.firsts.push_back(numbering.firsts()[static_cast<std::size_t>(order[i])]);
    }
    groups.counts.resize(order.size());
    for (std::int64_t& number : groups.inverse) {
        number = rank[static_cast<std::size_t>(number)];
        ++groups.counts[static_cast<std::size_t>(number)];
    }
    return groups;
}

fn::ThreeTensors unique_elements(const Tensor& self, bool sort, bool return_inverse, bool return_counts) {
    const Tensor flat = indexing::dense(self);
    return visit_dtypes<kWithUnsigned>(self.dtype(), [&]<typename T>(std::type_identity<T>) -> fn::ThreeTensors {
        const T* data = flat.data<T>();
        const auto equal = [data](std::int64_t a, std::int64_t b) { return data[a] == data[b]; };
        const Groups groups = [&] {
            if constexpr (!is_complex(scalar_type_of<T>)) {
                if (sort) return group_values(data, flat.numel(), return_inverse || return_counts);
            }
            return group(in_order(flat.numel()), equal);
        }();
        const Tensor values =
            empty(std::array{static_cast<std::int64_t>(groups.firsts.size())}, self.dtype(), self.device());
        for (std::size_t i = 0; i < groups.firsts.size(); ++i) values.data<T>()[i] = data[groups.firsts[i]];
        return {values, return_inverse ? tensor_from(groups.inverse, self.sizes()) : nothing(),
                return_counts ? vector_from(groups.counts) : nothing()};
    });
}

// Whole slices along dim, compared element by element.
fn::ThreeTensors unique_slices(const Tensor& self, std::int64_t dim, bool sort) {
    const std::int64_t along = wrap_dim(dim, self.dim());
    const std::int64_t size = self.dim() == 0 ? 1 : self.size(along);
    if (self.numel() == 0 && size != 0) {
        throw Error(ErrorKind::Run,
                    "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied");
    }
    const Tensor rows =
        indexing::dense(self.dim() == 0 ? fn::reshape(self, Dims{1, 1}) : fn::movedim(self, along, std::int64_t{0}));
    const std::int64_t width = size == 0 ? 0 : rows.numel() / size;
    const Groups groups = visit_dtypes<kWithUnsigned>(self.dtype(), [&]<typename T>(std::type_identity<T>) {
        const T* data = rows.data<T>();
        Order order = in_order(size);
        const auto row_less = [=](std::int64_t a, std::int64_t b) {
            return std::lexicographical_compare(data + a * width, data + (a + 1) * width, data + b * width,
                                                data + (b + 1) * width, less<T>);
        };
        if (sort) std::stable_sort(order.begin(), order.end(), row_less);
        return group(order, [=](std::int64_t a, std::int64_t b) {
            return std::equal(data + a * width, data + (a + 1) * width, data + b * width);
        });
    });
    const Tensor values = self.dim() == 0 ? fn::clone(self) : fn::index_select(self, along, vector_from(groups.firsts));
    return {values, vector_from(groups.inverse), vector_from(groups.counts)};
}

fn::TwoTensors unique(const Tensor& self, bool, bool return_inverse) {
    const auto [values, inverse, counts] = unique_elements(self, true, return_inverse, false);
    return {values, inverse};
}
// Requesting counts returns the inverse indices too, as in PyTorch.
fn::ThreeTensors unique2(const Tensor& self, bool, bool return_inverse, bool return_counts) {
    return unique_elements(self, true, return_inverse || return_counts, return_counts);
}
// By slices inverse indices and counts are always returned, as in PyTorch.
fn::ThreeTensors unique_dim(const Tensor& self, std::int64_t dim, bool, bool, bool) {
    return unique_slices(self, dim, true);
}
fn::ThreeTensors unique_consecutive(const Tensor& self, bool return_inverse, bool return_counts,
                                    std::optional<std::int64_t> dim) {
    if (!dim || (self.dim() == 1 && wrap_dim(*dim, 1) == 0))
        return unique_elements(self, false, return_inverse, return_counts);
    return unique_slices(self, *dim, false);
}
fn::ThreeTensors unique_dim_consecutive(const Tensor& self, std::int64_t dim, bool, bool) {
    return unique_slices(self, dim, false);
}

Tensor isin(const Tensor& elements, const Tensor& test_elements, bool, bool invert) {
    const ScalarType dtype = result_type(elements, test_elements);
    const Tensor asked = indexing::dense(elements, dtype);
    const Tensor given = fn::clone(indexing::dense(test_elements, dtype));
    const Tensor out = empty(elements.sizes(), ScalarType::Bool);
    visit_dtypes<kWithUnsigned>(dtype, [&]<typename T>(std::type_identity<T>) {
        T* begin = given.data<T>();
        T* end = begin + given.numel();
        std::sort(begin, end, less<T>);
        for (std::int64_t i = 0; i < asked.numel(); ++i) {
            const T value = asked.data<T>()[i];
            const bool found = !is_nan(value) && std::binary_search(begin, end, value, less<T>);
            out.data<bool>()[i] = found != invert;
        }
    });
    return out;
}
Tensor isin_number(const Tensor& elements, const Scalar& value, bool assume_unique, bool invert) {
    return isin(elements, wrapped_number(value), assume_unique, invert);
}
Tensor number_isin(const Scalar& value, const Tensor& test_elements, bool assume_unique, bool invert) {
    return isin(wrapped_number(value), test_elements, assume_unique, invert);
}

[[noreturn]] void refuse_derivative(std::string_view name) {
    throw Error(ErrorKind::Run, concat("the derivative for '", name, "' is not implemented."));
}

std::vector<Sample> unique_samples(Random& random, ScalarType dtype) {
    if (is_complex(dtype)) return {};
    return {{{random_tensor(random, {3, 4}, dtype), true, true, true}}};
}

constexpr std::string_view kRefused = "self: none; it is refused";

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::_unique(Tensor self, bool sorted=True, bool return_inverse=False) -> (Tensor, Tensor)",
     .summary = "Each value once, in order, and the place of each element among them.",
     .results_from = ResultsFrom::Elements,
     .kernel = boxed<unique>,
     .derivative = {[](GradientContext&) { refuse_derivative("_unique"); }},
     .gradient = kRefused,
     .variants = kOut},
    {.schema = "aten::_unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> "
               "(Tensor, Tensor, Tensor)",
     .summary = "Each value once, in order, the place of each element among them, and how often each is there.",
     .results_from = ResultsFrom::Elements,
     .kernel = boxed<unique2>,
     .derivative = {[](GradientContext&) { refuse_derivative("_unique2"); }},
     .gradient = kRefused,
     .samples = unique_samples,
     .variants = kOut,
     .dtypes = {kWithUnsigned, "unique"}},
    {.schema = "aten::unique_dim(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool "
               "return_counts=False) -> "
               "(Tensor, Tensor, Tensor)",
     .summary = "Each slice along dim once, in order.",
     .results_from = ResultsFrom::Elements,
     .kernel = boxed<unique_dim>,
     .derivative = {[](GradientContext&) { refuse_derivative("unique_dim"); }},
     .gradient = kRefused,
     .variants = kOut},
    {.schema =
         "aten::unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> "
         "(Tensor, Tensor, Tensor)",
     .summary = "Runs of equal elements as one.",
     .results_from = ResultsFrom::Elements,
     .kernel = boxed<unique_consecutive>,
     .derivative = {[](GradientContext&) { refuse_derivative("unique_consecutive"); }},
     .gradient = kRefused,
     .variants = kOut,
     .dtypes = {kWithUnsigned, "unique"}},
    {.schema =
         "aten::unique_dim_consecutive(Tensor self, int dim, bool return_inverse=False, bool return_counts=False) -> "
         "(Tensor, Tensor, Tensor)",
     .summary = "Runs of equal slices along dim as one.",
     .kernel = boxed<unique_dim_consecutive>,
     .derivative = {[](GradientContext&) { refuse_derivative("unique_dim_consecutive"); }},
     .gradient = kRefused,
     .variants = kOut},
    {.schema = "aten::isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool "
               "invert=False) -> Tensor",
     .summary = "Is each element among the others?",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<isin>,
     .variants = kOut,
     .out = {.overload = "Tensor_Tensor_out"},
     .is_gradient_stop = true,
     .dtypes = {kWithUnsigned, "unique"}},
    {.schema = "aten::isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool "
               "invert=False) -> Tensor",
     .summary = "Is each element the number?",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<isin_number>,
     .variants = kOut,
     .out = {.overload = "Tensor_Scalar_out"},
     .is_gradient_stop = true,
     .dtypes = {kWithUnsigned, "unique"}},
    {.schema = "aten::isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool "
               "invert=False) -> Tensor",
     .summary = "Is the number among the elements?",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<number_isin>,
     .variants = kOut,
     .out = {.overload = "Scalar_Tensor_out"},
     .is_gradient_stop = true},
};

}  // namespace

std::span<const OperatorRecord> unique_records() { return kRecords; }

}  // namespace loupe::sorting

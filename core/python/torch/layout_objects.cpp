// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/layout_objects.h"

#include <algorithm>
#include <array>

#include "core/python/torch/torch_objects.h"
#include "core/tensor/compressed.h"
#include "core/tensor/jagged.h"

namespace loupe::python {
namespace {

struct LayoutName {
    std::string_view name;
    std::int64_t number;  // PyTorch's
};
constexpr std::array kLayouts{LayoutName{"strided", 0},    LayoutName{"sparse_coo", 1}, LayoutName{"sparse_csr", 2},
                              LayoutName{"sparse_csc", 4}, LayoutName{"sparse_bsr", 5}, LayoutName{"sparse_bsc", 6},
                              LayoutName{"jagged", 8}};

const std::vector<IValue>& objects() {
    static const std::vector<IValue> all = [] {
        std::vector<IValue> out;
        for (const LayoutName& each : kLayouts) {
            out.push_back(IValue::other(make_ptr<ConstantObject>(layout_class(), std::string(each.name), each.number)));
        }
        return out;
    }();
    return all;
}

}  // namespace

std::optional<IValue> find_layout(std::string_view name) {
    const auto* const found = std::ranges::find(kLayouts, name, &LayoutName::name);
    if (found == kLayouts.end()) return std::nullopt;
    return objects()[static_cast<std::size_t>(found - kLayouts.begin())];
}

IValue layout_of_tensor(const Tensor& t) {
    if (is_jagged(t)) return *find_layout("jagged");
    if (is_compressed(t)) return *find_layout(layout_python_name(compressed_parts(t).layout));
    return *find_layout(is_coordinate(t) ? "sparse_coo" : "strided");
}

bool is_layout(const IValue& value) {
    return std::ranges::any_of(objects(), [&](const IValue& each) { return each.is_same(value); });
}

IValue sparse_layout_object() { return *find_layout("sparse_coo"); }
IValue layout_object() { return *find_layout("strided"); }

}  // namespace loupe::python

// SPDX-License-Identifier: Apache-2.0
#include "core/script/upgraders.h"

#include <algorithm>
#include <array>
#include <memory>

namespace loupe::script {
namespace {

struct Entry {
    std::string_view operator_name;
    std::int64_t since;
    std::string_view old_schema;
    std::string_view body;
};

// Version 4: div of integers is true division; it used to truncate.
// Version 5: full takes its dtype from the value; it used to be floating.
// Versions 8 and 9: linspace and logspace need the number of steps; it used to be 100.
// Version 10: gelu takes the kind of approximation.
constexpr std::array kEntries = {
    Entry{"aten::div.Tensor", 4, "aten::div.Tensor(Tensor self, Tensor other) -> Tensor",
          "  if self.is_floating_point() or other.is_floating_point():\n"
          "    return torch.div(self, other)\n"
          "  return torch.div(self, other, rounding_mode='trunc')\n"},
    Entry{"aten::div.Scalar", 4, "aten::div.Scalar(Tensor self, Scalar other) -> Tensor",
          "  if self.is_floating_point() or isinstance(other, float):\n"
          "    return torch.div(self, other)\n"
          "  return torch.div(self, other, rounding_mode='trunc')\n"},
    Entry{"aten::div_.Tensor", 4, "aten::div_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)",
          "  if self.is_floating_point() or other.is_floating_point():\n"
          "    return self.div_(other)\n"
          "  return self.div_(other, rounding_mode='trunc')\n"},
    Entry{"aten::div_.Scalar", 4, "aten::div_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)",
          "  if self.is_floating_point() or isinstance(other, float):\n"
          "    return self.div_(other)\n"
          "  return self.div_(other, rounding_mode='trunc')\n"},
    Entry{"aten::div.out", 4, "aten::div.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)",
          "  if self.is_floating_point() or other.is_floating_point() or out.is_floating_point():\n"
          "    return torch.div(self, other, out=out)\n"
          "  return torch.div(self, other, rounding_mode='trunc', out=out)\n"},
    Entry{"aten::full", 5,
          "aten::full(int[] size, Scalar fill_value, *, int? dtype=None, int? layout=None, Device? device=None, "
          "bool? pin_memory=None) -> Tensor",
          "  value = fill_value\n"
          "  if dtype is None:\n"
          "    value = float(fill_value)\n"
          "  return torch.full(size, value, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)\n"},
    Entry{"aten::full.out", 5, "aten::full.out(int[] size, Scalar fill_value, *, Tensor(a!) out) -> Tensor(a!)",
          "  return torch.full(size, fill_value, out=out)\n"},
    Entry{"aten::linspace", 8,
          "aten::linspace(Scalar start, Scalar end, int? steps=None, *, int? dtype=None, int? layout=None, "
          "Device? device=None, bool? pin_memory=None) -> Tensor",
          "  if steps is None:\n"
          "    return torch.linspace(start, end, 100, dtype=dtype, layout=layout, device=device, "
          "pin_memory=pin_memory)\n"
          "  return torch.linspace(start, end, steps, dtype=dtype, layout=layout, device=device, "
          "pin_memory=pin_memory)\n"},
    Entry{"aten::linspace.out", 8,
          "aten::linspace.out(Scalar start, Scalar end, int? steps=None, *, Tensor(a!) out) -> Tensor(a!)",
          "  if steps is None:\n"
          "    return torch.linspace(start, end, 100, out=out)\n"
          "  return torch.linspace(start, end, steps, out=out)\n"},
    Entry{"aten::logspace", 9,
          "aten::logspace(Scalar start, Scalar end, int? steps=None, float base=10.0, *, int? dtype=None, "
          "int? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
          "  if steps is None:\n"
          "    return torch.logspace(start, end, 100, base, dtype=dtype, layout=layout, device=device, "
          "pin_memory=pin_memory)\n"
          "  return torch.logspace(start, end, steps, base, dtype=dtype, layout=layout, device=device, "
          "pin_memory=pin_memory)\n"},
    Entry{"aten::logspace.out", 9,
          "aten::logspace.out(Scalar start, Scalar end, int? steps=None, float base=10.0, *, Tensor(a!) out) -> "
          "Tensor(a!)",
          "  if steps is None:\n"
          "    return torch.logspace(start, end, 100, base, out=out)\n"
          "  return torch.logspace(start, end, steps, base, out=out)\n"},
    Entry{"aten::gelu", 10, "aten::gelu(Tensor self) -> Tensor", "  return torch.gelu(self, approximate='none')\n"},
    Entry{"aten::gelu.out", 10, "aten::gelu.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)",
          "  return torch.gelu(self, approximate='none', out=out)\n"},
};

// Never destroyed.
const std::vector<const Upgrader*>& all_upgraders() {
    static const auto* const all = [] {
        auto* made = new std::vector<const Upgrader*>();
        for (const Entry& entry : kEntries) {
            made->push_back(new Upgrader(entry.operator_name, entry.since, entry.old_schema, entry.body));
        }
        return made;
    }();
    return *all;
}

}  // namespace

std::vector<const Upgrader*> upgraders_for(std::string_view name, std::int64_t operator_version) {
    std::vector<const Upgrader*> found;
    if (operator_version >= kCurrentOperatorVersion) return found;
    for (const Upgrader* upgrader : all_upgraders()) {
        if (operator_version < upgrader->since() && upgrader->old_schema().name == name) found.push_back(upgrader);
    }
    return found;
}

bool is_replaced(const std::vector<const Upgrader*>& upgraders, std::string_view full_name) {
    return std::any_of(upgraders.begin(), upgraders.end(),
                       [&](const Upgrader* upgrader) { return upgrader->operator_name() == full_name; });
}

}  // namespace loupe::script

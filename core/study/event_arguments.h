// SPDX-License-Identifier: Apache-2.0
#pragma once
// Arguments of a recorded event that are no tensors, read from how they are written: "dim=-1", "dims=[0, 2, 1]". Those
// at their defaults are not recorded.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/record/recording.h"

namespace loupe::session {

// As it is written; nothing where it is at its default.
std::optional<std::string_view> written_argument(const Event& event, std::string_view name);
// Nothing where it is none, or None.
std::optional<std::int64_t> integer_argument(const Event& event, std::string_view name);
std::optional<double> number_argument(const Event& event, std::string_view name);
// A list of integers, or one.
std::optional<std::vector<std::int64_t>> integers_argument(const Event& event, std::string_view name);

}  // namespace loupe::session

// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a family lists its operators. A file gives its records by one function; the family's family.h names these
// functions in one list, which declares them and which family.cpp joins. A new file is one line of that list.

#include <initializer_list>
#include <span>
#include <vector>

#include "core/dispatch/record.h"

#define LOUPE_DECLARE_RECORDS(function) std::span<const OperatorRecord> function();
#define LOUPE_TAKE_RECORDS(function) function(),

namespace loupe {

inline std::vector<const OperatorRecord*> joined_records(std::initializer_list<std::span<const OperatorRecord>> files) {
    std::vector<const OperatorRecord*> all;
    for (const auto file : files) {
        for (const OperatorRecord& record : file) all.push_back(&record);
    }
    return all;
}

}  // namespace loupe

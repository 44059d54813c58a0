// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes a value as .npy. The answer is empty, or says why not.

#include <filesystem>
#include <string>

#include "core/record/tensor_slice.h"
#include "core/session/query.h"

namespace loupe::session {

struct SaveTensorQuery {
    using Answer = std::string;
    static const QueryRecord& record();

    TensorRequest what = {};
    std::filesystem::path file = {};
    static constexpr auto kWritten = &SaveTensorQuery::file;
};
auto fields(Like<SaveTensorQuery> auto& it) { return std::tie(it.what, it.file); }

}  // namespace loupe::session

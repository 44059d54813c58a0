// SPDX-License-Identifier: Apache-2.0
#pragma once
// How much of a part of a tensor is wanted, where elements are bytes on a slow line.

#include "core/base/fields.h"

namespace loupe::session {

struct TensorDetail {
    int only_tile = -1;    // the other ones have a label and no elements; -1: all
    int max_elements = 0;  // of all tiles together; 0: as many as the request allows
};
auto fields(Like<TensorDetail> auto& it) { return std::tie(it.only_tile, it.max_elements); }

}  // namespace loupe::session

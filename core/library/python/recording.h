// SPDX-License-Identifier: Apache-2.0
#pragma once
// loupe.Recording: what happened in a run.

#include <pybind11/pybind11.h>

#include "core/library/model.h"

namespace loupe::bindings {

pybind11::object recording_object(const Model::Recorded& recorded);

}  // namespace loupe::bindings

// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the operations of a family are written, and how they are run.

#include "plugins/cuda/loops/formula.h"
#include "plugins/cuda/loops/launch.h"

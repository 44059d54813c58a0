// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <loupe_torch/guards.h>
#include <loupe_torch/parallel.h>

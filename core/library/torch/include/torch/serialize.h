// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <loupe_torch/archive.h>
#include <loupe_torch/serialize.h>

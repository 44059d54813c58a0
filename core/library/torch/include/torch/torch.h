// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <loupe_torch/nn.h>
#include <loupe_torch/optim.h>
#include <torch/script.h>

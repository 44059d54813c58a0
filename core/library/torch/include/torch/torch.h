// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <torch/nn.h>
#include <torch/optim.h>
#include <torch/script.h>

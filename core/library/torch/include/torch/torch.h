// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <torch/autograd.h>
#include <torch/cuda.h>
#include <torch/data.h>
#include <torch/enum.h>
#include <torch/fft.h>
#include <torch/nn.h>
#include <torch/optim.h>
#include <torch/script.h>
#include <torch/serialize.h>
#include <torch/special.h>
#include <torch/types.h>
#include <torch/utils.h>
#include <torch/version.h>

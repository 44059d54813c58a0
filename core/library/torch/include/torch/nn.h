// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <loupe_torch/adaptive.h>
#include <loupe_torch/attention.h>
#include <loupe_torch/container.h>
#include <loupe_torch/embedding.h>
#include <loupe_torch/functional.h>
#include <loupe_torch/init.h>
#include <loupe_torch/nn.h>
#include <loupe_torch/rnn.h>
#include <loupe_torch/transformer.h>
#include <loupe_torch/utils.h>

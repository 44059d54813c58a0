// SPDX-License-Identifier: Apache-2.0
#pragma once
// The LibTorch whose interface these headers have.
#define TORCH_VERSION_MAJOR 2
#define TORCH_VERSION_MINOR 15
#define TORCH_VERSION_PATCH 0
#define TORCH_VERSION "2.15.0"

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Images and volumes read at points of a grid, and the gradients of both. Includes nothing of the engine.

#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

enum class GridMode : std::int8_t { Bilinear, Nearest, Bicubic };
enum class GridPadding : std::int8_t { Zeros, Border, Reflection };

// Dense arrays: input [batch, channels, sizes...], grid [batch, points, rank], out [batch, channels, points]; input,
// grid and out of one floating dtype. Computed in float, or in double of doubles.
struct GridShape {
    GridMode mode = GridMode::Bilinear;
    GridPadding padding = GridPadding::Zeros;
    bool align = false;
    int rank = 2;
    std::int64_t sizes[3] = {};
    std::int64_t batch = 0, channels = 0, points = 0, pixels = 1;
    Element element = Element::Float32;

    // Places that a point reads at most.
    int taps() const {
        if (mode == GridMode::Nearest) return 1;
        if (mode == GridMode::Bicubic) return 16;
        return rank == 2 ? 4 : 8;
    }
};

void run_grid_sample(const Queue& queue, const GridShape& shape, const void* input, const void* grid, void* out);
// The gradient of the grid: [batch, points, rank] of the dtype.
void run_grid_slopes(const Queue& queue, const GridShape& shape, const void* grad, const void* input, const void* grid,
                     void* grad_grid);
// For the gradient of the input: the places that each point reads, [batch, points, taps], -1 where there is none; and
// what goes there of each channel, [batch, points, taps, channels] in float, or double of doubles.
void run_grid_spread(const Queue& queue, const GridShape& shape, const void* grad, const void* grid,
                     std::int64_t* places, void* parts);

}  // namespace loupe::cuda

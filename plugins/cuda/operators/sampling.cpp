// SPDX-License-Identifier: Apache-2.0
// Images read at points of a grid, and blocks of images as columns.
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "plugins/cuda/loops/grid.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/index_loops.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

// ---- grid_sampler

GridShape grid_shape(const Tensor& input, const Tensor& grid, std::int64_t mode, std::int64_t padding, bool align) {
    GridShape shape;
    shape.mode = static_cast<GridMode>(mode);
    shape.padding = static_cast<GridPadding>(padding);
    shape.align = align;
    shape.rank = static_cast<int>(input.dim()) - 2;
    for (int d = 0; d < shape.rank; ++d) {
        shape.sizes[d] = input.size(d + 2);
        shape.pixels *= shape.sizes[d];
    }
    shape.batch = input.size(0);
    shape.channels = input.size(1);
    shape.points = shape.batch == 0 ? 0 : grid.numel() / (shape.batch * shape.rank);
    shape.element = element_of(input.dtype());
    return shape;
}

void sample(const Tensor& out, const Tensor& input, const Tensor& grid, std::int64_t mode, std::int64_t padding,
            bool align) {
    if (out.numel() == 0) return;
    const Tensor x = dense(input), g = dense(grid);
    const Room to(out);
    run_grid_sample(queue_of(out.device()), grid_shape(input, grid, mode, padding, align), address_of(x), address_of(g),
                    address_of(to.tensor()));
    to.put_back();
}

// What meets at one place is added in the order of the points, so that it is the same each time.
Tensor gradient_of_input(const GridShape& shape, const Tensor& grad, const Tensor& input, const Tensor& grid) {
    const bool is_double = input.dtype() == ScalarType::Float64;
    const ScalarType as = is_double ? ScalarType::Float64 : ScalarType::Float32;
    const Tensor sums = zeros(input.sizes(), as, input.device());
    if (shape.points > 0 && sums.numel() > 0) {
        const Queue queue = queue_of(input.device());
        const std::int64_t taps = shape.taps(), size = element_size(as);
        const Tensor places = empty(std::array{shape.batch, shape.points * taps}, ScalarType::Int64, input.device());
        const Tensor parts = empty(std::array{shape.batch * shape.points * taps, shape.channels}, as, input.device());
        run_grid_spread(queue, shape, address_of(grad), address_of(grid),
                        static_cast<std::int64_t*>(address_of(places)), address_of(parts));
        IndexLoop rows;
        rows.add_dim(shape.batch, shape.channels * shape.pixels * size, shape.points * taps * shape.channels * size);
        rows.add_dim(shape.points * taps, 0, shape.channels * size);
        add_index(rows, places, 0, shape.pixels, size, 0);
        RowColumns columns;
        columns.add_dim(shape.channels, shape.pixels * size, size);
        gather_rows(sums, rows, columns, {}, parts, queue);
    }
    return dense(sums, input.dtype());
}

// grad, input, grid, interpolation_mode, padding_mode, align_corners, output_mask
void sample_backward(Arguments a, IValue* results) {
    const Tensor input = a[1].to_tensor(), grid = dense(a[2].to_tensor());
    const Tensor grad = dense(a[0].to_tensor(), input.dtype());
    const GridShape shape = grid_shape(input, grid, a[3].to_int(), a[4].to_int(), a[5].to_bool());
    const std::vector<bool> wanted = a.size() > 6 ? a[6].to_bools() : std::vector<bool>{true, true};
    if (wanted[0]) results[0] = gradient_of_input(shape, grad, input, grid);
    if (!wanted[1]) return;
    const Tensor slopes = empty(grid.sizes(), grid.dtype(), grid.device());
    const Tensor x = dense(input);
    if (slopes.numel() > 0)
        run_grid_slopes(queue_of(input.device()), shape, address_of(grad), address_of(x), address_of(grid),
                        address_of(slopes));
    results[1] = slopes;
}

// What the record's metadata checks in the forward call, the backward call's kernel checks itself: so here.
bool takes_backward_of_grid(Arguments a, std::string* why) {
    if (!takes_floating<0, 1, 2>(a, why)) return false;
    const Tensor grad = a[0].to_tensor(), input = a[1].to_tensor(), grid = a[2].to_tensor();
    const std::int64_t rank = input.dim() - 2;
    bool fits = (rank == 2 || rank == 3) && grid.dim() == input.dim() && grad.dim() == input.dim() &&
                grid.size(-1) == rank && grid.size(0) == input.size(0) && grad.size(0) == input.size(0) &&
                grad.size(1) == input.size(1) && input.dtype() == grid.dtype() && input.numel() > 0 &&
                (a.size() < 7 || a[6].to_bools().size() == 2) && a[3].to_int() >= 0 &&
                a[3].to_int() <= (rank == 2 ? 2 : 1) && a[4].to_int() >= 0 && a[4].to_int() <= 2;
    for (std::int64_t d = 1; fits && d <= rank; ++d) fits = grad.size(d + 1) == grid.size(d);
    if (!fits && why != nullptr) *why = "arguments that do not fit";
    return fits;
}

// ---- im2col, col2im

struct Window {
    std::int64_t kernel, dilation, padding, stride, count;
    Window(std::int64_t size, std::size_t d, const Dims& kernels, const Dims& dilations, const Dims& paddings,
           const Dims& strides)
        : kernel(kernels[d]),
          dilation(dilations[d]),
          padding(paddings[d]),
          stride(strides[d]),
          count((size + 2 * padding - (dilation * (kernel - 1) + 1)) / stride + 1) {}
};

// Blocks are a view of the padded image.
void im2col(const Tensor& out, const Tensor& self, const Dims& kernel, const Dims& dilation, const Dims& padding,
            const Dims& stride) {
    if (out.numel() == 0) return;
    const Tensor image = self.dim() == 3 ? fn::unsqueeze(self, 0) : self;
    const std::int64_t n = image.size(0), channels = image.size(1);
    const Window y(image.size(2), 0, kernel, dilation, padding, stride),
        x(image.size(3), 1, kernel, dilation, padding, stride);
    const Tensor wide = empty(std::array{n, channels, image.size(2) + 2 * y.padding, image.size(3) + 2 * x.padding},
                              self.dtype(), self.device());
    if (y.padding > 0 || x.padding > 0) fill_with(wide, 0);
    copy_into(fn::narrow(fn::narrow(wide, 2, y.padding, image.size(2)), 3, x.padding, image.size(3)), image);
    const IntSpan s = wide.strides();
    const Tensor blocks = wide.view_as_strided(
        std::array{n, channels, y.kernel, x.kernel, y.count, x.count},
        std::array{s[0], s[1], y.dilation * s[2], x.dilation * s[3], y.stride * s[2], x.stride * s[3]},
        wide.storage_offset());
    const Room to(out);
    copy_into(fn::view(to.tensor(), to_dims(blocks.sizes())), blocks);
    to.put_back();
}

// Tap by tap: the blocks of one tap lie apart. Numbers of 16 bits are added up in float32.
void col2im(const Tensor& out, const Tensor& self, const Dims& size, const Dims& kernel, const Dims& dilation,
            const Dims& padding, const Dims& stride) {
    if (out.numel() == 0) return;
    const ScalarType wider = self.dtype() == ScalarType::Float16 || self.dtype() == ScalarType::BFloat16
                                 ? ScalarType::Float32
                                 : self.dtype();
    const Tensor columns = dense(self.dim() == 2 ? fn::unsqueeze(self, 0) : self, wider);
    const Window y(size[0], 0, kernel, dilation, padding, stride), x(size[1], 1, kernel, dilation, padding, stride);
    const std::int64_t n = columns.size(0), channels = columns.size(1) / (y.kernel * x.kernel);
    const Tensor blocks = fn::view(columns, Dims{n, channels, y.kernel, x.kernel, y.count, x.count});
    const Tensor wide =
        zeros(std::array{n, channels, size[0] + 2 * y.padding, size[1] + 2 * x.padding}, wider, self.device());
    const IntSpan s = wide.strides();
    for (std::int64_t i = 0; i < y.kernel; ++i) {
        for (std::int64_t j = 0; j < x.kernel; ++j) {
            const Tensor there = wide.view_as_strided(
                std::array{n, channels, y.count, x.count}, std::array{s[0], s[1], y.stride * s[2], x.stride * s[3]},
                wide.storage_offset() + i * y.dilation * s[2] + j * x.dilation * s[3]);
            fn::add_(there, fn::select(fn::select(blocks, 2, i), 2, j), Scalar(1));
        }
    }
    const Tensor image = fn::narrow(fn::narrow(wide, 2, y.padding, size[0]), 3, x.padding, size[1]);
    copy_into(self.dim() == 2 ? fn::unsqueeze(out, 0) : out, image);
}

}  // namespace

void register_sampling(const Registration& to) {
    to.add("aten::grid_sampler_2d", filling<sample>, takes_floating<0, 1>);
    to.add("aten::grid_sampler_3d", filling<sample>, takes_floating<0, 1>);
    to.add("aten::grid_sampler_2d_backward", &sample_backward, takes_backward_of_grid);
    to.add("aten::_grid_sampler_2d_cpu_fallback", filling<sample>, takes_floating<0, 1>);
    to.add("aten::_grid_sampler_2d_cpu_fallback_backward", &sample_backward, takes_backward_of_grid);
    to.add("aten::grid_sampler_3d_backward", &sample_backward, takes_backward_of_grid);
    to.add("aten::im2col", filling<im2col>);
    to.add("aten::col2im", filling<col2im>);
}

}  // namespace loupe::cuda

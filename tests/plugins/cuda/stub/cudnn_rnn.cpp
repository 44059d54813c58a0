// SPDX-License-Identifier: Apache-2.0
// cuDNN's recurrent networks as its documentation defines them, gate by gate and step by step, over packed sequences.
// Weights lie in an order of the stub's own: their places are to be asked for.

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/plugins/cuda/stub/cudnn_types.h"

struct cudnnDropoutStruct {
    float dropout = 0;
};
struct cudnnRNNStruct {
    cudnnRNNMode_t mode = CUDNN_LSTM;
    cudnnRNNBiasMode_t bias = CUDNN_RNN_DOUBLE_BIAS;
    stub_gpu::Element element = stub_gpu::Element::Float32;
    std::int64_t directions = 1, input = 0, hidden = 0, layers = 1;

    std::int64_t gates() const { return mode == CUDNN_LSTM ? 4 : mode == CUDNN_GRU ? 3 : 1; }
    std::int64_t width(std::int64_t layer) const { return layer == 0 ? input : hidden * directions; }
};
struct cudnnRNNDataStruct {
    stub_gpu::Element element = stub_gpu::Element::Float32;
    std::int64_t width = 0;
    std::vector<int> lengths;

    std::int64_t steps() const { return lengths.empty() ? 0 : lengths.front(); }
    std::int64_t rows_at(std::int64_t step) const {
        return std::count_if(lengths.begin(), lengths.end(), [&](int length) { return length > step; });
    }
    std::int64_t first_at(std::int64_t step) const {
        std::int64_t first = 0;
        for (std::int64_t t = 0; t < step; ++t) first += rows_at(t);
        return first;
    }
    std::int64_t rows() const { return first_at(steps()); }
};

namespace {

using namespace stub_cudnn;
using stub_gpu::Element;
using stub_gpu::read;
using stub_gpu::write;

// All biases first, then the matrices, the last gate first, with a gap of three elements behind each.
constexpr std::int64_t kGap = 3;
struct Place {
    std::int64_t matrix = 0, bias = 0, columns = 0;
};
Place place_of(const cudnnRNNStruct& r, std::int64_t pseudo_layer, std::int64_t line) {
    const std::int64_t lines = 2 * r.gates(), pseudo_layers = r.layers * r.directions;
    Place place;
    place.bias = (pseudo_layer * lines + (lines - 1 - line)) * (r.hidden + kGap);
    place.matrix = pseudo_layers * lines * (r.hidden + kGap);
    for (std::int64_t layer = 0; layer <= pseudo_layer; ++layer) {
        for (std::int64_t i = lines - 1; i >= 0; --i) {
            place.columns = i < r.gates() ? r.width(layer / r.directions) : r.hidden;
            if (layer == pseudo_layer && i == line) return place;
            place.matrix += r.hidden * place.columns + kGap;
        }
    }
    return place;
}
std::int64_t weight_elements(const cudnnRNNStruct& r) {
    const Place last = place_of(r, r.layers * r.directions - 1, 0);
    return last.matrix + r.hidden * last.columns + kGap;
}

// What is kept for the gradient, in doubles: of each layer its input, and of each direction and row the gates, the
// cell, the recurrent part of a GRU's new gate, the state before, the cell before; then the gates' gradients.
struct Reserve {
    const cudnnRNNStruct& r;
    std::int64_t rows;

    std::int64_t per_row() const { return 4 * r.hidden + 4 * r.hidden + 8 * r.hidden; }
    std::int64_t inputs() const { return rows * (r.input + r.layers * r.hidden * r.directions); }
    std::int64_t size() const { return inputs() + rows * r.layers * r.directions * per_row(); }
    std::int64_t input_at(std::int64_t layer) const {
        return layer == 0 ? 0 : rows * r.input + (layer - 1) * rows * r.hidden * r.directions;
    }
    std::int64_t row_at(std::int64_t pseudo_layer, std::int64_t row) const {
        return inputs() + (pseudo_layer * rows + row) * per_row();
    }
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

struct Run {
    cudnnRNNStruct r;
    cudnnRNNDataStruct sequence;
    const void* weights;

    double weight(std::int64_t p, std::int64_t line, std::int64_t row, std::int64_t column) const {
        const Place place = place_of(r, p, line);
        return read(weights, r.element, place.matrix + row * place.columns + column);
    }
    double bias(std::int64_t p, std::int64_t line, std::int64_t row) const {
        return r.bias == CUDNN_RNN_NO_BIAS ? 0 : read(weights, r.element, place_of(r, p, line).bias + row);
    }
    // Steps of a direction in the order in which they run.
    std::int64_t step(std::int64_t p, std::int64_t i) const {
        return r.directions == 2 && p % 2 == 1 ? sequence.steps() - 1 - i : i;
    }

    // One row of one step: gates, new cell and state; `kept` is the row's place in the reserve.
    void cell(std::int64_t p, const double* x, const double* h, const double* c, double* new_h, double* new_c,
              double* kept) const {
        const std::int64_t n = r.hidden, g = r.gates(), layer = p / r.directions;
        std::vector<double> in(static_cast<std::size_t>(g * n)), recurrent(static_cast<std::size_t>(g * n));
        for (std::int64_t gate = 0; gate < g; ++gate) {
            for (std::int64_t j = 0; j < n; ++j) {
                double a = bias(p, gate, j), b = bias(p, g + gate, j);
                for (std::int64_t k = 0; k < r.width(layer); ++k) a += weight(p, gate, j, k) * x[k];
                for (std::int64_t k = 0; k < n; ++k) b += weight(p, g + gate, j, k) * h[k];
                in[static_cast<std::size_t>(gate * n + j)] = a;
                recurrent[static_cast<std::size_t>(gate * n + j)] = b;
            }
        }
        for (std::int64_t j = 0; j < n; ++j) {
            const auto a = [&](std::int64_t gate) { return in[static_cast<std::size_t>(gate * n + j)]; };
            const auto b = [&](std::int64_t gate) { return recurrent[static_cast<std::size_t>(gate * n + j)]; };
            const auto keep = [&](std::int64_t at, double value) { return kept[at * n + j] = value; };
            keep(6, h[j]);
            if (r.mode == CUDNN_LSTM) {
                const double i = keep(0, sigmoid(a(0) + b(0))), f = keep(1, sigmoid(a(1) + b(1))),
                             m = keep(2, std::tanh(a(2) + b(2))), o = keep(3, sigmoid(a(3) + b(3)));
                keep(7, c[j]);
                new_c[j] = keep(4, f * c[j] + i * m);
                new_h[j] = o * std::tanh(new_c[j]);
            } else if (r.mode == CUDNN_GRU) {
                const double reset = keep(0, sigmoid(a(0) + b(0))), z = keep(1, sigmoid(a(1) + b(1)));
                const double m = keep(2, std::tanh(a(2) + reset * keep(5, b(2))));
                new_h[j] = (1 - z) * m + z * h[j];
            } else {
                const double sum = a(0) + b(0);
                new_h[j] = keep(0, r.mode == CUDNN_RNN_RELU ? std::max(sum, 0.0) : std::tanh(sum));
            }
        }
    }

    // dh, dc: gradients of the state behind the step; they become those of the state before it. Gives the gradients of
    // the gates' sums: from the input, and from the state.
    void cell_gradient(const double* kept, double* dh, double* dc, double* of_input, double* of_state) const {
        const std::int64_t n = r.hidden;
        for (std::int64_t j = 0; j < n; ++j) {
            const auto k = [&](std::int64_t at) { return kept[at * n + j]; };
            const auto both = [&](std::int64_t gate, double value) {
                of_input[gate * n + j] = of_state[gate * n + j] = value;
            };
            if (r.mode == CUDNN_LSTM) {
                const double tc = std::tanh(k(4)), d = dc[j] + dh[j] * k(3) * (1 - tc * tc);
                both(0, d * k(2) * k(0) * (1 - k(0)));
                both(1, d * k(7) * k(1) * (1 - k(1)));
                both(2, d * k(0) * (1 - k(2) * k(2)));
                both(3, dh[j] * tc * k(3) * (1 - k(3)));
                dc[j] = d * k(1);
                dh[j] = 0;
            } else if (r.mode == CUDNN_GRU) {
                const double of_new = dh[j] * (1 - k(1)) * (1 - k(2) * k(2));
                both(0, of_new * k(5) * k(0) * (1 - k(0)));
                both(1, dh[j] * (k(6) - k(2)) * k(1) * (1 - k(1)));
                of_input[2 * n + j] = of_new;
                of_state[2 * n + j] = of_new * k(0);
                dh[j] *= k(1);
            } else {
                const double y = k(0);
                both(0, dh[j] * (r.mode == CUDNN_RNN_RELU ? (y > 0 ? 1.0 : 0.0) : 1 - y * y));
                dh[j] = 0;
            }
        }
    }
};

using State = std::vector<double>;  // [batch, hidden]
State state_of(const Run& run, const void* data, std::int64_t p) {
    const auto batch = static_cast<std::int64_t>(run.sequence.lengths.size());
    State state(static_cast<std::size_t>(batch * run.r.hidden), 0);
    for (std::size_t i = 0; data != nullptr && i < state.size(); ++i)
        state[i] = read(data, run.r.element, p * batch * run.r.hidden + static_cast<std::int64_t>(i));
    return state;
}
void put_state(const Run& run, void* data, std::int64_t p, const State& state) {
    if (data == nullptr) return;
    for (std::size_t i = 0; i < state.size(); ++i)
        write(data, run.r.element, p * static_cast<std::int64_t>(state.size()) + static_cast<std::int64_t>(i),
              state[i]);
}

struct ForwardData {
    const void* x;
    void* y;
    const void* hx;
    void* hy;
    const void* cx;
    void* cy;
};
void forward(const Run& run, const ForwardData& d, double* kept) {
    const cudnnRNNStruct& r = run.r;
    const std::int64_t rows = run.sequence.rows(), n = r.hidden, wide = n * r.directions;
    const Reserve reserve{r, rows};
    for (std::int64_t i = 0; i < rows * r.input; ++i) kept[i] = read(d.x, r.element, i);
    State last(static_cast<std::size_t>(rows * wide));
    for (std::int64_t p = 0; p < r.layers * r.directions; ++p) {
        const std::int64_t layer = p / r.directions, width = r.width(layer);
        State h = state_of(run, d.hx, p), c = state_of(run, d.cx, p);
        double* const out = layer + 1 < r.layers ? kept + reserve.input_at(layer + 1) : last.data();
        for (std::int64_t i = 0; i < run.sequence.steps(); ++i) {
            const std::int64_t t = run.step(p, i), first = run.sequence.first_at(t);
            for (std::int64_t b = 0; b < run.sequence.rows_at(t); ++b) {
                State new_h(static_cast<std::size_t>(n)), new_c(static_cast<std::size_t>(n));
                run.cell(p, kept + reserve.input_at(layer) + (first + b) * width, &h[static_cast<std::size_t>(b * n)],
                         &c[static_cast<std::size_t>(b * n)], new_h.data(), new_c.data(),
                         kept + reserve.row_at(p, first + b));
                std::copy(new_h.begin(), new_h.end(), h.begin() + b * n);
                std::copy(new_c.begin(), new_c.end(), c.begin() + b * n);
                std::copy(new_h.begin(), new_h.end(), out + (first + b) * wide + (p % r.directions) * n);
            }
        }
        put_state(run, d.hy, p, h);
        put_state(run, d.cy, p, c);
    }
    for (std::size_t i = 0; i < last.size(); ++i) write(d.y, r.element, static_cast<std::int64_t>(i), last[i]);
}

struct BackwardData {
    const void* dy;
    void* dx;
    const void* dhy;
    void* dhx;
    const void* dcy;
    void* dcx;
};
void backward(const Run& run, const BackwardData& d, double* kept) {
    const cudnnRNNStruct& r = run.r;
    const std::int64_t rows = run.sequence.rows(), n = r.hidden, wide = n * r.directions, g = r.gates();
    const Reserve reserve{r, rows};
    State grad(static_cast<std::size_t>(rows * wide));
    for (std::size_t i = 0; i < grad.size(); ++i) grad[i] = read(d.dy, r.element, static_cast<std::int64_t>(i));
    for (std::int64_t layer = r.layers - 1; layer >= 0; --layer) {
        const std::int64_t width = r.width(layer);
        State before(static_cast<std::size_t>(rows * width), 0);
        for (std::int64_t p = layer * r.directions; p < (layer + 1) * r.directions; ++p) {
            State dh = state_of(run, d.dhy, p), dc = state_of(run, d.dcy, p);
            for (std::int64_t i = run.sequence.steps() - 1; i >= 0; --i) {
                const std::int64_t t = run.step(p, i), first = run.sequence.first_at(t);
                for (std::int64_t b = 0; b < run.sequence.rows_at(t); ++b) {
                    double* const row = kept + reserve.row_at(p, first + b);
                    double* const own_dh = &dh[static_cast<std::size_t>(b * n)];
                    double *const of_input = row + 8 * n, *const of_state = row + 12 * n;
                    for (std::int64_t j = 0; j < n; ++j)
                        own_dh[j] += grad[static_cast<std::size_t>((first + b) * wide + (p % r.directions) * n + j)];
                    run.cell_gradient(row, own_dh, &dc[static_cast<std::size_t>(b * n)], of_input, of_state);
                    for (std::int64_t gate = 0; gate < g; ++gate) {
                        for (std::int64_t j = 0; j < n; ++j) {
                            for (std::int64_t k = 0; k < n; ++k)
                                own_dh[k] += run.weight(p, g + gate, j, k) * of_state[gate * n + j];
                            for (std::int64_t k = 0; k < width; ++k)
                                before[static_cast<std::size_t>((first + b) * width + k)] +=
                                    run.weight(p, gate, j, k) * of_input[gate * n + j];
                        }
                    }
                }
            }
            put_state(run, d.dhx, p, dh);
            put_state(run, d.dcx, p, dc);
        }
        grad = before;
    }
    for (std::size_t i = 0; i < grad.size(); ++i) write(d.dx, r.element, static_cast<std::int64_t>(i), grad[i]);
}

void weight_gradient(const Run& run, void* of_weights, const double* kept) {
    const cudnnRNNStruct& r = run.r;
    const std::int64_t rows = run.sequence.rows(), n = r.hidden, g = r.gates();
    const Reserve reserve{r, rows};
    const auto add = [&](std::int64_t at, double value) {
        write(of_weights, r.element, at, read(of_weights, r.element, at) + value);
    };
    for (std::int64_t p = 0; p < r.layers * r.directions; ++p) {
        const std::int64_t layer = p / r.directions;
        for (std::int64_t line = 0; line < 2 * g; ++line) {
            const Place place = place_of(r, p, line);
            const bool is_state = line >= g;
            for (std::int64_t j = 0; j < n; ++j) {
                double sum = 0;
                std::vector<double> products(static_cast<std::size_t>(place.columns), 0);
                for (std::int64_t row = 0; row < rows; ++row) {
                    const double* const own = kept + reserve.row_at(p, row);
                    const double d = own[(is_state ? 12 : 8) * n + (line % g) * n + j];
                    const double* const in =
                        is_state ? own + 6 * n : kept + reserve.input_at(layer) + row * r.width(layer);
                    sum += d;
                    for (std::size_t k = 0; k < products.size(); ++k) products[k] += d * in[k];
                }
                if (r.bias != CUDNN_RNN_NO_BIAS) add(place.bias + j, sum);
                for (std::size_t k = 0; k < products.size(); ++k)
                    add(place.matrix + j * place.columns + static_cast<std::int64_t>(k), products[k]);
            }
        }
    }
}

bool has_room(const Run& run, std::size_t weight_bytes, std::size_t reserve_bytes) {
    return weight_bytes == static_cast<std::size_t>(weight_elements(run.r) * loupe::cuda::size_of(run.r.element)) &&
           reserve_bytes >= static_cast<std::size_t>(Reserve{run.r, run.sequence.rows()}.size()) * sizeof(double);
}

}  // namespace

extern "C" {

cudnnStatus_t cudnnCreateDropoutDescriptor(cudnnDropoutDescriptor_t* made) {
    *made = new cudnnDropoutStruct;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyDropoutDescriptor(cudnnDropoutDescriptor_t own) {
    delete own;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t own, cudnnHandle_t, float dropout, void*, size_t,
                                        unsigned long long) {
    own->dropout = dropout;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t* made) {
    *made = new cudnnRNNStruct;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t own) {
    delete own;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t own, cudnnRNNAlgo_t, cudnnRNNMode_t mode,
                                       cudnnRNNBiasMode_t bias, cudnnDirectionMode_t direction, cudnnRNNInputMode_t,
                                       cudnnDataType_t type, cudnnDataType_t, cudnnMathType_t, int32_t input,
                                       int32_t hidden, int32_t projection, int32_t layers,
                                       cudnnDropoutDescriptor_t dropout, uint32_t) {
    if (projection != hidden || dropout->dropout != 0) return CUDNN_STATUS_NOT_SUPPORTED;
    *own = {mode, bias, element_of(type), direction == CUDNN_BIDIRECTIONAL ? 2 : 1, input, hidden, layers};
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t* made) {
    *made = new cudnnRNNDataStruct;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t own) {
    delete own;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t own, cudnnDataType_t type, cudnnRNNDataLayout_t layout,
                                        int steps, int batch, int width, const int lengths[], void*) {
    if (layout != CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED) return CUDNN_STATUS_NOT_SUPPORTED;
    *own = {element_of(type), width, std::vector<int>(lengths, lengths + batch)};
    const bool falls = std::is_sorted(own->lengths.rbegin(), own->lengths.rend());
    return falls && own->steps() == steps ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
}
cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t, cudnnRNNDescriptor_t own, size_t* bytes) {
    *bytes = static_cast<std::size_t>(weight_elements(*own) * loupe::cuda::size_of(own->element));
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t, cudnnRNNDescriptor_t own, cudnnForwardMode_t mode,
                                        cudnnRNNDataDescriptor_t x, size_t* work, size_t* reserve) {
    *work = 64;
    const auto kept = static_cast<std::size_t>(Reserve{*own, x->rows()}.size()) * sizeof(double);
    *reserve = mode == CUDNN_FWD_MODE_TRAINING ? kept : 0;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t, cudnnRNNDescriptor_t own, int32_t pseudo_layer, size_t,
                                      const void* weights, int32_t line, cudnnTensorDescriptor_t, void** matrix,
                                      cudnnTensorDescriptor_t, void** bias) {
    const Place place = place_of(*own, pseudo_layer, line);
    auto* const base = static_cast<char*>(const_cast<void*>(weights));
    *matrix = base + place.matrix * loupe::cuda::size_of(own->element);
    *bias = own->bias == CUDNN_RNN_NO_BIAS ? nullptr : base + place.bias * loupe::cuda::size_of(own->element);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnRNNForward(cudnnHandle_t handle, cudnnRNNDescriptor_t own, cudnnForwardMode_t mode, const int32_t*,
                              cudnnRNNDataDescriptor_t x_sequence, const void* x, cudnnRNNDataDescriptor_t y_sequence,
                              void* y, cudnnTensorDescriptor_t, const void* hx, void* hy, cudnnTensorDescriptor_t,
                              const void* cx, void* cy, size_t weight_bytes, const void* weights, size_t, void*,
                              size_t reserve_bytes, void* reserve) {
    const int status = stub_gpu::called("cudnnRNNForward", static_cast<int>(own->layers * own->directions));
    if (status != 0) return static_cast<cudnnStatus_t>(status);
    const Run run{*own, *x_sequence, weights};
    const bool keeps = mode == CUDNN_FWD_MODE_TRAINING;
    const bool fits = x_sequence->width == own->input && y_sequence->width == own->hidden * own->directions;
    if (!fits || (keeps && !has_room(run, weight_bytes, reserve_bytes))) return CUDNN_STATUS_BAD_PARAM;
    stub_gpu::launch(handle->stream, [=] {
        std::vector<double> room(keeps ? 0 : static_cast<std::size_t>(Reserve{run.r, run.sequence.rows()}.size()));
        forward(run, {x, y, hx, hy, cx, cy}, keeps ? static_cast<double*>(reserve) : room.data());
    });
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t own, const int32_t*,
                                      cudnnRNNDataDescriptor_t y_sequence, const void*, const void* dy,
                                      cudnnRNNDataDescriptor_t, void* dx, cudnnTensorDescriptor_t, const void*,
                                      const void* dhy, void* dhx, cudnnTensorDescriptor_t, const void*, const void* dcy,
                                      void* dcx, size_t weight_bytes, const void* weights, size_t, void*,
                                      size_t reserve_bytes, void* reserve) {
    const int status = stub_gpu::called("cudnnRNNBackwardData_v8");
    if (status != 0) return static_cast<cudnnStatus_t>(status);
    const Run run{*own, *y_sequence, weights};
    if (!has_room(run, weight_bytes, reserve_bytes)) return CUDNN_STATUS_BAD_PARAM;
    stub_gpu::launch(handle->stream, [=] {
        backward(run, {dy, dx, dhy, dhx, dcy, dcx}, static_cast<double*>(reserve));
    });
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t own, cudnnWgradMode_t mode,
                                         const int32_t*, cudnnRNNDataDescriptor_t x_sequence, const void*,
                                         cudnnTensorDescriptor_t, const void*, cudnnRNNDataDescriptor_t, const void*,
                                         size_t weight_bytes, void* of_weights, size_t, void*, size_t reserve_bytes,
                                         void* reserve) {
    const int status = stub_gpu::called("cudnnRNNBackwardWeights_v8");
    if (status != 0) return static_cast<cudnnStatus_t>(status);
    const Run run{*own, *x_sequence, nullptr};
    if (mode != CUDNN_WGRAD_MODE_ADD || !has_room(run, weight_bytes, reserve_bytes)) return CUDNN_STATUS_BAD_PARAM;
    stub_gpu::launch(handle->stream, [=] { weight_gradient(run, of_weights, static_cast<const double*>(reserve)); });
    return CUDNN_STATUS_SUCCESS;
}

}  // extern "C"

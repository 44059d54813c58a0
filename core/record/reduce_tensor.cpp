// SPDX-License-Identifier: Apache-2.0
#include "core/record/reduce_tensor.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/record/compute_statistics.h"
#include "core/tensor/copy_elements.h"
#include "core/tensor/element_walk.h"
#include "core/tensor/packed.h"
#include "core/tensor/quantizer.h"
#include "core/tensor/sparse.h"

namespace loupe::session {
namespace {

[[noreturn]] void bad_slice(std::string_view slice, std::string_view why) {
    throw Error(ErrorKind::Usage, concat("slice '", slice, "': ", why),
                {.hint = "write it like [0, :, 3] or [..., 1:8:2]"});
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

std::int64_t to_number(std::string_view text, std::string_view slice) {
    text = trimmed(text);
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size())
        bad_slice(slice, concat("'", text, "' is no number"));
    return value;
}

// Sizes and strides while the parts of a slice are taken one by one.
struct Selection {
    Dims sizes;
    Dims strides;
    std::int64_t offset;
    std::vector<TensorSlice::Axis> axes;

    void keep(std::int64_t size, std::int64_t stride, std::int64_t start = 0, std::int64_t step = 1) {
        axes.push_back({start, step, static_cast<int>(sizes.size())});
        sizes.push_back(size);
        strides.push_back(stride * step);
    }
};

struct SlicedTensor {
    Tensor tensor;
    std::vector<TensorSlice::Axis> axes;
};

void take_range(Selection& out, std::string_view part, std::int64_t size, std::int64_t stride, std::string_view slice) {
    const auto bounds = split(part, ':');
    if (bounds.size() > 3) bad_slice(slice, "too many colons");
    const auto bound = [&](std::size_t i, std::int64_t otherwise) {
        if (i >= bounds.size() || trimmed(bounds[i]).empty()) return otherwise;
        std::int64_t value = to_number(bounds[i], slice);
        if (i < 2) value = std::clamp<std::int64_t>(value < 0 ? value + size : value, 0, size);
        return value;
    };
    const std::int64_t begin = bound(0, 0);
    const std::int64_t end = bound(1, size);
    const std::int64_t step = bound(2, 1);
    if (step <= 0) bad_slice(slice, "the step must be positive");
    out.offset += begin * stride;
    out.keep(end > begin ? (end - begin + step - 1) / step : 0, stride, begin, step);
}

void take_index(Selection& out, std::string_view part, std::int64_t size, std::int64_t stride, std::string_view slice) {
    std::int64_t index = to_number(part, slice);
    if (index < -size || index >= size) {
        bad_slice(slice, concat("index ", index, " is out of bounds for a dimension of size ", size));
    }
    if (index < 0) index += size;
    out.offset += index * stride;
    out.axes.push_back({index, 1, -1});
}

double number_at(const Tensor& t, std::int64_t offset) {
    return visit_any_dtype(t.dtype(), [&]<typename T>(std::type_identity<T>) {
        const T value = t.data<T>()[offset];
        if constexpr (is_complex(scalar_type_of<T>))
            return std::abs(std::complex<double>(value));
        else
            return static_cast<double>(value);
    });
}

SlicedTensor permuted(SlicedTensor given, const std::vector<int>& order) {
    if (order.empty()) return given;
    const Tensor& t = given.tensor;
    std::vector<int> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    bool is_permutation = static_cast<std::int64_t>(order.size()) == t.dim();
    for (std::size_t i = 0; is_permutation && i < sorted.size(); ++i) is_permutation = sorted[i] == static_cast<int>(i);
    if (!is_permutation)
        throw Error(ErrorKind::Usage, concat("the order of dimensions must name each of ", t.dim(), " once"));
    Dims sizes;
    Dims strides;
    for (const int d : order) {
        sizes.push_back(t.size(d));
        strides.push_back(t.stride(d));
    }
    for (TensorSlice::Axis& axis : given.axes) {
        if (axis.shown >= 0)
            axis.shown = static_cast<int>(std::find(order.begin(), order.end(), axis.shown) - order.begin());
    }
    return {t.view_as_strided(span_of(sizes), span_of(strides), t.storage_offset()), std::move(given.axes)};
}

// One cell of a thinned picture from the elements that fall into it.
double thinned(const Tensor& t, std::int64_t base, std::int64_t row, std::int64_t row_end, std::int64_t column,
               std::int64_t column_end, TensorRequest::Thin thin, std::int64_t row_stride, std::int64_t column_stride) {
    const auto at = [&](std::int64_t r, std::int64_t c) {
        return number_at(t, base + r * row_stride + c * column_stride);
    };
    if (thin == TensorRequest::Thin::Pick || (row_end - row <= 1 && column_end - column <= 1)) return at(row, column);
    double sum = 0;
    double greatest = 0;
    for (std::int64_t r = row; r < row_end; ++r) {
        for (std::int64_t c = column; c < column_end; ++c) {
            const double x = at(r, c);
            if (std::isnan(x)) return x;
            sum += x;
            if (std::fabs(x) > std::fabs(greatest)) greatest = x;
        }
    }
    if (thin == TensorRequest::Thin::MaxMagnitude) return greatest;
    return sum / static_cast<double>((row_end - row) * (column_end - column));
}

// The tensor's own indices that a tile stands for: "[2]" for the first of [2:5].
std::string tile_label(const TensorSlice& slice, std::size_t tile) {
    const int leading = static_cast<int>(slice.sliced_shape.size()) - 2;
    const Shape own = slice.own_index(tile, 0, 0);
    Shape shown;
    for (std::size_t d = 0; d < slice.axes.size(); ++d) {
        if (slice.axes[d].shown >= 0 && slice.axes[d].shown < leading) shown.push_back(own[d]);
    }
    return shape_list_text(shown);
}

struct PictureSize {
    int rows = 0;
    int columns = 0;
};

// Of each tile that has elements: both sides shrink alike, as far as they are longer than one.
PictureSize picture_size(const TensorRequest& request, const TensorDetail& detail, const TensorSlice& slice,
                         std::int64_t tiles) {
    const std::int64_t all_rows = std::min<std::int64_t>(slice.rows, std::max(1, request.max_rows));
    std::int64_t rows = all_rows;
    std::int64_t columns = std::min<std::int64_t>(slice.columns, std::max(1, request.max_columns));
    const std::int64_t pictures = detail.only_tile >= 0 ? 1 : std::max<std::int64_t>(1, tiles);
    const std::int64_t most =
        detail.max_elements > 0 ? std::max<std::int64_t>(1, detail.max_elements / pictures) : rows * columns;
    if (rows * columns > most) {
        const auto side = std::max<std::int64_t>(1, std::llround(std::floor(std::sqrt(static_cast<double>(most)))));
        rows = std::min(rows, std::max(side, most / columns));
        columns = std::min(columns, std::max<std::int64_t>(1, most / rows));
        rows = std::min(all_rows, std::max<std::int64_t>(1, most / columns));
    }
    return {static_cast<int>(rows), static_cast<int>(columns)};
}

// The next tile.
void advance(std::vector<std::int64_t>& index, const Tensor& t) {
    for (std::size_t d = index.size(); d-- > 0;) {
        if (++index[d] < t.sizes()[d]) break;
        index[d] = 0;
    }
}

void fill_tiles(const Tensor& t, const TensorRequest& request, const TensorDetail& detail, TensorSlice& out) {
    const std::size_t dims = static_cast<std::size_t>(t.dim());
    out.columns = dims >= 1 ? t.size(-1) : 1;
    out.rows = dims >= 2 ? t.size(-2) : 1;
    const std::int64_t column_stride = dims >= 1 ? t.stride(-1) : 0;
    const std::int64_t row_stride = dims >= 2 ? t.stride(-2) : 0;
    out.tiles = 1;
    for (std::size_t d = 0; d + 2 < dims; ++d) out.tiles *= t.sizes()[d];
    if (t.numel() == 0) return;
    const std::int64_t tiles = std::min<std::int64_t>(out.tiles, std::max(1, request.max_tiles));
    const auto [rows, columns] = picture_size(request, detail, out, tiles);
    std::vector<std::int64_t> index(dims > 2 ? dims - 2 : 0, 0);
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
        TensorTile picture;
        if (!index.empty()) picture.label = tile_label(out, static_cast<std::size_t>(tile));
        if (detail.only_tile >= 0 && tile != detail.only_tile) {
            out.data.push_back(std::move(picture));
            advance(index, t);
            continue;
        }
        picture.rows = rows;
        picture.columns = columns;
        std::int64_t base = 0;
        for (std::size_t d = 0; d < index.size(); ++d) base += index[d] * t.strides()[d];
        picture.elements.reserve(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
        for (std::int64_t r = 0; r < rows; ++r) {
            for (std::int64_t c = 0; c < columns; ++c) {
                picture.elements.push_back(thinned(t, base, r * out.rows / rows, (r + 1) * out.rows / rows,
                                                   c * out.columns / columns, (c + 1) * out.columns / columns,
                                                   request.thin, row_stride, column_stride));
            }
        }
        out.data.push_back(std::move(picture));
        advance(index, t);
    }
}

void fill_histogram(const Tensor& t, TensorSlice& out) {
    if (!out.statistics.finite) return;
    const double low = out.statistics.finite->min;
    const double width = out.statistics.finite->max - low;
    const auto bins = static_cast<double>(out.histogram.size());
    visit_any_dtype(t.dtype(), [&]<typename T>(std::type_identity<T>) {
        walk_elements<T>(t, false, [&](const T* elements, std::int64_t n) {
            for (std::int64_t i = 0; i < n; ++i) {
                double x = 0;
                if constexpr (is_complex(scalar_type_of<T>))
                    x = std::abs(std::complex<double>(elements[i]));
                else
                    x = static_cast<double>(elements[i]);
                if (!std::isfinite(x)) continue;
                const double place = width > 0 ? (x - low) / width * bins : 0;
                ++out.histogram[static_cast<std::size_t>(std::clamp(place, 0.0, bins - 1))];
            }
        });
    });
}

// Of elements with these sizes, strides and offset.
Selection select(IntSpan sizes, IntSpan strides, std::int64_t offset, std::string_view slice) {
    std::string_view text = trimmed(slice);
    if (text.starts_with('[')) {
        if (!text.ends_with(']')) bad_slice(slice, "']' is missing");
        text = trimmed(text.substr(1, text.size() - 2));
    }
    if (text.empty()) text = "...";
    const auto parts = split(text, ',');
    std::size_t given = 0;
    for (const auto part : parts) given += trimmed(part) == "..." ? 0 : 1;
    const std::size_t dims = sizes.size();
    if (given > dims) bad_slice(slice, concat("too many indices for a tensor of dimension ", dims));
    Selection out{{}, {}, offset, {}};
    std::size_t d = 0;
    const auto keep = [&](std::size_t count) {
        for (std::size_t i = 0; i < count; ++i, ++d) out.keep(sizes[d], strides[d]);
    };
    bool has_ellipsis = false;
    for (const auto raw : parts) {
        const auto part = trimmed(raw);
        if (part == "...") {
            if (has_ellipsis) bad_slice(slice, "only one '...' can stand in it");
            has_ellipsis = true;
            keep(dims - given);
        } else {
            const std::int64_t size = sizes[d];
            const std::int64_t stride = strides[d];
            if (part.find(':') != std::string_view::npos)
                take_range(out, part, size, stride, slice);
            else
                take_index(out, part, size, stride, slice);
            ++d;
        }
    }
    keep(dims - d);
    return out;
}

SlicedTensor sliced(const Tensor& t, Selection selection) {
    return {t.view_as_strided(span_of(selection.sizes), span_of(selection.strides), selection.offset),
            std::move(selection.axes)};
}

// Only the rows that the slice takes are unpacked.
SlicedTensor sliced_packed(const Tensor& t, std::string_view slice) {
    const PackedParts& parts = packed_parts(t);
    const std::int64_t columns = parts.columns();
    const Dims strides = parts.is_transposed ? Dims{1, columns} : Dims{columns, 1};
    Selection selection = select(t.sizes(), span_of(strides), 0, slice);
    std::int64_t step = 1, count = 1;
    for (std::size_t d = 0; d < selection.sizes.size(); ++d) {
        if (selection.strides[d] < columns) continue;
        step = selection.strides[d] / columns;
        count = selection.sizes[d];
        selection.strides[d] = columns;
    }
    if (columns == 0 || checked_numel(span_of(selection.sizes)) == 0) count = 0;
    const Tensor rows = parts.unpacked_rows(columns == 0 ? 0 : selection.offset / columns, step, count);
    selection.offset = count == 0 ? 0 : selection.offset % columns;
    return sliced(rows, std::move(selection));
}

// Of a tensor that is no plain array its SparseParts::elements are sliced.
SlicedTensor sliced_tensor(const Tensor& given, std::string_view slice) {
    if (is_packed(given)) return sliced_packed(given, slice);
    const Tensor t = elements_or_itself(given);
    return sliced(t, select(t.sizes(), t.strides(), t.storage_offset(), slice));
}

// Strides, offset and storage of what is sliced.
void describe_memory(const Tensor& given, TensorSlice& out) {
    if (is_packed(given)) {
        const PackedParts& parts = packed_parts(given);
        out.strides = parts.is_transposed ? Shape{1, parts.columns()} : Shape{parts.columns(), 1};
        out.offset = 0;
        out.storage_id = parts.bytes.storage()->id();
        return;
    }
    const Tensor t = elements_or_itself(given);
    out.strides.assign(t.strides().begin(), t.strides().end());
    out.offset = t.storage_offset();
    out.storage_id = t.storage()->id();
}

}  // namespace

Tensor slice_tensor(const Tensor& t, std::string_view slice) { return sliced_tensor(t, slice).tensor; }

TensorSlice reduce_tensor(const Tensor& given, const TensorRequest& request, const TensorDetail& detail) {
    TensorSlice out;
    // Only sparse tensors have other elements than their sizes say.
    const Tensor t = is_packed(given) ? given : elements_or_itself(given);
    out.dtype = std::string(shown_dtype(given));
    out.shape.assign(t.sizes().begin(), t.sizes().end());
    describe_memory(t, out);
    SlicedTensor chosen = permuted(sliced_tensor(t, request.slice), request.permute);
    const Tensor part = look_at_elements(chosen.tensor);
    out.axes = std::move(chosen.axes);
    out.sliced_shape.assign(part.sizes().begin(), part.sizes().end());
    out.statistics = compute_statistics(part);
    fill_tiles(part, request, detail, out);
    fill_histogram(part, out);
    return out;
}

}  // namespace loupe::session

// SPDX-License-Identifier: Apache-2.0
#include "core/study/share_groups.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>

#include "core/base/strings.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/element_walk.h"

namespace loupe::session {
namespace {

constexpr std::int64_t kMostCells = 64;  // a side of a picture

template <typename T>
double as_number(T value) {
    if constexpr (is_complex(scalar_type_of<T>))
        return std::abs(std::complex<double>(value));
    else
        return static_cast<double>(value);
}

std::int64_t offset_of(const Tensor& t, std::int64_t flat) {
    std::int64_t offset = 0;
    for (std::size_t d = static_cast<std::size_t>(t.dim()); d-- > 0;) {
        offset += flat % t.sizes()[d] * t.strides()[d];
        flat /= t.sizes()[d];
    }
    return offset;
}

double magnitude(const ShareTerm& term) {
    const double share = term.share();
    return std::isfinite(share) && std::isfinite(term.element) ? std::abs(share) : HUGE_VAL;
}

// The last two dimensions of the box; those before are added up.
void draw(ShareGroup& group, const std::vector<ShareTerm>& terms, const std::vector<Shape>& indices) {
    const std::size_t dims = group.shape.size();
    const std::int64_t high = dims >= 2 ? group.to[dims - 2] - group.from[dims - 2] : 1;
    const std::int64_t wide = dims >= 1 ? group.to[dims - 1] - group.from[dims - 1] : 1;
    group.rows = static_cast<int>(std::min(high, kMostCells));
    group.columns = static_cast<int>(std::min(wide, kMostCells));
    const auto cells = static_cast<std::size_t>(group.rows) * static_cast<std::size_t>(group.columns);
    group.shares.assign(cells, 0);
    group.elements.assign(cells, 0);
    std::vector<double> counts(cells, 0);
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const std::int64_t row = dims >= 2 ? (indices[i][dims - 2] - group.from[dims - 2]) * group.rows / high : 0;
        const std::int64_t column =
            dims >= 1 ? (indices[i][dims - 1] - group.from[dims - 1]) * group.columns / wide : 0;
        const auto cell = static_cast<std::size_t>(row * group.columns + column);
        group.shares[cell] += terms[i].share();
        group.elements[cell] += terms[i].element;
        counts[cell] += 1;
    }
    for (std::size_t i = 0; i < cells; ++i) {
        if (counts[i] > 0) group.elements[i] /= counts[i];
    }
}

}  // namespace

std::string_view share_kind_name(ShareKind kind) {
    switch (kind) {
        case ShareKind::Given:
            return "given";
        case ShareKind::Exact:
            return "exact";
        case ShareKind::Held:
            return "exact, its scale held";
        case ShareKind::Element:
            return "the very element";
        case ShareKind::Derivative:
            return "by derivative";
        case ShareKind::Read:
            return "read";
        case ShareKind::Random:
            return "random";
        case ShareKind::Sum:
            return "added up";
        case ShareKind::Unknown:
            return "not known";
    }
    __builtin_unreachable();
}

double element_at(const Tensor& given, std::int64_t flat) {
    const Tensor t = on_host(given);
    return visit_any_dtype(
        t.dtype(), [&]<typename T>(std::type_identity<T>) { return as_number(t.data<T>()[offset_of(t, flat)]); });
}

Shape index_of(const Shape& shape, std::int64_t flat) {
    Shape index(shape.size(), 0);
    for (std::size_t d = shape.size(); d-- > 0;) {
        if (shape[d] == 0) continue;
        index[d] = flat % shape[d];
        flat /= shape[d];
    }
    return index;
}

std::optional<std::int64_t> flat_of(const Shape& shape, const Shape& index) {
    if (index.size() != shape.size()) return std::nullopt;
    std::int64_t flat = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        const std::int64_t at = index[d] < 0 ? index[d] + shape[d] : index[d];
        if (at < 0 || at >= shape[d]) return std::nullopt;
        flat = flat * shape[d] + at;
    }
    return flat;
}

std::string index_text(const Shape& index) {
    return index.empty() ? std::string() : concat("[", join(index, ", "), "]");
}

std::string short_number(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", number);
    return text;
}

Tensor one_hot(const Tensor& like, std::int64_t flat) {
    const Tensor out = zeros(like.sizes(), like.dtype());
    visit_any_dtype(out.dtype(), [&]<typename T>(std::type_identity<T>) {
        if constexpr (!is_complex(scalar_type_of<T>)) out.data<T>()[flat] = static_cast<T>(1.0F);
    });
    return out;
}

std::vector<ShareTerm> terms_of(const Tensor& gradient, const Tensor& elements) {
    std::vector<ShareTerm> terms;
    if (!gradient.defined()) return terms;
    visit_any_dtype(gradient.dtype(), [&]<typename T>(std::type_identity<T>) {
        std::int64_t flat = 0;
        walk_elements<T>(gradient, true, [&](const T* data, std::int64_t n) {
            for (std::int64_t i = 0; i < n; ++i) {
                const double coefficient = as_number(data[i]);
                if (coefficient != 0) terms.push_back({flat + i, 0, coefficient});
            }
            flat += n;
        });
    });
    const Tensor host = on_host(elements);
    visit_any_dtype(host.dtype(), [&]<typename T>(std::type_identity<T>) {
        const T* data = host.data<T>();
        for (ShareTerm& term : terms)
            term.element = as_number(data[host.is_contiguous() ? term.flat : offset_of(host, term.flat)]);
    });
    return terms;
}

double sum_of(const std::vector<ShareTerm>& terms) {
    double sum = 0;
    for (const ShareTerm& term : terms) sum += term.share();
    return sum;
}

ShareGroup group_of(const Shape& shape, std::vector<ShareTerm> terms, std::size_t most) {
    ShareGroup group;
    group.shape = shape;
    group.count = std::ssize(terms);
    group.share = sum_of(terms);
    if (terms.empty()) return group;
    std::vector<Shape> indices;
    indices.reserve(terms.size());
    for (const ShareTerm& term : terms) indices.push_back(index_of(shape, term.flat));
    group.from = group.to = indices.front();
    for (const Shape& index : indices) {
        for (std::size_t d = 0; d < index.size(); ++d) {
            group.from[d] = std::min(group.from[d], index[d]);
            group.to[d] = std::max(group.to[d], index[d]);
        }
    }
    for (std::int64_t& end : group.to) ++end;
    draw(group, terms, indices);
    const auto kept = static_cast<std::ptrdiff_t>(std::min(most, terms.size()));
    std::partial_sort(terms.begin(), terms.begin() + kept, terms.end(), [](const ShareTerm& a, const ShareTerm& b) {
        const double of_a = magnitude(a);
        const double of_b = magnitude(b);
        return of_a != of_b ? of_a > of_b : a.flat < b.flat;
    });
    for (auto term = terms.begin(); term != terms.begin() + kept; ++term)
        group.top.push_back({index_of(shape, term->flat), term->element, term->coefficient, term->share()});
    return group;
}

std::string element_name(const ShareGroup& group, const Shape& index) {
    return concat(group.name.empty() ? group.argument : group.name, index_text(index));
}

}  // namespace loupe::session

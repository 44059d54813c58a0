// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/margins.h"

#include "plugins/cuda/loops/team.h"

namespace loupe::cuda {
namespace {

LOUPE_HD inline bool is_class(const MarginShape& s, std::int64_t target) {
    if (target >= 0 && target < s.classes) return true;
    report(s.fault, FaultKind::Class, target, s.classes);
    return false;
}

template <typename T>
struct MultiBody {
    MarginShape s;
    const T* x;
    const std::int64_t* target;
    const T* weight;
    T* losses;

    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t i) const {
        const std::int64_t right = target[i];
        if (!is_class(s, right)) return;
        const T* const row = x + i * s.classes;
        T sum = 0;
        for (std::int64_t d = team.rank(); d < s.classes; d += team.size()) {
            const T gap = T(s.margin) - row[right] + row[d];
            if (d == right || gap <= 0) continue;
            const T hinge = s.is_square ? gap * gap : gap;
            sum += weight == nullptr ? hinge : hinge * weight[right];
        }
        sum = team.sum(sum);
        if (team.rank() == 0) losses[i] = sum / static_cast<T>(s.classes);
    }
};
template <typename T>
struct MultiSlopeBody {
    MarginShape s;
    const T *grad, *x;
    const std::int64_t* target;
    const T* weight;
    T* out;

    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t i) const {
        const std::int64_t right = target[i];
        if (!is_class(s, right)) return;
        const T* const row = x + i * s.classes;
        T scale = grad[s.has_each ? i : 0] * T(s.share) / static_cast<T>(s.classes);
        if (weight != nullptr) scale *= weight[right];
        T sum = 0;
        for (std::int64_t d = team.rank(); d < s.classes; d += team.size()) {
            const T gap = T(s.margin) - row[right] + row[d];
            const T slope = d == right || gap <= 0 ? T(0) : (s.is_square ? 2 * gap * scale : scale);
            if (d != right) out[i * s.classes + d] = slope;
            sum += slope;
        }
        sum = team.sum(sum);
        if (team.rank() == 0) out[i * s.classes + right] = -sum;
    }
};

// A thread a sample: labels are few.
template <typename T>
struct MarkBody {
    MarginShape s;
    const std::int64_t* target;
    T* marks;
    LOUPE_HD void operator()(std::int64_t i) const {
        for (std::int64_t k = 0; k < s.classes; ++k) {
            const std::int64_t label = target[i * s.classes + k];
            if (label == -1 || !is_class(s, label)) return;
            marks[i * s.classes + label] = T(1);
        }
    }
};
// Calls visit(right) for each label of a row.
template <typename Visit>
LOUPE_HD void each_label(const MarginShape& s, const std::int64_t* labels, Visit&& visit) {
    for (std::int64_t k = 0; k < s.classes; ++k) {
        const std::int64_t label = labels[k];
        if (label == -1 || !is_class(s, label)) return;
        visit(label);
    }
}
template <typename T>
struct MultilabelBody {
    MarginShape s;
    const T* x;
    const std::int64_t* target;
    const T* marks;
    T* losses;

    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t i) const {
        const T *const row = x + i * s.classes, *const mark = marks + i * s.classes;
        T sum = 0;
        each_label(s, target + i * s.classes, [&](std::int64_t right) {
            for (std::int64_t d = team.rank(); d < s.classes; d += team.size()) {
                const T gap = 1 - row[right] + row[d];
                if (mark[d] == T(0)) sum += T(0) < gap ? gap : T(0);
            }
        });
        sum = team.sum(sum);
        if (team.rank() == 0) losses[i] = sum / static_cast<T>(s.classes);
    }
};
// A wrong class has its own element; what right ones are given is counted by the team.
template <typename T>
struct MultilabelSlopeBody {
    MarginShape s;
    const T *grad, *x;
    const std::int64_t* target;
    const T* marks;
    T* out;

    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t i) const {
        const T *const row = x + i * s.classes, *const mark = marks + i * s.classes;
        const T scale = grad[s.has_each ? i : 0] * T(s.share) / static_cast<T>(s.classes);
        T* const to = out + i * s.classes;
        each_label(s, target + i * s.classes, [&](std::int64_t right) {
            std::int64_t pairs = 0;
            for (std::int64_t d = team.rank(); d < s.classes; d += team.size()) {
                if (mark[d] != T(0) || 1 - row[right] + row[d] <= 0) continue;
                to[d] += scale;
                ++pairs;
            }
            pairs = team.sum(pairs);
            if (team.rank() == 0) to[right] -= static_cast<T>(pairs) * scale;
        });
    }
};

template <typename Run>
void visit_wide(Element element, Run&& run) {
    if (element == Element::Float64)
        run(double());
    else
        run(float());
}

}  // namespace

void run_multi_margin(const Queue& queue, const MarginShape& s, const void* x, const std::int64_t* target,
                      const void* weight, void* losses) {
    visit_wide(s.element, [&](auto tag) {
        using T = decltype(tag);
        launch_teams(
            queue, s.samples, s.classes,
            MultiBody<T>{s, static_cast<const T*>(x), target, static_cast<const T*>(weight), static_cast<T*>(losses)});
    });
}
void run_multi_margin_slope(const Queue& queue, const MarginShape& s, const void* grad, const void* x,
                            const std::int64_t* target, const void* weight, void* out) {
    visit_wide(s.element, [&](auto tag) {
        using T = decltype(tag);
        launch_teams(queue, s.samples, s.classes,
                     MultiSlopeBody<T>{s, static_cast<const T*>(grad), static_cast<const T*>(x), target,
                                       static_cast<const T*>(weight), static_cast<T*>(out)});
    });
}
void run_multilabel_margin(const Queue& queue, const MarginShape& s, const void* x, const std::int64_t* target,
                           void* marks, void* losses) {
    visit_wide(s.element, [&](auto tag) {
        using T = decltype(tag);
        launch(queue, s.samples, MarkBody<T>{s, target, static_cast<T*>(marks)});
        launch_teams(queue, s.samples, s.classes,
                     MultilabelBody<T>{s, static_cast<const T*>(x), target, static_cast<const T*>(marks),
                                       static_cast<T*>(losses)});
    });
}
void run_multilabel_margin_slope(const Queue& queue, const MarginShape& s, const void* grad, const void* x,
                                 const std::int64_t* target, const void* marks, void* out) {
    visit_wide(s.element, [&](auto tag) {
        using T = decltype(tag);
        launch_teams(queue, s.samples, s.classes,
                     MultilabelSlopeBody<T>{s, static_cast<const T*>(grad), static_cast<const T*>(x), target,
                                            static_cast<const T*>(marks), static_cast<T*>(out)});
    });
}

}  // namespace loupe::cuda

// SPDX-License-Identifier: Apache-2.0
// A launch a step, a thread a place of a path; labels that occur several times are joined in the order of the path, so
// that a gradient is the same each time.
#include "plugins/cuda/loops/ctc.h"

#include "plugins/cuda/loops/launch.h"

namespace loupe::cuda {
namespace {

template <typename T>
LOUPE_HD T never() {
    return -std::numeric_limits<T>::infinity();
}
template <typename T>
LOUPE_HD T log_add(T a, T b, T c) {
    T most = a > b ? a : b;
    most = c > most ? c : most;
    if (most == never<T>()) return most;
    return std::log(std::exp(a - most) + std::exp(b - most) + std::exp(c - most)) + most;
}

struct Path {
    CtcShape s;
    std::int64_t sample;

    LOUPE_HD std::int64_t length() const { return 2 * s.target_lengths[sample] + 1; }
    LOUPE_HD std::int64_t steps() const { return s.input_lengths[sample]; }
    LOUPE_HD std::int64_t label(std::int64_t place) const {
        if (place % 2 == 0) return s.blank;
        const std::int64_t label = s.targets[s.starts[sample] + place / 2];
        if (label >= 0 && label < s.labels) return label;
        report(s.fault, FaultKind::Class, label, s.labels);
        return s.blank;
    }
    LOUPE_HD bool skips(std::int64_t place) const {
        return place >= 2 && place % 2 == 1 && label(place) != label(place - 2);
    }
    LOUPE_HD std::int64_t row(std::int64_t t) const { return (t * s.batch + sample) * s.labels; }
    LOUPE_HD std::int64_t place_row(std::int64_t t) const { return (sample * s.steps + t) * s.width; }
};

template <typename T>
struct AlphaBody {
    CtcShape s;
    std::int64_t t;
    const T* log_probs;
    T* alpha;
    LOUPE_HD void operator()(std::int64_t i) const {
        const std::int64_t sample = quotient(i, s.width), place = i - sample * s.width;
        const Path path{s, sample};
        T& to = alpha[path.place_row(t) + place];
        to = never<T>();
        // The first step is there for a sample of no steps too, as on the host.
        if (place >= path.length() || (t > 0 && t >= path.steps())) return;
        const T own = log_probs[path.row(t) + path.label(place)];
        if (t == 0) {
            if (place < 2) to = own;
            return;
        }
        const T* const before = alpha + path.place_row(t - 1);
        to = log_add(before[place], place > 0 ? before[place - 1] : never<T>(),
                     path.skips(place) ? before[place - 2] : never<T>()) +
             own;
    }
};
template <typename T>
struct CtcLossBody {
    CtcShape s;
    const T* alpha;
    T* losses;
    LOUPE_HD void operator()(std::int64_t sample) const {
        const Path path{s, sample};
        const std::int64_t length = path.length(), steps = path.steps();
        if (steps == 0) {
            losses[sample] = length == 1 ? T(0) : std::numeric_limits<T>::infinity();
            return;
        }
        const T* const last = alpha + path.place_row(steps - 1);
        losses[sample] = -log_add(last[length - 1], length > 1 ? last[length - 2] : never<T>(), never<T>());
    }
};
template <typename T>
struct BetaBody {
    CtcShape s;
    std::int64_t t;
    const T* log_probs;
    T* beta;
    LOUPE_HD void operator()(std::int64_t i) const {
        const std::int64_t sample = quotient(i, s.width), place = i - sample * s.width;
        const Path path{s, sample};
        const std::int64_t length = path.length(), steps = path.steps();
        T& to = beta[path.place_row(t) + place];
        to = never<T>();
        if (place >= length || t >= steps) return;
        T sum = place >= length - 2 ? T(0) : never<T>();
        if (t < steps - 1) {
            const T* const after = beta + path.place_row(t + 1);
            const bool skips = place + 2 < length && path.skips(place + 2);
            sum = log_add(after[place], place + 1 < length ? after[place + 1] : never<T>(),
                          skips ? after[place + 2] : never<T>());
        }
        to = sum + log_probs[path.row(t) + path.label(place)];
    }
};
// For each label of a step the sum over its places.
template <typename T>
struct JoinBody {
    CtcShape s;
    const T* alpha;
    const T* beta;
    T* out;
    LOUPE_HD void operator()(std::int64_t i) const {
        const std::int64_t sample = quotient(i, s.steps), t = i - sample * s.steps;
        const Path path{s, sample};
        T* const joined = out + path.row(t);
        for (std::int64_t k = 0; k < s.labels; ++k) joined[k] = never<T>();
        if (t >= path.steps()) return;
        const std::int64_t row = path.place_row(t);
        for (std::int64_t place = 0; place < path.length(); ++place) {
            T& both = joined[path.label(place)];
            both = log_add(both, alpha[row + place] + beta[row + place], never<T>());
        }
    }
};
template <typename T>
struct CtcSlopeBody {
    CtcShape s;
    bool zero_infinity;
    const T* grad;
    const T* log_probs;
    const T* losses;
    T* out;
    LOUPE_HD void operator()(std::int64_t i) const {
        const std::int64_t row = quotient(i, s.labels), t = quotient(row, s.batch), sample = row - t * s.batch;
        const T loss = losses[sample];
        const bool is_left_out = zero_infinity && loss == std::numeric_limits<T>::infinity();
        if (is_left_out || t >= s.input_lengths[sample]) {
            out[i] = 0;
            return;
        }
        out[i] = (std::exp(log_probs[i]) - std::exp(out[i] + loss - log_probs[i])) * grad[sample];
    }
};

template <typename T>
void forward(const Queue& queue, const CtcShape& s, const T* log_probs, T* alpha, T* losses) {
    for (std::int64_t t = 0; t < s.steps; ++t) launch(queue, s.batch * s.width, AlphaBody<T>{s, t, log_probs, alpha});
    launch(queue, s.batch, CtcLossBody<T>{s, alpha, losses});
}
template <typename T>
void backward(const Queue& queue, const CtcShape& s, bool zero_infinity, const T* grad, const T* log_probs,
              const T* losses, const T* alpha, T* beta, T* out) {
    for (std::int64_t t = s.steps; t-- > 0;) launch(queue, s.batch * s.width, BetaBody<T>{s, t, log_probs, beta});
    launch(queue, s.batch * s.steps, JoinBody<T>{s, alpha, beta, out});
    launch(queue, s.steps * s.batch * s.labels, CtcSlopeBody<T>{s, zero_infinity, grad, log_probs, losses, out});
}

}  // namespace

void run_ctc(const Queue& queue, const CtcShape& s, const void* log_probs, void* alpha, void* losses) {
    if (s.element == Element::Float64)
        forward(queue, s, static_cast<const double*>(log_probs), static_cast<double*>(alpha),
                static_cast<double*>(losses));
    else
        forward(queue, s, static_cast<const float*>(log_probs), static_cast<float*>(alpha),
                static_cast<float*>(losses));
}
void run_ctc_gradient(const Queue& queue, const CtcShape& s, bool zero_infinity, const void* grad,
                      const void* log_probs, const void* losses, const void* alpha, void* beta, void* out) {
    const auto run = [&](auto tag) {
        using T = decltype(tag);
        backward(queue, s, zero_infinity, static_cast<const T*>(grad), static_cast<const T*>(log_probs),
                 static_cast<const T*>(losses), static_cast<const T*>(alpha), static_cast<T*>(beta),
                 static_cast<T*>(out));
    };
    if (s.element == Element::Float64)
        run(double());
    else
        run(float());
}

}  // namespace loupe::cuda

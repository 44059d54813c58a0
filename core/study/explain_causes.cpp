// SPDX-License-Identifier: Apache-2.0
#include "core/study/explain_causes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/strings.h"

namespace loupe::session {
namespace {

using Elements = EventFunction::Elements;

// What stands for Inf and NaN in EventFunction::Elements::Bounded.
double unbounded(double number) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (std::abs(number) < 1e27) return number;
    const bool is_nan = number > 6.5e29 && number < 7.5e29;
    return is_nan ? std::numeric_limits<double>::quiet_NaN() : std::copysign(kInfinity, number);
}

std::string number_text(const ShareGroup& group, const ElementShare& share) {
    return concat(element_name(group, share.index), " = ", short_number(share.element));
}

struct Found {
    const ShareGroup* group = nullptr;
    const ElementShare* share = nullptr;
};

template <typename Predicate>
Found first_of(const std::vector<ShareGroup>& groups, ShareGroup::Role role, Predicate&& is_meant) {
    for (const ShareGroup& group : groups) {
        if (group.role != role) continue;
        for (const ElementShare& share : group.top)
            if (is_meant(share)) return {&group, &share};
    }
    return {};
}

}  // namespace

std::vector<std::vector<ShareTerm>> terms_of_bad(const RecordedCall& call, const std::vector<bool>& is_source,
                                                 std::size_t output, std::int64_t flat) {
    const EventFunction bounded = forward_function(call, is_source, Elements::Bounded);
    const EventFunction ones = forward_function(call, is_source, Elements::Ones);
    const TensorList coefficients = bounded.pull(output, one_hot(bounded.outputs()[output], flat));
    const TensorList windows = ones.pull(output, one_hot(ones.outputs()[output], flat));
    std::vector<std::vector<ShareTerm>> all;
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
        const Tensor elements = call.tensor(bounded.sources()[i].place);
        std::vector<ShareTerm> terms = terms_of(windows[i], elements);
        // Of an operator that is not linear the window of ones may miss what its own derivative has.
        const std::vector<ShareTerm> own = terms_of(coefficients[i], elements);
        auto at = own.begin();
        for (ShareTerm& term : terms) {
            while (at != own.end() && at->flat < term.flat) ++at;
            term.coefficient = at != own.end() && at->flat == term.flat ? unbounded(at->coefficient) : 0;
        }
        all.push_back(terms.empty() ? own : std::move(terms));
    }
    return all;
}

std::vector<Said> causes_of(const std::vector<ShareGroup>& groups, bool is_linear) {
    using Role = ShareGroup::Role;
    std::vector<Said> causes;
    const auto is_nan = [](const ElementShare& s) { return std::isnan(s.element); };
    for (const Role role : {Role::Source, Role::Factor}) {
        if (const Found nan = first_of(groups, role, is_nan); nan.share != nullptr)
            causes.push_back(engine::said("NaN came in: %1", number_text(*nan.group, *nan.share)));
    }
    const auto is_inf_times_zero = [](const ElementShare& s) { return std::isinf(s.element) && s.coefficient == 0; };
    const auto is_zero_times_inf = [](const ElementShare& s) { return s.element == 0 && std::isinf(s.coefficient); };
    if (is_linear) {
        for (const auto& [first, second] : {std::pair(Role::Source, Role::Factor)}) {
            const Found inf = first_of(groups, first, is_inf_times_zero);
            const Found zero = first_of(groups, first, is_zero_times_inf);
            if (inf.share != nullptr) {
                const Found other = first_of(groups, second, is_zero_times_inf);
                causes.push_back(engine::said("0 \u00b7 inf: %1 times %2", number_text(*inf.group, *inf.share),
                                              other.share != nullptr ? number_text(*other.group, *other.share) : "0"));
            } else if (zero.share != nullptr) {
                const Found other = first_of(groups, second, is_inf_times_zero);
                causes.push_back(
                    engine::said("0 \u00b7 inf: %1 times %2", number_text(*zero.group, *zero.share),
                                 other.share != nullptr ? number_text(*other.group, *other.share) : "inf"));
            }
        }
        const auto is_up = [](const ElementShare& s) { return s.share == HUGE_VAL; };
        const auto is_down = [](const ElementShare& s) { return s.share == -HUGE_VAL; };
        const Found up = first_of(groups, Role::Source, is_up);
        const Found down = first_of(groups, Role::Source, is_down);
        if (up.share != nullptr && down.share != nullptr)
            causes.push_back(engine::said("inf \u2212 inf: %1 and %2", number_text(*up.group, *up.share),
                                          number_text(*down.group, *down.share)));
        else if (causes.empty() && (up.share != nullptr || down.share != nullptr)) {
            const Found& one = up.share != nullptr ? up : down;
            const std::string number = number_text(*one.group, *one.share);
            causes.push_back(std::isinf(one.share->element) ? engine::said("Inf came in: %1", number)
                                                            : engine::said("Inf came in: %1 times inf", number));
        }
        return causes;
    }
    const auto is_inf = [](const ElementShare& s) { return std::isinf(s.element); };
    if (const Found inf = first_of(groups, Role::Source, is_inf); inf.share != nullptr && causes.empty())
        causes.push_back(engine::said("Inf came in: %1", number_text(*inf.group, *inf.share)));
    return causes;
}

}  // namespace loupe::session

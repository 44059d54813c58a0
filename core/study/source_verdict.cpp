// SPDX-License-Identifier: Apache-2.0
#include "core/study/source_verdict.h"

#include <filesystem>

#include "core/base/strings.h"
#include "core/record/compute_statistics.h"
#include "core/record/finite_check.h"

namespace loupe::session {
namespace {

std::size_t indent_of(std::string_view line) {
    const auto at = line.find_first_not_of(" \t");
    return at == std::string_view::npos ? line.size() : at;
}

// "fc.weight holds 12 NaN of 12 elements"; empty: all is finite. Inf in a buffer may be a mask.
Said bad_state(const nn::Module& module) {
    const auto text_of = [](const std::string& name, const Tensor& t, bool is_buffer) -> Said {
        if (is_all_finite(t)) return {};
        const Statistics s = compute_statistics(t);
        if (s.nan_count == 0 && is_buffer) return {};
        return s.nan_count > 0 ? engine::said("%2 holds %3 NaN of %1 elements", "%2 holds %3 NaN of %1 element",
                                              s.count, name, s.nan_count)
                               : engine::said("%2 holds %3 Inf of %1 elements", "%2 holds %3 Inf of %1 element",
                                              s.count, name, s.inf_count);
    };
    for (const auto& [name, t] : module.named_parameters()) {
        if (Said text = text_of(name, t, false); !text.empty()) return text;
    }
    for (const auto& [name, t] : module.named_buffers()) {
        if (Said text = text_of(name, t, true); !text.empty()) return text;
    }
    return {};
}

}  // namespace

SourcePlace training_at_module_level(const SourceFile& source) {
    bool is_in_definition = false;
    int loop = 0;
    int number = 0;
    for (const std::string_view line : split(source.text, '\n')) {
        ++number;
        const std::size_t indent = indent_of(line);
        const std::string_view code = line.substr(indent);
        if (code.empty() || code.starts_with('#')) continue;
        if (indent == 0) {
            is_in_definition = code.starts_with("def ") || code.starts_with("class ") || code.starts_with("async ") ||
                               code.starts_with('@');
            loop = 0;
        }
        if (is_in_definition) continue;
        if (loop == 0 && (code.starts_with("for ") || code.starts_with("while "))) loop = number;
        if (loop != 0 && code.find(".backward(") != std::string_view::npos) return {source.name, loop, 0};
    }
    return {};
}

std::optional<Verdict> conclude_opening(const Program& program) {
    if (!program.is_eager()) return std::nullopt;
    const Said bad = bad_state(program.module());
    if (bad.empty()) return std::nullopt;
    Verdict verdict;
    verdict.severity = Verdict::Severity::Error;
    for (const SourceFile& source : program.info()->sources) {
        if (verdict.source.line == 0) verdict.source = training_at_module_level(source);
    }
    if (verdict.source.line == 0) {
        verdict.text = engine::said("%1 when the source has run, as it does when it is opened", bad);
        verdict.advice =
            engine::said("look at what gives it: what the source computes at module level, or weights that it loads");
        return verdict;
    }
    const std::string place =
        concat(std::filesystem::path(verdict.source.file).filename().string(), ":", verdict.source.line);
    verdict.text = engine::said(
        "%1 when the source has run: its loop at module level, %2, trains while the file is "
        "opened, where nothing is recorded",
        bad, place);
    verdict.advice = engine::said(
        "put that loop into a def, open the file again and press Train: it stops at the step that makes the first NaN "
        "or Inf and names the operator and its line");
    return verdict;
}

}  // namespace loupe::session

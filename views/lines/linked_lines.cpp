// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/lines/linked_lines.h"

#include <QObject>
#include <QRegularExpression>
#include <algorithm>

#include "views/common/at.h"
#include "views/common/format.h"

namespace loupe::views {
namespace {

QStringList linesOf(const std::string& words) {
    QStringList lines = text(words).split(QLatin1Char('\n'));
    while (!lines.empty() && lines.back().isEmpty()) lines.pop_back();
    return lines;
}

LinkedLine titleLine(const QString& words) { return {words, 0, {}}; }

void sortOut(std::vector<int>& keys) {
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

// Why a kernel has no assembly, or no LLVM IR.
QString missing(const session::FusedKernelView& kernel, const QString& what) {
    return QObject::tr("; %1 runs this kernel: it has no %2 (LLVM compiles kernels where its plugin is there)")
        .arg(text(kernel.backend), what);
}

}  // namespace

std::vector<SourceFunction> functionsOf(const QString& source) {
    static const QRegularExpression head(QStringLiteral("^(\\s*)(?:async\\s+)?(def|class)\\s+(\\w+)"));
    struct Open {
        int indent;
        bool is_class;
        QString name;
        int first;
        int last;
    };
    std::vector<SourceFunction> found;
    std::vector<Open> open;
    const auto close = [&](int indent) {
        while (!open.empty() && open.back().indent >= indent) {
            const Open& done = open.back();
            if (!done.is_class) found.push_back({done.name, done.first, done.last});
            open.pop_back();
        }
    };
    int number = 0;
    for (const QString& line : source.split(QLatin1Char('\n'))) {
        ++number;
        const QString words = line.trimmed();
        if (words.isEmpty() || words.startsWith(QLatin1Char('#'))) continue;
        int indent = 0;
        while (indent < line.size() && line[indent].isSpace()) ++indent;
        // The end of arguments over several lines stands where the function does.
        if (!words.startsWith(QLatin1Char(')')) && !words.startsWith(QLatin1Char(']'))) close(indent);
        if (const auto match = head.match(line); match.hasMatch()) {
            const QString outer = open.empty() ? QString() : open.back().name + QLatin1Char('.');
            open.push_back(
                {indent, match.captured(2) == QLatin1String("class"), outer + match.captured(3), number, number});
        }
        for (Open& each : open) each.last = number;
    }
    close(0);
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return found;
}

LineLinks::LineLinks(const session::PassTrace& trace, const session::FusedGroups& groups)
    : trace_(trace), groups_(groups), places_(trace.places) {
    for (std::size_t i = 0; i < places_.size(); ++i)
        keys_.try_emplace({places_[i].file, places_[i].line}, static_cast<int>(i));
    for (const session::FusedGroupView& group : groups_.groups) {
        auto& lines = group_keys_.emplace_back();
        for (const session::SourcePlace& place : group.places) {
            auto& keys = lines.emplace_back();
            if (place.line <= 0) continue;
            const auto [found, is_new] = keys_.try_emplace({place.file, place.line}, static_cast<int>(places_.size()));
            if (is_new) places_.push_back(place);
            keys.push_back(found->second);
        }
    }
    number();
}

void LineLinks::number() {
    colours_.assign(places_.size(), 0);
    const std::string* file = nullptr;
    int next = 0;
    for (const auto& [place, key] : keys_) {
        if (file == nullptr || *file != place.first) next = 0;
        file = &place.first;
        colours_[at(key)] = next++;
    }
}

int LineLinks::key(const std::string& file, int line) const {
    const auto found = keys_.find({file, line});
    return found == keys_.end() ? -1 : found->second;
}

int LineLinks::colour(int key) const { return key >= 0 && at(key) < colours_.size() ? colours_[at(key)] : 0; }

std::string LineLinks::mainFile() const {
    std::map<std::string, int> counts;
    for (const auto& keys : trace_.initial_from_source) {
        for (const int key : keys) ++counts[places_[at(key)].file];
    }
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == counts.end() ? std::string() : most->first;
}

LinkedLines LineLinks::source(const std::string& file, const QString& source) const {
    LinkedLines lines;
    for (const QString& line : source.split(QLatin1Char('\n'))) {
        const int number = static_cast<int>(lines.size()) + 1;
        const int own = key(file, number);
        lines.push_back({line, number, own < 0 ? std::vector<int>() : std::vector<int>{own}});
    }
    return lines;
}

LinkedLines LineLinks::graphLines(const session::GraphModel* graph, const std::vector<std::vector<int>>& from) const {
    LinkedLines lines;
    if (graph == nullptr) return lines;
    for (const QString& line : linesOf(graph->text)) {
        const std::size_t index = lines.size();
        lines.push_back({line, static_cast<int>(index) + 1, index < from.size() ? from[index] : std::vector<int>()});
    }
    return lines;
}

// With the calls of modules opened, where the pipeline begins with that: closed they come from no line of a source.
LinkedLines LineLinks::before() const {
    const auto first =
        std::ranges::find_if(trace_.steps, [](const session::PassStep& step) { return step.graph != nullptr; });
    if (first != trace_.steps.end() && first->pass == "Inline")
        return graphLines(first->graph.get(), first->from_source);
    return graphLines(trace_.initial.get(), trace_.initial_from_source);
}

LinkedLines LineLinks::after() const {
    for (auto step = trace_.steps.rbegin(); step != trace_.steps.rend(); ++step) {
        if (step->graph) return graphLines(step->graph.get(), step->from_source);
    }
    return before();
}

LinkedLines LineLinks::groupGraph(int group) const {
    LinkedLines lines;
    if (group < 0 || at(group) >= groups_.groups.size()) return lines;
    const auto& keys = group_keys_[at(group)];
    for (const QString& line : linesOf(groups_.groups[at(group)].graph)) {
        const std::size_t index = lines.size();
        lines.push_back({line, static_cast<int>(index) + 1, index < keys.size() ? keys[index] : std::vector<int>()});
    }
    return lines;
}

// Add(kernel, keys of the lines of its expression).
template <typename Add>
void LineLinks::forKernels(int group, LinkedLines& out, const Add& add) const {
    for (std::size_t g = 0; g < groups_.groups.size(); ++g) {
        if (group >= 0 && at(group) != g) continue;
        const session::FusedGroupView& view = groups_.groups[g];
        for (std::size_t k = 0; k < view.kernels.size(); ++k) {
            const session::FusedKernelView& kernel = view.kernels[k];
            out.push_back(titleLine(QObject::tr("; %1, kernel %2 of %3, by %4")
                                        .arg(text(view.name))
                                        .arg(k + 1)
                                        .arg(view.kernels.size())
                                        .arg(text(kernel.backend))));
            std::vector<std::vector<int>> keys;
            for (const std::vector<int>& lines : kernel.from_graph) {
                auto& all = keys.emplace_back();
                for (const int line : lines) {
                    if (line < 0 || at(line) >= group_keys_[g].size()) continue;
                    const auto& of_line = group_keys_[g][at(line)];
                    all.insert(all.end(), of_line.begin(), of_line.end());
                }
                sortOut(all);
            }
            add(kernel, keys);
        }
        const std::string& why = view.error.empty() ? view.reason : view.error;
        if (view.kernels.empty())
            out.push_back(titleLine(QObject::tr("; %1 has no kernel: %2").arg(text(view.name), text(why))));
    }
}

namespace {

// of: for each line of the text the line of the expression; empty: each its own.
void addText(LinkedLines& out, const std::string& words, const std::vector<std::vector<int>>& keys,
             const std::vector<int>* of) {
    int number = 0;
    for (const QString& line : linesOf(words)) {
        const int from = of == nullptr ? number : at(number) < of->size() ? (*of)[at(number)] : -1;
        out.push_back({line, ++number, from >= 0 && at(from) < keys.size() ? keys[at(from)] : std::vector<int>()});
    }
}

}  // namespace

LinkedLines LineLinks::kernels(int group, KernelText which) const {
    LinkedLines out;
    forKernels(group, out, [&](const session::FusedKernelView& kernel, const std::vector<std::vector<int>>& keys) {
        if (which == KernelText::Expression)
            addText(out, kernel.expression, keys, nullptr);
        else if (kernel.ir.empty())
            out.push_back(titleLine(missing(kernel, QObject::tr("LLVM IR"))));
        else
            addText(out, kernel.ir, keys, &kernel.ir_of);
    });
    return out;
}

LinkedLines LineLinks::assembly(int group) const {
    LinkedLines out;
    forKernels(group, out, [&](const session::FusedKernelView& kernel, const std::vector<std::vector<int>>& keys) {
        if (kernel.assembly.empty())
            out.push_back(titleLine(missing(kernel, QObject::tr("machine code of its own"))));
        else
            addText(out, kernel.assembly, keys, &kernel.assembly_of);
    });
    return out;
}

std::set<int> LineLinks::keysOfGroup(int group) const {
    std::set<int> keys;
    if (group < 0 || at(group) >= group_keys_.size()) return keys;
    for (const auto& line : group_keys_[at(group)]) keys.insert(line.begin(), line.end());
    return keys;
}

LinkedLines onlyFrom(const LinkedLines& lines, const std::set<int>& keys) {
    LinkedLines out;
    for (const LinkedLine& line : lines) {
        const bool is_from =
            std::any_of(line.keys.begin(), line.keys.end(), [&](int key) { return keys.contains(key); });
        if (is_from || line.number == 0) out.push_back(line);
    }
    return out;
}

}  // namespace loupe::views

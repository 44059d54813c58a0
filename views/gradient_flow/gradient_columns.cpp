// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/gradient_flow/gradient_columns.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "views/common/at.h"
#include "views/common/format.h"

namespace loupe::views {
namespace {

std::vector<std::string_view> parts(std::string_view path) {
    std::vector<std::string_view> all;
    for (std::size_t from = 0; from <= path.size();) {
        const std::size_t dot = std::min(path.find('.', from), path.size());
        all.push_back(path.substr(from, dot - from));
        from = dot + 1;
    }
    return all;
}

std::string_view moduleOf(std::string_view parameter) {
    const std::size_t dot = parameter.rfind('.');
    return dot == std::string_view::npos ? std::string_view() : parameter.substr(0, dot);
}

}  // namespace

void GradientColumns::setRows(const std::vector<session::GradientRow>& rows) {
    std::vector<std::string> names;
    elements_.clear();
    for (const session::GradientRow& row : rows) {
        names.push_back(row.parameter);
        elements_.push_back(static_cast<double>(row.count()));
    }
    // For the same model groups opened by the user stay open.
    if (names == names_) return;
    names_ = std::move(names);
    build();
}

void GradientColumns::setGrouping(GradientGrouping grouping) {
    grouping_ = grouping;
    build();
}

void GradientColumns::setSearch(const QString& words) {
    search_ = words.trimmed();
    build();
}

void GradientColumns::build() {
    tree_.assign(1, {});
    open_.clear();
    matches_ = 0;
    const QStringList wanted = search_.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    std::map<std::string, int, std::less<>> nodes;
    for (std::size_t i = 0; i < names_.size(); ++i) {
        const QString name = text(names_[i]);
        if (!std::all_of(wanted.begin(), wanted.end(),
                         [&](const QString& word) { return name.contains(word, Qt::CaseInsensitive); }))
            continue;
        ++matches_;
        int parent = 0;
        const std::string& path = names_[i];
        for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1)) {
            const std::string prefix = path.substr(0, dot);
            const auto [found, is_new] = nodes.try_emplace(prefix, static_cast<int>(tree_.size()));
            if (is_new) {
                tree_[at(parent)].children.push_back(found->second);
                tree_.push_back({prefix, -1, parent, {}});
            }
            parent = found->second;
        }
        tree_[at(parent)].children.push_back(static_cast<int>(tree_.size()));
        tree_.push_back({path, static_cast<int>(i), parent, {}});
    }
    switch (grouping_) {
        case GradientGrouping::Automatic:
            openLevels(kMostAtOnce);
            break;
        case GradientGrouping::TopModules:
            openLevels(0);
            break;
        case GradientGrouping::EveryModule:
            // All but the innermost, whose children are only parameters.
            for (const Node& node : tree_) {
                if (std::any_of(node.children.begin(), node.children.end(),
                                [&](int child) { return tree_[at(child)].row < 0; }))
                    open_.insert(node.path);
            }
            break;
        case GradientGrouping::Parameters:
            for (const Node& node : tree_) open_.insert(node.path);
            break;
    }
    arrange();
}

// Level by level, so that equal modules look equal. Groups of one child are always open.
void GradientColumns::openLevels(std::size_t most) {
    std::vector<int> level = tree_.front().children;
    while (true) {
        std::vector<int> next;
        bool has_groups = false;
        bool is_single = level.size() == 1;
        for (const int node : level) {
            const auto& children = tree_[at(node)].children;
            has_groups = has_groups || !children.empty();
            if (children.empty())
                next.push_back(node);
            else
                next.insert(next.end(), children.begin(), children.end());
        }
        if (!has_groups || (!is_single && next.size() > most)) return;
        for (const int node : level) {
            if (!tree_[at(node)].children.empty()) open_.insert(tree_[at(node)].path);
        }
        level = std::move(next);
    }
}

void GradientColumns::collect(int node, std::vector<int>& rows) const {
    const Node& here = tree_[at(node)];
    if (here.row >= 0) rows.push_back(here.row);
    for (const int child : here.children) collect(child, rows);
}

void GradientColumns::append(int id) {
    const Node& node = tree_[at(id)];
    if (!node.children.empty() && isOpen(id)) {
        for (const int child : node.children) append(child);
        return;
    }
    GradientColumn column{node.path, !node.children.empty(), {}};
    collect(id, column.rows);
    std::sort(column.rows.begin(), column.rows.end());
    for (const int row : column.rows) column_of_row_[at(row)] = static_cast<int>(columns_.size());
    columns_.push_back(std::move(column));
}

void GradientColumns::arrange() {
    columns_.clear();
    column_of_row_.assign(names_.size(), -1);
    for (const int child : tree_.front().children) append(child);
}

int GradientColumns::columnOf(int row) const {
    return row >= 0 && row < static_cast<int>(column_of_row_.size()) ? column_of_row_[at(row)] : -1;
}

bool GradientColumns::toggle(int column) {
    if (column < 0 || column >= static_cast<int>(columns_.size())) return false;
    const GradientColumn& chosen = columns_[at(column)];
    if (chosen.is_group) {
        open_.insert(chosen.path);
    } else {
        // The innermost open module around it; the root has no name and stays open.
        const std::string module(moduleOf(chosen.path));
        if (module.empty() || open_.erase(module) == 0) return false;
    }
    arrange();
    return true;
}

session::GradientRow GradientColumns::sum(int column, const std::vector<session::GradientRow>& rows) const {
    const GradientColumn& of = columns_[at(column)];
    if (!of.is_group) return rows[at(of.rows.front())];
    session::GradientRow all;
    all.parameter = of.path;
    all.module = of.path;
    session::GradientRow::Magnitudes finite;
    double count = 0;
    double finite_count = 0;
    double weight_square = 0;
    bool has_weights = false;
    for (const int index : of.rows) {
        const session::GradientRow& row = rows[at(index)];
        if (!row.has_gradient) continue;
        const double elements = elements_[at(index)];
        all.has_gradient = true;
        all.shape = {static_cast<std::int64_t>(count += elements)};
        all.zero_fraction += row.zero_fraction * elements;
        all.nan_count += row.nan_count;
        all.inf_count += row.inf_count;
        if (row.finite) {
            const double share = elements - static_cast<double>(row.nan_count + row.inf_count);
            finite.mean_abs += row.finite->mean_abs * share;
            finite.max_abs = std::max(finite.max_abs, row.finite->max_abs);
            finite.norm = std::hypot(finite.norm, row.finite->norm);
            finite_count += share;
        }
        has_weights = has_weights || row.weight_norm.has_value();
        weight_square += row.weight_norm.value_or(0) * row.weight_norm.value_or(0);
    }
    if (count > 0) all.zero_fraction /= count;
    if (finite_count > 0) {
        finite.mean_abs /= finite_count;
        all.finite = finite;
    }
    if (has_weights) all.weight_norm = std::sqrt(weight_square);
    return all;
}

std::optional<double> GradientColumns::ratio(int column, const std::vector<session::GradientRow>& rows) const {
    double gradients = 0;
    double weights = 0;
    for (const int index : columns_[at(column)].rows) {
        const session::GradientRow& row = rows[at(index)];
        if (!row.has_gradient || !row.weight_ratio()) continue;
        gradients = std::hypot(gradients, row.finite->norm);
        weights = std::hypot(weights, *row.weight_norm);
    }
    return weights > 0 ? std::optional(gradients / weights) : std::nullopt;
}

double GradientColumns::mean(int column, const std::vector<double>& by_row) const {
    double sum = 0;
    double count = 0;
    double none = -1;
    for (const int row : columns_[at(column)].rows) {
        if (at(row) >= by_row.size() || by_row[at(row)] < 0) continue;
        if (std::isnan(by_row[at(row)])) {
            none = std::nan("");
            continue;
        }
        const auto elements = static_cast<double>(elements_[at(row)]);
        sum += by_row[at(row)] * elements;
        count += elements;
    }
    return count > 0 ? sum / count : none;
}

double GradientColumns::norm(int column, const std::vector<double>& by_row) const {
    double norm = -1;
    for (const int row : columns_[at(column)].rows) {
        if (at(row) >= by_row.size()) continue;
        const double value = by_row[at(row)];
        if (!std::isfinite(value)) return std::nan("");
        if (value >= 0) norm = std::hypot(std::max(norm, 0.0), value);
    }
    return norm;
}

QString GradientColumns::label(int column, bool follows) const {
    const GradientColumn& of = columns_[at(column)];
    const std::string_view path = of.path;
    if (of.is_group) return text(path);
    const std::string_view module = moduleOf(path);
    const std::string_view name = module.empty() ? path : path.substr(module.size() + 1);
    const bool is_same = follows && column > 0 && !columns_[at(column - 1)].is_group &&
                         moduleOf(columns_[at(column - 1)].path) == module;
    return text(is_same ? name : path);
}

int GradientColumns::depthOfChange(int column) const {
    if (column == 0) return 0;
    const auto here = parts(columns_[at(column)].path);
    const auto before = parts(columns_[at(column - 1)].path);
    std::size_t same = 0;
    while (same < std::min(here.size(), before.size()) && here[same] == before[same]) ++same;
    return static_cast<int>(same);
}

}  // namespace loupe::views

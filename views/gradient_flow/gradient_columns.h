// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Columns of the plot of gradients: parameters, or modules with aggregated parameters, so that a model of thousands of
// parameters stays readable. Independent of plots.

#include <QString>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/record/gradient_row.h"

namespace loupe::views {

enum class GradientGrouping { Automatic, TopModules, EveryModule, Parameters };

struct GradientColumn {
    std::string path;  // of a group the module, else the parameter
    bool is_group = false;
    std::vector<int> rows;  // indices of the given rows, in their order
};

class GradientColumns {
  public:
    // Automatic grouping opens whole levels of modules up to this number of columns.
    static constexpr std::size_t kMostAtOnce = 64;

    void setRows(const std::vector<session::GradientRow>& rows);
    void setGrouping(GradientGrouping grouping);
    // Only parameters whose name contains all of the words; an empty text accepts all.
    void setSearch(const QString& words);

    const std::vector<GradientColumn>& all() const { return columns_; }
    std::size_t matches() const { return matches_; }  // parameters that the search leaves
    int columnOf(int row) const;                      // -1: not shown
    // Opens a group, or closes the group around another column. False when there is none.
    bool toggle(int column);

    // The column as one row: norms as of one vector, means and zeros by element, the greatest of maxima, counts added
    // up, all of finite elements as in a row. Parameters without a gradient do not count; has_gradient is false when
    // none has one.
    session::GradientRow sum(int column, const std::vector<session::GradientRow>& rows) const;
    // Norm of the gradients to that of the weights, as GradientRow::weight_ratio, of the parameters that have one.
    std::optional<double> ratio(int column, const std::vector<session::GradientRow>& rows) const;
    // Of a number a parameter, negative for one without a gradient: the mean by element over those of the column that
    // are numbers. NaN when none is, -1 when none has a gradient.
    double mean(int column, const std::vector<double>& by_row) const;
    // Of norms by parameter, -1 for one without a gradient: that of the column as of one vector. NaN when one of them
    // is not finite, -1 when none has a gradient.
    double norm(int column, const std::vector<double>& by_row) const;
    // Under the column: "layer4.1", "conv2.weight"; "bias" beside the weight of the same module.
    // follows: the column before has its label too, and a module in common need not be said again.
    QString label(int column, bool follows) const;
    // The depth at which the column's path differs from the previous one's: 0 another top module, 1 another one inside,
    // ...
    int depthOfChange(int column) const;

  private:
    struct Node {
        std::string path;
        int row = -1;
        int parent = -1;
        std::vector<int> children;
    };
    void build();
    void arrange();
    void openLevels(std::size_t most);
    void append(int node);
    void collect(int node, std::vector<int>& rows) const;
    bool isOpen(int node) const { return open_.contains(tree_[static_cast<std::size_t>(node)].path); }

    std::vector<std::string> names_;
    std::vector<double> elements_;
    QString search_;
    GradientGrouping grouping_ = GradientGrouping::Automatic;
    std::vector<Node> tree_;  // the root first
    std::set<std::string> open_;
    std::vector<GradientColumn> columns_;
    std::vector<int> column_of_row_;
    std::size_t matches_ = 0;
};

}  // namespace loupe::views

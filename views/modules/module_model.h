// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The module tree of a model: modules, and below each its own parameters, buffers and attributes.

#include <QAbstractItemModel>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/model/model_info.h"
#include "views/common/comparison.h"
#include "views/common/ranks.h"

namespace loupe::views {

class ModuleModel : public QAbstractItemModel {
    Q_OBJECT

  public:
    enum Column {
        Name,
        Class,
        Shape,
        Dtype,
        Parameters,
        Bytes,
        Grad,
        Mode,
        Hooks,
        Record,
        OnRanks,  // while there are several
        FirstDifference,
        ColumnCount = FirstDifference + kDifferenceColumns
    };
    enum Role { PathRole = Qt::UserRole, KindRole, TensorRole };
    // A rule shows a tensor's parametrization; the tensors below it are links.
    enum class Kind { Module, Parameter, Buffer, Attribute, Rule, Link };

    using QAbstractItemModel::QAbstractItemModel;

    void setModel(std::shared_ptr<const session::ModelInfo> model);
    // The parameters of the module and of all below it take gradients from now on, or do not.
    void setTrainable(const QString& path, bool trainable);
    // Sets training or evaluation mode.
    void setTraining(const QString& path, bool training);
    // Names whose values are not recorded (RunOptions::left_out): unticked modules and parameters.
    using Names = std::set<std::string, std::less<>>;
    // With a reference: of a module's output, of a parameter's elements. It outlives the model.
    void setComparison(const Comparison* comparison);
    // What a module's output is like on each rank; empty: there is one process.
    void setRanks(std::function<RankCells(const std::string& path)> cells,
                  std::function<QString(const RankCells&)> tip);
    const Names& leftOut() const { return left_out_; }
    void setLeftOut(Names names);
    QModelIndex indexOfModule(const QString& path) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  signals:
    // The user changed a tick.
    void leftOutChanged();

  private:
    struct Row {
        Kind kind = Kind::Module;
        int parent = -1;
        int place = 0;
        std::size_t module = 0;
        const session::TensorInfo* tensor = nullptr;
        const session::TensorRule* rule = nullptr;
        std::pair<std::string, std::string> attribute;
        std::vector<int> children;
    };

    int add(int parent, Row row);
    void addRules(std::size_t module);
    void addNotes(std::size_t module);
    QString tipOf(const Row& row, int column) const;
    const Row& row(const QModelIndex& index) const { return rows_[static_cast<std::size_t>(index.internalId())]; }
    struct Trainable {
        int with = 0;
        int without = 0;
    };
    Trainable trainable(std::size_t module) const;
    struct Ticks {
        int with = 0;
        int without = 0;
    };
    Ticks ticks(const Row& row) const;
    void tick(const Row& row, bool on);
    bool canTick(const Row& row) const { return row.kind == Kind::Module || row.kind == Kind::Parameter; }
    std::string tickName(const Row& row) const;
    void tellAll();
    bool requiresGrad(const session::TensorInfo& tensor) const;
    QVariant differenceOf(const Row& row, int column) const;
    bool diverges(const Row& row) const;
    QVariant moduleText(const Row& row, int column) const;
    QVariant tensorText(const Row& row, int column) const;

    std::shared_ptr<const session::ModelInfo> model_;
    const Comparison* comparison_ = nullptr;
    std::function<RankCells(const std::string& path)> cells_of_;
    std::function<QString(const RankCells&)> tip_of_cells_;
    std::vector<Row> rows_;
    std::vector<int> row_of_module_;
    Names left_out_;
    std::map<std::size_t, bool> modes_;                   // by module: set by the user since
    std::map<const session::TensorInfo*, bool> changed_;  // by the user, since the model was opened
};

// A line a module, in torchinfo's manner: class and path, indented; parameters; then totals.
QString summaryText(const session::ModelInfo& model);

}  // namespace loupe::views

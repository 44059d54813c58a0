// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/modules/module_model.h"

#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/common/rank_strip.h"
#include "views/common/theme.h"

namespace loupe::views {

using session::ModuleInfo;

namespace {

const char* const kHeaders[] = {QT_TRANSLATE_NOOP("loupe::views::ModuleModel", "Module"),
                                QT_TRANSLATE_NOOP("loupe::views::ModuleModel", "Class"),
                                QT_TRANSLATE_NOOP("loupe::views::ModuleModel", "Shape"),
                                QT_TRANSLATE_NOOP("loupe::views::ModuleModel", "Type"),
                                QT_TRANSLATE_NOOP("loupe::views::ModuleModel", "Parameters"),
                                QT_TRANSLATE_NOOP("loupe::views::ModuleModel", "Bytes"),
                                QT_TRANSLATE_NOOP("loupe::views::ModuleModel", "Grad"),
                                QT_TRANSLATE_NOOP("loupe::views::ModuleModel", "Mode"),
                                QT_TRANSLATE_NOOP("loupe::views::ModuleModel", "Hooks"),
                                QT_TRANSLATE_NOOP("loupe::views::ModuleModel", "Record"),
                                QT_TRANSLATE_NOOP("loupe::views::ModuleModel", "Ranks")};
const char* const kHeaderTips[] = {
    QT_TRANSLATE_NOOP("loupe::views::ModuleModel", "Name in its parent"),
    QT_TRANSLATE_NOOP("loupe::views::ModuleModel", "Class of the module"),
    QT_TRANSLATE_NOOP("loupe::views::ModuleModel", "Shape of a parameter or buffer"),
    QT_TRANSLATE_NOOP("loupe::views::ModuleModel", "Element type"),
    QT_TRANSLATE_NOOP("loupe::views::ModuleModel",
                      "Number of elements; of a module, of its whole subtree, shared ones once"),
    QT_TRANSLATE_NOOP("loupe::views::ModuleModel", "Bytes of the elements"),
    QT_TRANSLATE_NOOP("loupe::views::ModuleModel",
                      "Whether gradients are computed: all, none, or some of the parameters below"),
    QT_TRANSLATE_NOOP("loupe::views::ModuleModel", "train or eval, as the training flag says"),
    QT_TRANSLATE_NOOP("loupe::views::ModuleModel", "Hooks that calls of the module run, forward and backward"),
    (QT_TRANSLATE_NOOP(
        "loupe::views::ModuleModel",
        "Whether values and statistics are kept in the next recording: of what the module makes, of the parameter "
        "and its gradients. Without a tick a NaN there is not noticed")),
    (QT_TRANSLATE_NOOP(
        "loupe::views::ModuleModel",
        "The module's output on each rank, coloured by how far it is from the others'; hatched: NaN or Inf; an empty "
        "frame: the rank has none. Click a cell to go there"))};

std::string_view lastPart(const std::string& path) {
    const auto dot = path.rfind('.');
    return dot == std::string::npos ? std::string_view(path) : std::string_view(path).substr(dot + 1);
}

const session::TensorInfo* findTensor(const session::ModelInfo& model, const std::string& name) {
    for (const ModuleInfo& module : model.modules) {
        for (const auto* tensors : {&module.parameters, &module.buffers}) {
            for (const session::TensorInfo& tensor : *tensors) {
                if (tensor.name == name) return &tensor;
            }
        }
    }
    return nullptr;
}

// "note3": see addNotes.
bool isNote(std::string_view attribute) {
    return attribute.size() > 4 && attribute.starts_with("note") &&
           std::ranges::all_of(attribute.substr(4), [](char c) { return c >= '0' && c <= '9'; });
}

// "pruned by L1Unstructured, 30 % zero"
QString ruleText(const session::TensorRule& rule) {
    if (rule.kind == "pruning") return ModuleModel::tr("pruned by %1").arg(text(rule.what));
    if (rule.kind == "parametrization") return ModuleModel::tr("parametrized by %1").arg(text(rule.what));
    return QStringLiteral("%1: %2").arg(text(rule.kind), text(rule.what));
}

}  // namespace

int ModuleModel::add(int parent, Row row) {
    const int id = static_cast<int>(rows_.size());
    row.parent = parent;
    if (parent >= 0) {
        row.place = static_cast<int>(rows_[static_cast<std::size_t>(parent)].children.size());
        rows_[static_cast<std::size_t>(parent)].children.push_back(id);
    }
    rows_.push_back(std::move(row));
    return id;
}

void ModuleModel::setModel(std::shared_ptr<const session::ModelInfo> model) {
    beginResetModel();
    model_ = std::move(model);
    changed_.clear();
    modes_.clear();
    left_out_.clear();
    rows_.clear();
    row_of_module_.clear();
    if (model_) {
        // Modules are in depth-first order, so a parent's row precedes its children's.
        for (std::size_t i = 0; i < model_->modules.size(); ++i) {
            const ModuleInfo& module = model_->modules[i];
            const int parent = module.parent < 0 ? -1 : row_of_module_[static_cast<std::size_t>(module.parent)];
            Row row;
            row.module = i;
            const int id = add(parent, row);
            row_of_module_.push_back(id);
            for (const auto& parameter : module.parameters) {
                row.kind = Kind::Parameter;
                row.tensor = &parameter;
                add(id, row);
            }
            for (const auto& buffer : module.buffers) {
                row.kind = Kind::Buffer;
                row.tensor = &buffer;
                add(id, row);
            }
            addRules(i);
        }
        // Attributes come after the child modules; common ones of all modules are omitted.
        for (std::size_t i = 0; i < model_->modules.size(); ++i) {
            addNotes(i);
            for (const auto& attribute : model_->modules[i].attributes) {
                if (attribute.first == "training" || attribute.first == "_is_full_backward_hook") continue;
                if (isNote(attribute.first)) continue;
                Row row;
                row.kind = Kind::Attribute;
                row.module = i;
                row.attribute = attribute;
                add(row_of_module_[i], row);
            }
        }
    }
    endResetModel();
}

// What a file says of itself, in its order, under one row.
void ModuleModel::addNotes(std::size_t module) {
    const auto& attributes = model_->modules[module].attributes;
    std::vector<const std::string*> notes;
    for (std::size_t i = 1; i <= attributes.size(); ++i) {
        const auto found = attributes.find("note" + std::to_string(i));
        if (found == attributes.end()) break;
        notes.push_back(&found->second);
    }
    if (notes.empty()) return;
    Row row;
    row.kind = Kind::Attribute;
    row.module = module;
    row.attribute = {"metadata", counted(static_cast<std::int64_t>(notes.size()), "entry", "entries").toStdString()};
    const int id = add(row_of_module_[module], row);
    for (const std::string* note : notes) {
        // A Python string of "key = value".
        const std::string text = note->size() > 2 ? note->substr(1, note->size() - 2) : *note;
        const auto equals = text.find(" = ");
        row.attribute = equals == std::string::npos ? std::pair<std::string, std::string>("", text)
                                                    : std::pair(text.substr(0, equals), text.substr(equals + 3));
        add(id, row);
    }
}

// Parametrizations, with their tensors below.
void ModuleModel::addRules(std::size_t module) {
    for (const session::TensorRule& rule : model_->modules[module].rules) {
        Row row;
        row.kind = Kind::Rule;
        row.module = module;
        row.rule = &rule;
        const int id = add(row_of_module_[module], row);
        for (const std::string& name : rule.from) {
            Row link;
            link.kind = Kind::Link;
            link.module = module;
            link.tensor = findTensor(*model_, name);
            if (link.tensor != nullptr) add(id, link);
        }
    }
}

ModuleModel::Trainable ModuleModel::trainable(std::size_t index) const {
    Trainable count;
    const ModuleInfo& module = model_->modules[index];
    for (const auto& parameter : module.parameters) ++(requiresGrad(parameter) ? count.with : count.without);
    for (const int child : module.children) {
        const Trainable below = trainable(static_cast<std::size_t>(child));
        count.with += below.with;
        count.without += below.without;
    }
    return count;
}

bool ModuleModel::requiresGrad(const session::TensorInfo& tensor) const {
    const auto found = changed_.find(&tensor);
    return found == changed_.end() ? tensor.requires_grad : found->second;
}

void ModuleModel::setTrainable(const QString& path, bool trainable) {
    if (!model_) return;
    const std::string top = path.toStdString();
    for (const ModuleInfo& module : model_->modules) {
        if (!top.empty() && module.path != top && module.path.rfind(top + ".", 0) != 0) continue;
        for (const auto& parameter : module.parameters) changed_[&parameter] = trainable;
    }
    tellAll();
}

void ModuleModel::setTraining(const QString& path, bool training) {
    if (!model_) return;
    const std::string top = path.toStdString();
    for (std::size_t i = 0; i < model_->modules.size(); ++i) {
        const std::string& own = model_->modules[i].path;
        if (top.empty() || own == top || own.rfind(top + ".", 0) == 0) modes_[i] = training;
    }
    tellAll();
}

// Also of the parents: all, some or none of their children.
void ModuleModel::tellAll() {
    const auto tell = [this](const auto& self, const QModelIndex& parent) -> void {
        const int rows = rowCount(parent);
        if (rows == 0) return;
        emit dataChanged(index(0, 0, parent), index(rows - 1, ColumnCount - 1, parent));
        for (int row = 0; row < rows; ++row) self(self, index(row, 0, parent));
    };
    tell(tell, {});
}

// --- ticks

std::string ModuleModel::tickName(const Row& row) const {
    return row.kind == Kind::Parameter ? row.tensor->name : model_->modules[row.module].path;
}

// Of the row itself and all below it.
ModuleModel::Ticks ModuleModel::ticks(const Row& row) const {
    Ticks count;
    if (!canTick(row)) return count;
    ++(left_out_.contains(tickName(row)) ? count.without : count.with);
    for (const int child : row.children) {
        const Ticks below = ticks(rows_[static_cast<std::size_t>(child)]);
        count.with += below.with;
        count.without += below.without;
    }
    return count;
}

void ModuleModel::tick(const Row& row, bool on) {
    if (!canTick(row)) return;
    if (on)
        left_out_.erase(tickName(row));
    else
        left_out_.insert(tickName(row));
    for (const int child : row.children) tick(rows_[static_cast<std::size_t>(child)], on);
}

void ModuleModel::setLeftOut(Names names) {
    if (names == left_out_) return;
    left_out_ = std::move(names);
    tellAll();
}

bool ModuleModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!index.isValid() || index.column() != Record || role != Qt::CheckStateRole || !canTick(row(index)))
        return false;
    tick(row(index), value.toInt() == Qt::Checked);
    tellAll();
    emit leftOutChanged();
    return true;
}

Qt::ItemFlags ModuleModel::flags(const QModelIndex& index) const {
    const Qt::ItemFlags flags = QAbstractItemModel::flags(index);
    return index.isValid() && index.column() == Record && canTick(row(index)) ? flags | Qt::ItemIsUserCheckable : flags;
}

QModelIndex ModuleModel::indexOfModule(const QString& path) const {
    if (!model_) return {};
    const int module = model_->find_module(path.toStdString());
    if (module < 0) return {};
    const int id = row_of_module_[static_cast<std::size_t>(module)];
    return createIndex(rows_[static_cast<std::size_t>(id)].place, 0, static_cast<quintptr>(id));
}

QModelIndex ModuleModel::index(int place, int column, const QModelIndex& parent) const {
    if (column < 0 || column >= ColumnCount || place < 0 || place >= rowCount(parent)) return {};
    const int id = parent.isValid() ? row(parent).children[static_cast<std::size_t>(place)] : 0;
    return createIndex(place, column, static_cast<quintptr>(id));
}

QModelIndex ModuleModel::parent(const QModelIndex& index) const {
    if (!index.isValid() || row(index).parent < 0) return {};
    const int id = row(index).parent;
    return createIndex(rows_[static_cast<std::size_t>(id)].place, 0, static_cast<quintptr>(id));
}

int ModuleModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) return rows_.empty() ? 0 : 1;
    return parent.column() == 0 ? static_cast<int>(row(parent).children.size()) : 0;
}

int ModuleModel::columnCount(const QModelIndex&) const { return ColumnCount; }

void ModuleModel::setRanks(std::function<RankCells(const std::string& path)> cells,
                           std::function<QString(const RankCells&)> tip) {
    cells_of_ = std::move(cells);
    tip_of_cells_ = std::move(tip);
    tellAll();
}

void ModuleModel::setComparison(const Comparison* comparison) {
    comparison_ = comparison;
    tellAll();
}

QVariant ModuleModel::differenceOf(const Row& row, int column) const {
    if (comparison_ == nullptr || comparison_->differences() == nullptr) return {};
    const session::Difference* numbers = nullptr;
    session::Presence presence = session::Presence::Both;
    if (row.kind == Kind::Module) {
        if (const auto* found = comparison_->ofModule(model_->modules[row.module].path)) {
            presence = found->presence;
            if (found->numbers) numbers = &*found->numbers;
        }
    } else if (row.tensor != nullptr) {
        if (const auto* found = comparison_->ofParameter(row.tensor->name)) {
            presence = found->presence;
            if (found->numbers) numbers = &*found->numbers;
        }
    }
    if (presence == session::Presence::OnlyHere) return column == FirstDifference ? tr("only here") : QVariant();
    if (numbers == nullptr) return {};
    return differenceText(*numbers, static_cast<DifferenceColumn>(column - FirstDifference));
}

bool ModuleModel::diverges(const Row& row) const {
    if (comparison_ == nullptr) return false;
    if (row.kind == Kind::Module) {
        const auto* found = comparison_->ofModule(model_->modules[row.module].path);
        return found != nullptr && found->diverges;
    }
    const auto* found = row.tensor != nullptr ? comparison_->ofParameter(row.tensor->name) : nullptr;
    return found != nullptr && found->numbers && !found->numbers->is_close();
}

QVariant ModuleModel::moduleText(const Row& row, int column) const {
    const ModuleInfo& module = model_->modules[row.module];
    switch (column) {
        case Name:
            return module.path.empty() ? text(model_->title) : text(lastPart(module.path));
        case Class:
            return text(module.class_name);
        case Parameters:
            return module.parameter_count ? countText(module.parameter_count) : QString();
        case Bytes:
            return module.parameter_bytes ? bytesText(static_cast<double>(module.parameter_bytes)) : QString();
        case Grad: {
            const auto count = trainable(row.module);
            if (count.with + count.without == 0) return {};
            return count.without == 0 ? tr("all") : count.with == 0 ? tr("none") : tr("some");
        }
        case Mode: {
            const auto changed = modes_.find(row.module);
            return (changed == modes_.end() ? module.training : changed->second) ? tr("train") : tr("eval");
        }
        case Hooks:
            return module.hooks ? QVariant(module.hooks) : QVariant();
        default:
            return {};
    }
}

QVariant ModuleModel::tensorText(const Row& row, int column) const {
    switch (column) {
        case Name:
            return text(lastPart(row.tensor->name));
        case Class:
            return row.kind == Kind::Parameter || (row.kind == Kind::Link && requiresGrad(*row.tensor))
                       ? tr("parameter")
                       : tr("buffer");
        case Shape:
            return shapeText(row.tensor->shape);
        case Dtype:
            return text(row.tensor->dtype);
        case Parameters:
            return countText(row.tensor->numel());
        case Bytes:
            return bytesText(static_cast<double>(row.tensor->bytes));
        case Grad:
            return requiresGrad(*row.tensor) ? tr("yes") : tr("no");
        default:
            return {};
    }
}

QVariant ModuleModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Row& row = this->row(index);
    const Theme& theme = Theme::instance();
    switch (role) {
        case Qt::DisplayRole:
            if (index.column() >= FirstDifference) return differenceOf(row, index.column());
            if (row.kind == Kind::Module) return moduleText(row, index.column());
            if (row.kind == Kind::Attribute) {
                return index.column() == Name    ? text(row.attribute.first)
                       : index.column() == Class ? text(row.attribute.second)
                                                 : QVariant();
            }
            if (row.kind == Kind::Rule)
                return index.column() == Name
                           ? QStringLiteral("%1 %2").arg(text(lastPart(row.rule->tensor)), ruleText(*row.rule))
                           : QString();
            return tensorText(row, index.column());
        case Qt::CheckStateRole: {
            if (index.column() != Record || !canTick(row)) return {};
            if (left_out_.empty()) return Qt::Checked;
            const Ticks count = ticks(row);
            return count.without == 0 ? Qt::Checked : count.with == 0 ? Qt::Unchecked : Qt::PartiallyChecked;
        }
        case Qt::ToolTipRole:
            if (index.column() == OnRanks && row.kind == Kind::Module && cells_of_)
                return tip_of_cells_(cells_of_(model_->modules[row.module].path));
            return tipOf(row, index.column());
        case RankStrip::kCellsRole:
            return row.kind == Kind::Module && cells_of_
                       ? QVariant::fromValue(cells_of_(model_->modules[row.module].path))
                       : QVariant();
        case Qt::ForegroundRole:
            if (index.column() >= FirstDifference)
                return diverges(row) ? QVariant(theme.colour(Theme::Colour::Bad)) : QVariant();
            if (row.kind == Kind::Rule) return theme.colour(Theme::Colour::Accent);
            if (row.kind != Kind::Module) return theme.colour(Theme::Colour::Faint);
            if (const auto count = trainable(row.module); count.without > 0 && count.with == 0)
                return theme.colour(Theme::Colour::Faint);
            return index.column() == Class ? QVariant(theme.colour(Theme::Colour::Accent)) : QVariant();
        case Qt::FontRole: {
            static const QFont mono = theme.monoFont();
            if (row.kind == Kind::Module && index.column() <= Class) {
                // Frozen ones are italic.
                const auto count = trainable(row.module);
                QFont font = theme.uiFont();
                font.setItalic(count.without > 0 && count.with == 0);
                return font;
            }
            const bool number =
                (index.column() >= Shape && index.column() <= Bytes) || index.column() >= FirstDifference;
            return number || (row.kind == Kind::Attribute && index.column() == Class) ? QVariant(mono) : QVariant();
        }
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(index.column() == Parameters || index.column() == Bytes ||
                                               index.column() == Hooks || index.column() >= FirstDifference
                                           ? Qt::AlignRight | Qt::AlignVCenter
                                           : Qt::AlignLeft | Qt::AlignVCenter);
        case PathRole:
            return text(model_->modules[row.module].path);
        case KindRole:
            return static_cast<int>(row.kind);
        case TensorRole:
            return row.tensor ? text(row.tensor->name) : row.rule ? text(row.rule->tensor) : QString();
        default:
            return {};
    }
}

QString ModuleModel::tipOf(const Row& row, int column) const {
    if (column == Record && canTick(row)) {
        return left_out_.contains(tickName(row))
                   ? tr("Its values are not recorded. Click to record them from the next run on")
                   : tr("Its values are recorded. Click to leave them out from the next run on");
    }
    const ModuleInfo& module = model_->modules[row.module];
    if (row.kind == Kind::Module) {
        QString tip = QStringLiteral("%1\n%2").arg(scopeText(module.path), text(module.qualified_name));
        QStringList hooks;
        for (const auto& kind : module.hook_kinds) hooks << text(kind);
        if (!hooks.isEmpty()) tip += QLatin1Char('\n') + tr("Hooks: %1").arg(hooks.join(QStringLiteral(", ")));
        for (const auto& rule : module.rules)
            tip += QStringLiteral("\n%1 %2").arg(text(lastPart(rule.tensor)), ruleText(rule));
        const auto count = trainable(row.module);
        return count.without > 0 && count.with == 0
                   ? tip + QLatin1Char('\n') + tr("Frozen: its parameters take no gradients")
                   : tip;
    }
    if (row.rule) {
        QStringList from;
        for (const auto& name : row.rule->from) from << text(name);
        return tr("%1 is %2: computed from %3")
            .arg(text(row.rule->tensor), ruleText(*row.rule), from.join(QStringLiteral(", ")));
    }
    return row.tensor ? text(row.tensor->name)
                      : QStringLiteral("%1 = %2").arg(text(row.attribute.first), text(row.attribute.second));
}

QVariant ModuleModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    if (section >= FirstDifference) {
        const auto column = static_cast<DifferenceColumn>(section - FirstDifference);
        if (role == Qt::DisplayRole) return differenceHeader(column);
        return role == Qt::ToolTipRole ? differenceTip(column) : QVariant();
    }
    if (role == Qt::DisplayRole) return tr(kHeaders[section]);
    if (role == Qt::ToolTipRole) return tr(kHeaderTips[section]);
    return {};
}

QString summaryText(const session::ModelInfo& model) {
    QString out;
    std::int64_t frozen = 0;
    for (const ModuleInfo& module : model.modules) {
        const auto depth = module.path.empty() ? 0 : std::count(module.path.begin(), module.path.end(), '.') + 1;
        const QString name = QStringLiteral("%1%2 (%3)")
                                 .arg(QString(static_cast<int>(depth) * 2, QLatin1Char(' ')), text(module.class_name),
                                      scopeText(module.path));
        out += QStringLiteral("%1 %2\n").arg(name, -56).arg(
            module.parameter_count ? countText(module.parameter_count) : QStringLiteral("--"), 14);
        for (const auto& parameter : module.parameters) frozen += parameter.requires_grad ? 0 : parameter.numel();
    }
    out += QString(71, QLatin1Char('=')) + QLatin1Char('\n');
    out += QObject::tr("Total parameters: %1\nTrainable: %2\nFrozen: %3\nParameter size: %4\nBuffer size: %5\n")
               .arg(countText(model.parameter_count), countText(model.parameter_count - frozen), countText(frozen),
                    bytesText(static_cast<double>(model.parameter_bytes)),
                    bytesText(static_cast<double>(model.buffer_bytes)));
    return out;
}

}  // namespace loupe::views

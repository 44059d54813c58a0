// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/train/training_list.h"

#include <QFileInfo>
#include <QHeaderView>
#include <QPainter>
#include <map>

#include "views/common/engine_words.h"
#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

Settings settingsOf(const session::TrainingLog& log) {
    Settings all = session::training_settings(log.options());
    const session::TrainingOrigin origin = log.origin();
    if (!origin.program.name.empty())
        return {{"program", origin.program.name}, {"optimizer", origin.program.optimizer}};
    all.emplace_back(
        "begins with",
        origin.branch_of > 0
            ? QObject::tr("step %1 of training %2").arg(origin.branch_step).arg(origin.branch_of).toStdString()
        : origin.weights == "trained"   ? QObject::tr("the weights trained before").toStdString()
        : origin.weights == "as opened" ? QObject::tr("the weights as opened").toStdString()
                                        : origin.weights);
    return all;
}

std::string settingOf(const Settings& settings, const std::string& name) {
    for (const auto& [key, value] : settings) {
        if (key == name) return value;
    }
    return {};
}

// Names of settings that are not the same in all, a missing one as an empty one, in the order in which they come.
QStringList differing(const std::vector<Settings>& all) {
    struct Seen {
        std::string value;
        std::size_t count = 0;
        bool differs = false;
    };
    std::map<std::string, Seen> seen;
    std::vector<std::string> order;
    for (const Settings& settings : all) {
        for (const auto& [name, value] : settings) {
            const auto [found, is_new] = seen.try_emplace(name);
            if (is_new) {
                found->second.value = value;
                order.push_back(name);
            }
            ++found->second.count;
            found->second.differs |= value != found->second.value;
        }
    }
    QStringList names;
    for (const std::string& name : order) {
        const Seen& of = seen.at(name);
        const bool is_missing = of.count < all.size() && !of.value.empty();
        if (of.differs || is_missing) names << text(name);
    }
    return names;
}

}  // namespace

TrainingList::TrainingList(QWidget* parent) : QTreeWidget(parent) {
    setObjectName(QStringLiteral("trainTrainings"));
    setAccessibleName(tr("Trainings of this model since the program was started"));
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setAllColumnsShowFocus(true);
    setToolTip(tr("Tick a training to draw its curves too; columns are the settings that differ"));
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    connect(this, &QTreeWidget::itemChanged, this, [this](QTreeWidgetItem* item, int column) {
        if (column != 0) return;
        const int number = item->data(0, Qt::UserRole).toInt();
        if (item->checkState(0) == Qt::Checked)
            ticked_[model_].insert(number);
        else
            ticked_[model_].remove(number);
        emit chosenChanged();
    });
}

QColor TrainingList::colourOf(const session::TrainingLog& log) {
    return Theme::instance().series(log.origin().number + 4);
}

void TrainingList::show(const QString& model, const std::vector<Log>& trainings, const Log& now) {
    std::vector<Settings> settings;
    for (const Log& log : trainings) settings.push_back(settingsOf(*log));
    const QStringList names = differing(settings);
    QStringList rows{model, names.join(QLatin1Char('|'))};
    std::vector<QStringList> cells;
    for (std::size_t i = 0; i < trainings.size(); ++i) {
        const Log& log = trainings[i];
        QStringList row{QString::number(log->origin().number)};
        const std::size_t count = log->step_count();
        const auto steps = count > 0 ? log->steps(count - 1) : std::vector<session::TrainingStep>();
        const auto epochs = log->epochs();
        row << countText(static_cast<std::int64_t>(count))
            << (steps.empty() ? QString() : text(session::loss_text(steps.back().loss)));
        QString metric;
        if (!epochs.empty() && epochs.back().held_out_accuracy)
            metric = tr("%1 % held out").arg(100 * *epochs.back().held_out_accuracy, 0, 'f', 1);
        else if (!epochs.empty() && epochs.back().held_out_loss)
            metric = tr("loss %1 held out").arg(text(session::loss_text(*epochs.back().held_out_loss)));
        else if (!epochs.empty() && epochs.back().accuracy)
            metric = tr("%1 %").arg(100 * *epochs.back().accuracy, 0, 'f', 1);
        row << metric;
        for (const QString& name : names) {
            QString value = text(settingOf(settings[i], name.toStdString()));
            if (value.contains(QLatin1Char('/')) && QFileInfo::exists(value)) value = QFileInfo(value).fileName();
            row << value;
        }
        rows << row.join(QLatin1Char('|'));
        cells.push_back(std::move(row));
    }
    rows << (now ? QString::number(now->origin().number) : QString());
    const QString shown = rows.join(QLatin1Char('\n'));
    if (shown == shown_ && trainings.size() == trainings_.size()) return;
    shown_ = shown;
    model_ = model;
    trainings_ = trainings;
    now_ = now;
    const QSignalBlocker blocker(this);
    clear();
    setColumnCount(4 + static_cast<int>(names.size()));
    QStringList titles{tr("#"), tr("steps"), tr("loss"), tr("result")};
    for (const QString& name : names) titles << engineWord(name.toStdString());
    setHeaderLabels(titles);
    for (std::size_t i = 0; i < trainings.size(); ++i) {
        const int number = trainings[i]->origin().number;
        // Compared with the previous one.
        if (!known_[model_].contains(number)) {
            known_[model_].insert(number);
            ticked_[model_].insert(number);
        }
        auto* item = new QTreeWidgetItem(this, cells[i]);
        item->setData(0, Qt::UserRole, number);
        const bool isNow = trainings[i] == now_;
        QPixmap swatch(10, 10);
        swatch.fill(isNow ? Theme::instance().series(0) : colourOf(*trainings[i]));
        item->setIcon(0, QIcon(swatch));
        item->setCheckState(0, isNow || ticked_[model_].contains(number) ? Qt::Checked : Qt::Unchecked);
        if (isNow) {
            item->setFlags(item->flags() & ~Qt::ItemIsUserCheckable);
            QFont bold = item->font(0);
            bold.setBold(true);
            for (int column = 0; column < columnCount(); ++column) item->setFont(column, bold);
        }
        QStringList all;
        for (const auto& [name, value] : settings[i]) all << QStringLiteral("%1: %2").arg(text(name), text(value));
        for (int column = 0; column < columnCount(); ++column) item->setToolTip(column, all.join(QLatin1Char('\n')));
    }
}

std::vector<TrainingList::Log> TrainingList::chosen() const {
    std::vector<Log> out;
    for (const Log& log : trainings_) {
        if (log != now_ && ticked_.value(model_).contains(log->origin().number)) out.push_back(log);
    }
    return out;
}

}  // namespace loupe::views

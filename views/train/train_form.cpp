// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/train/train_form.h"

#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <algorithm>

#include "views/common/elided_fields.h"
#include "views/common/engine_files.h"
#include "views/common/format.h"

namespace loupe::views {
namespace {

// "SGD(lr=0.1)": with required and common options.
QString callOf(const session::RecipeInfo& recipe) {
    static const std::pair<const char*, const char*> kUsual[] = {
        {"lr", "0.01"}, {"step_size", "1"},   {"milestones", "[2, 4]"}, {"gamma", "0.5"},      {"T_max", "5"},
        {"T_0", "2"},   {"base_lr", "0.001"}, {"max_lr", "0.01"},       {"total_steps", "100"}};
    QStringList parts;
    for (const auto& argument : recipe.arguments) {
        const bool isRate = argument.name == "lr";
        const bool isNeeded =
            argument.default_text.empty() || (recipe.name == "OneCycleLR" && argument.name == "total_steps");
        if (!isRate && !isNeeded) continue;
        QString value = isRate && !argument.default_text.empty() && argument.default_text != "None"
                            ? text(argument.default_text)
                            : QStringLiteral("1");
        for (const auto& [name, usual] : kUsual) {
            if (argument.name == name && value == QLatin1String("1")) value = QLatin1String(usual);
        }
        parts << text(argument.name) + QLatin1Char('=') + value;
    }
    return QStringLiteral("%1(%2)").arg(text(recipe.name), parts.join(QStringLiteral(", ")));
}

QString tipOf(const session::RecipeInfo& recipe) {
    QString tip = QStringLiteral("<p>%1</p><p><code>%2(").arg(text(recipe.summary).toHtmlEscaped(), text(recipe.name));
    QStringList parts;
    for (const auto& argument : recipe.arguments) {
        parts << (argument.default_text.empty() ? text(argument.name)
                                                : text(argument.name) + QLatin1Char('=') + text(argument.default_text))
                     .toHtmlEscaped();
    }
    return tip + parts.join(QStringLiteral(", ")) + QStringLiteral(")</code></p>");
}

QSpinBox* countBox(int low, int high, int value, const QString& name, QWidget* parent) {
    auto* box = new QSpinBox(parent);
    box->setRange(low, high);
    box->setValue(value);
    box->setAccessibleName(name);
    return box;
}

QDoubleSpinBox* numberBox(double low, double high, double step, int decimals, const QString& name, QWidget* parent) {
    auto* box = new QDoubleSpinBox(parent);
    box->setRange(low, high);
    box->setSingleStep(step);
    box->setDecimals(decimals);
    box->setAccessibleName(name);
    return box;
}

}  // namespace

QComboBox* TrainForm::recipeBox(const std::vector<session::RecipeInfo>& recipes, const QString& name) {
    auto* box = new ElidedComboBox(this);
    box->setEditable(true);
    box->setInsertPolicy(QComboBox::NoInsert);
    box->setAccessibleName(name);
    box->setMinimumContentsLength(12);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    for (const auto& recipe : recipes) {
        box->addItem(callOf(recipe));
        box->setItemData(box->count() - 1, tipOf(recipe), Qt::ToolTipRole);
    }
    const auto showTip = [box, recipes, name](const QString& call) {
        const std::string wanted = call.section(QLatin1Char('('), 0, 0).trimmed().toStdString();
        const auto found = std::find_if(recipes.begin(), recipes.end(),
                                        [&](const session::RecipeInfo& recipe) { return recipe.name == wanted; });
        box->setToolTip(found == recipes.end() ? name : tipOf(*found));
    };
    connect(box, &QComboBox::editTextChanged, this, showTip);
    // Scrolled to the start, so that the name is visible.
    connect(box, &QComboBox::editTextChanged, box, [box] {
        if (!box->lineEdit()->hasFocus()) box->lineEdit()->setCursorPosition(0);
    });
    return box;
}

// All labels have the width of the widest possible one: an option of data, or a translated one of the form.
static int labelWidth(const QWidget& widget) {
    int width = widget.fontMetrics().horizontalAdvance(QStringLiteral("Random crop"));
    for (const QString& label : {TrainForm::tr("Held out"), TrainForm::tr("Optimizer"), TrainForm::tr("Most steps"),
                                 TrainForm::tr("Clip"), TrainForm::tr("Precision"), TrainForm::tr("Look")})
        width = std::max(width, widget.fontMetrics().horizontalAdvance(label));
    return width;
}

TrainForm::TrainForm(QWidget* parent) : QWidget(parent), data_(new DataForm(labelWidth(*this), this)) {
    makeFields();
    layOut();
}

void TrainForm::makeFields() {
    held_out_ = numberBox(0, 90, 5, 0, tr("Held out"), this);
    held_out_->setSuffix(QStringLiteral(" %"));
    held_out_->setToolTip(tr("Kept aside and measured after every epoch"));
    batch_ = countBox(1, 1 << 20, 32, tr("Batch"), this);
    shuffle_ = new QCheckBox(tr("shuffle"), this);
    shuffle_->setChecked(true);
    shuffle_->setToolTip(tr("Another order every epoch, drawn from the seed as PyTorch draws it"));
    drop_last_ = new QCheckBox(tr("drop the last batch"), this);
    drop_last_->setToolTip(tr("Leave it out when it is not full"));
    workers_ = countBox(0, 64, 0, tr("Workers"), this);
    workers_->setSpecialValueText(tr("none"));
    workers_->setToolTip(tr("Threads that read and prepare batches ahead"));
    skip_damaged_ = new QCheckBox(tr("skip damaged"), this);
    skip_damaged_->setToolTip(tr("Examples that cannot be read are left out; else the training ends there"));
    loss_ = recipeBox(session::list_losses(), tr("Loss"));
    loss_->addItem(QStringLiteral("own"));
    loss_->setItemData(loss_->count() - 1,
                       tr("The source's function `loss`, a LightningModule's training_step, or what the model gives"),
                       Qt::ToolTipRole);
    loss_->setCurrentText(QStringLiteral("CrossEntropyLoss()"));
    optimizer_ = recipeBox(session::list_optimizers(), tr("Optimizer"));
    optimizer_->setObjectName(QStringLiteral("trainOptimizer"));
    optimizer_->addItem(QStringLiteral("own"));
    optimizer_->setItemData(optimizer_->count() - 1, tr("What configure_optimizers of a LightningModule gives"),
                            Qt::ToolTipRole);
    optimizer_->setCurrentText(QStringLiteral("Adam(lr=0.001)"));
    schedule_ = recipeBox(session::list_schedules(), tr("Schedule"));
    schedule_->insertItem(0, QStringLiteral("none"));
    schedule_->setCurrentIndex(0);
    every_step_ = new QCheckBox(tr("by step"), this);
    every_step_->setToolTip(tr("The schedule counts steps, not epochs"));
    epochs_ = countBox(1, 100000, 5, tr("Epochs"), this);
    epochs_->setToolTip(tr("Of the whole training: one that goes on counts those that it has done"));
    done_ = new QLabel(this);
    done_->setObjectName(QStringLiteral("trainDone"));
    done_->setProperty("faint", true);
    done_->setWordWrap(true);
    done_->setMinimumWidth(1);
    done_->setVisible(false);
    steps_ = countBox(0, 1 << 30, 0, tr("Most steps"), this);
    steps_->setSpecialValueText(tr("all"));
    steps_->setToolTip(tr("End after as many, whatever the epochs say"));
    clip_ = numberBox(0, 1e6, 0.5, 3, tr("Clip gradients"), this);
    clip_->setSpecialValueText(tr("off"));
    clip_->setToolTip(tr("The greatest norm of all gradients together"));
    precision_ = new ElidedComboBox(this);
    precision_->setObjectName(QStringLiteral("trainPrecision"));
    precision_->setAccessibleName(tr("Precision"));
    precision_->addItem(tr("as the weights"), QString());
    precision_->addItem(tr("bfloat16 autocast"), QStringLiteral("bfloat16"));
    precision_->addItem(tr("float16 autocast"), QStringLiteral("float16"));
    precision_->setMinimumContentsLength(12);
    precision_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    precision_->setToolTip(
        tr("Mixed precision: forward and loss run under torch.autocast, weights and optimiser stay as they are. In "
           "float16 a GradScaler scales the loss."));
    seed_ = countBox(0, 1 << 30, 0, tr("Seed"), this);
    look_ = numberBox(-1, 3600, 0.1, 1, tr("Look every"), this);
    look_->setValue(0.5);
    look_->setSuffix(QStringLiteral(" s"));
    look_->setSpecialValueText(tr("never"));
    look_->setToolTip(
        tr("So often a step is recorded whole, for every panel and the histograms; never for more than a tenth of the "
           "time"));
    stop_at_nan_ = new QCheckBox(tr("stop at NaN or Inf"), this);
    stop_at_nan_->setChecked(true);
    stop_at_nan_->setToolTip(tr("The step that meets one is undone, and repeated to find the operator where it began"));
    fixed_ = {data_,         held_out_, batch_,    shuffle_,    drop_last_, workers_,
              skip_damaged_, loss_,     schedule_, every_step_, precision_, seed_};
}

void TrainForm::layOut() {
    auto* form = new QFormLayout(this);
    form->setContentsMargins(8, 6, 8, 6);
    form->setHorizontalSpacing(8);
    form->setVerticalSpacing(5);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    const auto add = [&](const QString& words, QWidget* field) {
        auto* label = new QLabel(words, this);
        label->setMinimumWidth(labelWidth(*this));
        label->setBuddy(field);
        form->addRow(label, field);
    };
    form->addRow(data_);
    add(tr("Held out"), held_out_);
    add(tr("Batch"), batch_);
    form->addRow(QString(), shuffle_);
    form->addRow(QString(), drop_last_);
    add(tr("Workers"), workers_);
    form->addRow(QString(), skip_damaged_);
    add(tr("Loss"), loss_);
    add(tr("Optimizer"), optimizer_);
    add(tr("Schedule"), schedule_);
    form->addRow(QString(), every_step_);
    add(tr("Epochs"), epochs_);
    form->addRow(done_);
    add(tr("Most steps"), steps_);
    add(tr("Clip"), clip_);
    add(tr("Precision"), precision_);
    add(tr("Seed"), seed_);
    add(tr("Look"), look_);
    form->addRow(QString(), stop_at_nan_);
    // For narrow panels: no minimum widths.
    for (QWidget* field : findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
        if (qobject_cast<QAbstractSpinBox*>(field) || qobject_cast<QComboBox*>(field) ||
            qobject_cast<QCheckBox*>(field))
            field->setMinimumWidth(48);
    }
}

session::TrainOptions TrainForm::options() const {
    session::TrainOptions options;
    options.data = data_->data();
    options.held_out = held_out_->value() / 100;
    options.batch_size = batch_->value();
    options.shuffle = shuffle_->isChecked();
    options.drop_last = drop_last_->isChecked();
    options.workers = workers_->value();
    options.skip_damaged = skip_damaged_->isChecked();
    options.loss = loss_->currentText().trimmed().toStdString();
    options.optimizer = optimizer_->currentText().trimmed().toStdString();
    options.schedule = schedule_->currentText().trimmed().toStdString();
    if (options.schedule == "none") options.schedule.clear();
    options.schedule_every_step = every_step_->isChecked();
    options.epochs = epochs_->value();
    options.max_steps = steps_->value();
    options.clip_norm = clip_->value();
    options.autocast = precision_->currentData().toString().toStdString();
    options.seed = static_cast<std::uint64_t>(seed_->value());
    options.look_every = look_->value();
    options.stop_at_nan = stop_at_nan_->isChecked();
    return options;
}

void TrainForm::setOptions(const session::TrainOptions& options) {
    data_->setData(options.data);
    held_out_->setValue(options.held_out * 100);
    batch_->setValue(static_cast<int>(options.batch_size));
    shuffle_->setChecked(options.shuffle);
    drop_last_->setChecked(options.drop_last);
    workers_->setValue(options.workers);
    skip_damaged_->setChecked(options.skip_damaged);
    loss_->setCurrentText(text(options.loss));
    optimizer_->setCurrentText(text(options.optimizer));
    schedule_->setCurrentText(options.schedule.empty() ? QStringLiteral("none") : text(options.schedule));
    every_step_->setChecked(options.schedule_every_step);
    epochs_->setValue(options.epochs);
    steps_->setValue(static_cast<int>(options.max_steps));
    clip_->setValue(options.clip_norm);
    precision_->setCurrentIndex(std::max(0, precision_->findData(text(options.autocast))));
    seed_->setValue(static_cast<int>(options.seed));
    look_->setValue(options.look_every);
    stop_at_nan_->setChecked(options.stop_at_nan);
}

void TrainForm::setModel(const session::ModelInfo& model) {
    const QString key = QStringLiteral("train/") + text(model.path).replace(QLatin1Char('/'), QLatin1Char('|'));
    if (key == settings_) return;  // settings are kept when the model is reopened or compiled
    settings_ = key;
    session::TrainOptions options;
    if (model.loss_arguments > 0) options.loss = "own";
    const QFileInfo file(text(model.path));
    const QString beside = file.path() + QLatin1Char('/') + file.completeBaseName() + QStringLiteral("_data.npz");
    if (!EngineFiles::areFar() && QFileInfo::exists(beside)) options.data.path = beside.toStdString();
    QSettings settings;
    const QVariantMap saved = settings.value(settings_).toMap();
    const auto word = [&](const char* key, std::string& to) {
        if (saved.contains(QLatin1String(key))) to = saved[QLatin1String(key)].toString().toStdString();
    };
    word("data", options.data.path);
    word("source", options.data.source);
    const QVariantMap given = saved.value(QStringLiteral("sourceOptions")).toMap();
    for (auto each = given.begin(); each != given.end(); ++each)
        options.data.options[each.key().toStdString()] = each.value().toString().toStdString();
    word("loss", options.loss);
    word("optimizer", options.optimizer);
    word("schedule", options.schedule);
    word("autocast", options.autocast);
    options.clip_norm = saved.value(QStringLiteral("clip"), options.clip_norm).toDouble();
    options.seed = static_cast<std::uint64_t>(
        saved.value(QStringLiteral("seed"), static_cast<qlonglong>(options.seed)).toLongLong());
    options.epochs = saved.value(QStringLiteral("epochs"), options.epochs).toInt();
    options.batch_size = saved.value(QStringLiteral("batch"), static_cast<qlonglong>(options.batch_size)).toLongLong();
    options.workers = saved.value(QStringLiteral("workers"), options.workers).toInt();
    options.drop_last = saved.value(QStringLiteral("dropLast"), options.drop_last).toBool();
    options.shuffle = saved.value(QStringLiteral("shuffle"), options.shuffle).toBool();
    options.held_out = saved.value(QStringLiteral("heldOut"), options.held_out).toDouble();
    setOptions(options);
}

void TrainForm::remember() const {
    if (settings_.isEmpty()) return;  // of no model
    const session::TrainOptions now = options();
    QVariantMap given;
    for (const auto& [name, value] : now.data.options) given[text(name)] = text(value);
    QSettings().setValue(settings_, QVariantMap{{QStringLiteral("data"), text(now.data.path)},
                                                {QStringLiteral("source"), text(now.data.source)},
                                                {QStringLiteral("sourceOptions"), given},
                                                {QStringLiteral("workers"), now.workers},
                                                {QStringLiteral("dropLast"), now.drop_last},
                                                {QStringLiteral("shuffle"), now.shuffle},
                                                {QStringLiteral("loss"), text(now.loss)},
                                                {QStringLiteral("optimizer"), text(now.optimizer)},
                                                {QStringLiteral("schedule"), text(now.schedule)},
                                                {QStringLiteral("autocast"), text(now.autocast)},
                                                {QStringLiteral("clip"), now.clip_norm},
                                                {QStringLiteral("seed"), static_cast<qlonglong>(now.seed)},
                                                {QStringLiteral("epochs"), now.epochs},
                                                {QStringLiteral("batch"), static_cast<qlonglong>(now.batch_size)},
                                                {QStringLiteral("heldOut"), now.held_out}});
}

void TrainForm::showDone(const QString& words) {
    done_->setText(words);
    done_->setVisible(!words.isEmpty());
}

void TrainForm::setRunning(bool running) {
    for (QWidget* widget : fixed_) widget->setEnabled(!running);
}

}  // namespace loupe::views

// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/train/train_form.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QSettings>
#include <QToolButton>

#include "views/common/format.h"
#include "views/common/icons.h"

namespace loupe::views {
namespace {

// "SGD(lr=0.1)": with what must be given, and what one sets most.
QString callOf(const session::RecipeInfo& recipe) {
    static const std::pair<const char*, const char*> kUsual[] = {{"lr", "0.01"}, {"step_size", "1"}, {"milestones", "[2, 4]"}, {"gamma", "0.5"}, {"T_max", "5"},
                                                                {"T_0", "2"}, {"base_lr", "0.001"}, {"max_lr", "0.01"}, {"total_steps", "100"}};
    QStringList parts;
    for (const auto& argument : recipe.arguments) {
        const bool isRate = argument.name == "lr";
        const bool isNeeded = argument.default_text.empty() || (recipe.name == "OneCycleLR" && argument.name == "total_steps");
        if (!isRate && !isNeeded) continue;
        QString value = isRate && !argument.default_text.empty() && argument.default_text != "None" ? text(argument.default_text) : QStringLiteral("1");
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
        parts << (argument.default_text.empty() ? text(argument.name) : text(argument.name) + QLatin1Char('=') + text(argument.default_text)).toHtmlEscaped();
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
    auto* box = new QComboBox(this);
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
        const auto found = std::find_if(recipes.begin(), recipes.end(), [&](const session::RecipeInfo& recipe) { return recipe.name == wanted; });
        box->setToolTip(found == recipes.end() ? name : tipOf(*found));
    };
    connect(box, &QComboBox::editTextChanged, this, showTip);
    return box;
}

TrainForm::TrainForm(QWidget* parent) : QWidget(parent) {
    data_ = new QLineEdit(this);
    data_->setObjectName(QStringLiteral("trainData"));
    data_->setPlaceholderText(tr("made up"));
    data_->setClearButtonEnabled(true);
    data_->setAccessibleName(tr("Data"));
    data_->setToolTip(tr("An .npz with inputs x and targets y, an .npy, a CSV, IDX (MNIST) or CIFAR file, or a folder of pictures; without one, data is made up"));
    auto* choose = new QToolButton(this);
    choose->setIcon(themeIcon(QStringLiteral("open")));
    choose->setToolTip(tr("Choose a data file"));
    choose->setAccessibleName(tr("Choose a data file"));
    connect(choose, &QToolButton::clicked, this, &TrainForm::chooseData);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(3);
    row->addWidget(data_, 1);
    row->addWidget(choose);
    input_ = new QLineEdit(this);
    target_ = new QLineEdit(this);
    for (auto* edit : {input_, target_}) edit->setPlaceholderText(tr("guessed"));
    input_->setAccessibleName(tr("Name of the inputs"));
    input_->setToolTip(tr("The array or columns that the model is given; x, inputs, images, ... are found by themselves"));
    target_->setAccessibleName(tr("Name of the targets"));
    target_->setToolTip(tr("The array or column of targets; the name of the inputs again for an autoencoder"));
    auto* names = new QHBoxLayout;
    names->setContentsMargins(0, 0, 0, 0);
    names->setSpacing(3);
    names->addWidget(input_);
    names->addWidget(new QLabel(QStringLiteral("\u2192"), this));
    names->addWidget(target_);
    shape_ = new QLineEdit(this);
    shape_->setAccessibleName(tr("Shape of one example"));
    shape_->setPlaceholderText(tr("as the model's input"));
    shape_->setToolTip(tr("Of one made-up example, without the batch: 1x8x8"));
    classes_ = countBox(0, 100000, 10, tr("Classes"), this);
    classes_->setSpecialValueText(tr("a number"));
    classes_->setToolTip(tr("How many classes made-up examples have; 0: the target is a number"));
    held_out_ = numberBox(0, 90, 5, 0, tr("Held out"), this);
    held_out_->setSuffix(QStringLiteral(" %"));
    held_out_->setToolTip(tr("Kept aside and measured after every epoch"));
    batch_ = countBox(1, 1 << 20, 32, tr("Batch"), this);
    shuffle_ = new QCheckBox(tr("shuffle"), this);
    shuffle_->setChecked(true);
    loss_ = recipeBox(session::list_losses(), tr("Loss"));
    loss_->addItem(QStringLiteral("own"));
    loss_->setItemData(loss_->count() - 1, tr("What the model gives is the loss, or its source has a function `loss`"), Qt::ToolTipRole);
    loss_->setCurrentText(QStringLiteral("CrossEntropyLoss()"));
    optimizer_ = recipeBox(session::list_optimizers(), tr("Optimizer"));
    optimizer_->setObjectName(QStringLiteral("trainOptimizer"));
    optimizer_->setCurrentText(QStringLiteral("Adam(lr=0.001)"));
    schedule_ = recipeBox(session::list_schedules(), tr("Schedule"));
    schedule_->insertItem(0, QStringLiteral("none"));
    schedule_->setCurrentIndex(0);
    every_step_ = new QCheckBox(tr("by step"), this);
    every_step_->setToolTip(tr("The schedule counts steps, not epochs"));
    epochs_ = countBox(1, 100000, 5, tr("Epochs"), this);
    steps_ = countBox(0, 1 << 30, 0, tr("Most steps"), this);
    steps_->setSpecialValueText(tr("all"));
    steps_->setToolTip(tr("End after as many, whatever the epochs say"));
    clip_ = numberBox(0, 1e6, 0.5, 3, tr("Clip gradients"), this);
    clip_->setSpecialValueText(tr("off"));
    clip_->setToolTip(tr("The greatest norm of all gradients together"));
    seed_ = countBox(0, 1 << 30, 0, tr("Seed"), this);
    look_ = numberBox(-1, 3600, 0.1, 1, tr("Look every"), this);
    look_->setValue(0.5);
    look_->setSuffix(QStringLiteral(" s"));
    look_->setSpecialValueText(tr("never"));
    look_->setToolTip(tr("So often a step is recorded whole, for every panel and the histograms; never for more than a tenth of the time"));
    stop_at_nan_ = new QCheckBox(tr("stop at NaN or Inf"), this);
    stop_at_nan_->setChecked(true);
    stop_at_nan_->setToolTip(tr("The step that meets one is undone, and repeated to find the operator where it began"));

    auto* form = new QFormLayout(this);
    form->setContentsMargins(8, 6, 8, 6);
    form->setHorizontalSpacing(8);
    form->setVerticalSpacing(5);
    form->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
    form->addRow(tr("Data"), row);
    form->addRow(tr("Arrays"), names);
    form->addRow(tr("Example"), shape_);
    form->addRow(tr("Classes"), classes_);
    form->addRow(tr("Held out"), held_out_);
    form->addRow(tr("Batch"), batch_);
    form->addRow(QString(), shuffle_);
    form->addRow(tr("Loss"), loss_);
    form->addRow(tr("Optimizer"), optimizer_);
    form->addRow(tr("Schedule"), schedule_);
    form->addRow(QString(), every_step_);
    form->addRow(tr("Epochs"), epochs_);
    form->addRow(tr("Most steps"), steps_);
    form->addRow(tr("Clip"), clip_);
    form->addRow(tr("Seed"), seed_);
    form->addRow(tr("Look"), look_);
    form->addRow(QString(), stop_at_nan_);
    // The panel is narrow: nothing asks for more than there is.
    for (QWidget* field : findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
        if (!qobject_cast<QLabel*>(field) && !qobject_cast<QToolButton*>(field)) field->setMinimumWidth(48);
    }
    made_up_ = {shape_, form->labelForField(shape_), classes_, form->labelForField(classes_)};
    fixed_ = {data_, choose, input_, target_, shape_, classes_, held_out_, batch_, shuffle_, loss_, schedule_, every_step_, seed_};
    connect(data_, &QLineEdit::textChanged, this, &TrainForm::showMadeUp);
    showMadeUp();
}

void TrainForm::showMadeUp() {
    const bool isMadeUp = data_->text().isEmpty();
    for (QWidget* widget : made_up_) widget->setVisible(isMadeUp);
    for (QWidget* widget : {input_, target_}) widget->setEnabled(!isMadeUp);
}

void TrainForm::chooseData() {
    const QString file = QFileDialog::getOpenFileName(this, tr("Training data"), data_->text(), tr("Data (*.npz *.npy *.csv *.bin *ubyte* *.txt);;All files (*)"));
    if (!file.isEmpty()) data_->setText(file);
}

session::TrainOptions TrainForm::options() const {
    session::TrainOptions options;
    options.data.path = data_->text().trimmed().toStdString();
    options.data.input = input_->text().trimmed().toStdString();
    options.data.target = target_->text().trimmed().toStdString();
    for (const QString& size : shape_->text().split(QLatin1Char('x'), Qt::SkipEmptyParts)) options.data.shape.push_back(size.trimmed().toLongLong());
    options.data.classes = classes_->value();
    options.held_out = held_out_->value() / 100;
    options.batch_size = batch_->value();
    options.shuffle = shuffle_->isChecked();
    options.loss = loss_->currentText().trimmed().toStdString();
    options.optimizer = optimizer_->currentText().trimmed().toStdString();
    options.schedule = schedule_->currentText().trimmed().toStdString();
    if (options.schedule == "none") options.schedule.clear();
    options.schedule_every_step = every_step_->isChecked();
    options.epochs = epochs_->value();
    options.max_steps = steps_->value();
    options.clip_norm = clip_->value();
    options.seed = static_cast<std::uint64_t>(seed_->value());
    options.look_every = look_->value();
    options.stop_at_nan = stop_at_nan_->isChecked();
    return options;
}

void TrainForm::setOptions(const session::TrainOptions& options) {
    data_->setText(text(options.data.path));
    input_->setText(text(options.data.input));
    target_->setText(text(options.data.target));
    QStringList sizes;
    for (const auto size : options.data.shape) sizes << QString::number(size);
    shape_->setText(sizes.join(QLatin1Char('x')));
    classes_->setValue(options.data.classes);
    held_out_->setValue(options.held_out * 100);
    batch_->setValue(static_cast<int>(options.batch_size));
    shuffle_->setChecked(options.shuffle);
    loss_->setCurrentText(text(options.loss));
    optimizer_->setCurrentText(text(options.optimizer));
    schedule_->setCurrentText(options.schedule.empty() ? QStringLiteral("none") : text(options.schedule));
    every_step_->setChecked(options.schedule_every_step);
    epochs_->setValue(options.epochs);
    steps_->setValue(static_cast<int>(options.max_steps));
    clip_->setValue(options.clip_norm);
    seed_->setValue(static_cast<int>(options.seed));
    look_->setValue(options.look_every);
    stop_at_nan_->setChecked(options.stop_at_nan);
}

void TrainForm::setModel(const session::ModelInfo& model) {
    settings_ = QStringLiteral("train/") + text(model.path).replace(QLatin1Char('/'), QLatin1Char('|'));
    session::TrainOptions options;
    const QFileInfo file(text(model.path));
    const QString beside = file.path() + QLatin1Char('/') + file.completeBaseName() + QStringLiteral("_data.npz");
    if (QFileInfo::exists(beside)) options.data.path = beside.toStdString();
    QSettings settings;
    const QVariantMap saved = settings.value(settings_).toMap();
    const auto word = [&](const char* key, std::string& to) { if (saved.contains(QLatin1String(key))) to = saved[QLatin1String(key)].toString().toStdString(); };
    word("data", options.data.path);
    word("input", options.data.input);
    word("target", options.data.target);
    word("loss", options.loss);
    word("optimizer", options.optimizer);
    word("schedule", options.schedule);
    options.epochs = saved.value(QStringLiteral("epochs"), options.epochs).toInt();
    options.batch_size = saved.value(QStringLiteral("batch"), static_cast<qlonglong>(options.batch_size)).toLongLong();
    options.held_out = saved.value(QStringLiteral("heldOut"), options.held_out).toDouble();
    setOptions(options);
}

void TrainForm::remember() const {
    const session::TrainOptions now = options();
    QSettings().setValue(settings_, QVariantMap{{QStringLiteral("data"), text(now.data.path)},
                                                {QStringLiteral("input"), text(now.data.input)},
                                                {QStringLiteral("target"), text(now.data.target)},
                                                {QStringLiteral("loss"), text(now.loss)},
                                                {QStringLiteral("optimizer"), text(now.optimizer)},
                                                {QStringLiteral("schedule"), text(now.schedule)},
                                                {QStringLiteral("epochs"), now.epochs},
                                                {QStringLiteral("batch"), static_cast<qlonglong>(now.batch_size)},
                                                {QStringLiteral("heldOut"), now.held_out}});
}

void TrainForm::setRunning(bool running) {
    for (QWidget* widget : fixed_) widget->setEnabled(!running);
    if (!running) showMadeUp();
}

}  // namespace loupe::views

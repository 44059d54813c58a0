// SPDX-License-Identifier: Apache-2.0
// Texts that the window shows are ready for translation, and translations are whole.

#include <QDirIterator>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <QtTest>

namespace {

const QString kRoot = QStringLiteral(LOUPE_SOURCE_DIR "/");

// moc loses its way in a raw string with a quotation mark: \x22 stands for it.

// Calls whose arguments are shown.
const QString kShows = QStringLiteral(
    R"(\b(?:setText|setHtml|setToolTip|setWindowTitle|setPlaceholderText|setStatusTip|setWhatsThis|setAccessibleName|setAccessibleDescription|setTitle|setLabelText|setInformativeText|setPrefix|setSuffix|setSpecialValueText|setHeaderLabels|setHorizontalHeaderLabels|setTabText|addAction|addMenu|addItem|addItems|insertItem|addTab|addRow|addButton|addToolBar|tell|say|information|warning|question|critical|QLabel|QPushButton|QToolButton|QCheckBox|QRadioButton|QGroupBox|QAction|QMenu|QTreeWidgetItem|QListWidgetItem|drawText|setName|setLabel)\()");
// Calls in them whose literals are translated, or names.
const QString kHides = QStringLiteral(
    R"(\b(?:tr|translate|counted|themeIcon|icon|QT_TRANSLATE_NOOP|QT_TR_NOOP|setObjectName|objectName|findChild\w*|section|startsWith|endsWith|contains|property|view|value|ask)\()");
const QString kLambda = QStringLiteral(R"(\[[^\[\]\x22]*\]\s*(?:\([^()]*\))?\s*(?:mutable\s*)?(?:->\s*\w+\s*)?\{)");

struct Exception {
    QString file;
    QStringList literals;
    const char* reason;
};

const QList<Exception>& exceptions() {
    static const QList<Exception> kExceptions{
        {"app/window/main_window.cpp", {"Tensorloupe"}, "the program's name"},
        {"app/window/start_page.cpp", {"Tensorloupe"}, "the program's name"},
        {"views/compile/compile_view.cpp", {"max-autotune"}, "a mode's name, compared with"},
        {"views/events/events_view.cpp", {"op:", "scope:"}, "the language of filters"},
        {"views/graph/graph_view.cpp",
         {"kind", "time", "memory", "activation", "gradient", "difference"},
         "names of choices, which tours use"},
        {"views/inputs/inputs_view.cpp", {"no"}, "the name of a choice, which tours use"},
        {"views/inputs/backward_form.cpp",
         {"labels", "own", "sum", "mean", "out0[0]", "cotangents:"},
         "what the engine reads"},
        {"views/kernels/kernels_view.cpp", {"CUDA C++", "PTX"}, "names of languages"},
        {"views/passes/bisect_bar.cpp", {"stopped"}, "the engine's word, compared with"},
        {"views/train/data_form.cpp", {"float32", "int64", "float64"}, "dtypes"},
        {"views/train/train_form.cpp", {"own", "none", "bfloat16", "float16"}, "what the engine reads"},
    };
    return kExceptions;
}

QString textOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QStringList windowSources() {
    QStringList all;
    for (const char* folder : {"views", "app/window"}) {
        QDirIterator files(kRoot + folder, {"*.h", "*.cpp"}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) all << files.next();
    }
    all.sort();
    return all;
}

// Where the bracket closes that was opened before at.
qsizetype closing(const QString& code, qsizetype at) {
    const QChar opened = code[at - 1];
    const QChar closes = opened == '(' ? QChar(')') : QChar('}');
    for (int depth = 1; at < code.size(); ++at) {
        if (code[at] == '"') {
            for (++at; at < code.size() && code[at] != '"'; ++at) at += code[at] == '\\' ? 1 : 0;
        } else if (code[at] == '\'' && at + 2 < code.size() && (code[at + 2] == '\'' || code[at + 1] == '\\')) {
            at = code.indexOf('\'', at + 2);  // a character, not a digit separator
        } else if (code[at] == opened) {
            ++depth;
        } else if (code[at] == closes && --depth == 0) {
            return at;
        }
    }
    return code.size();
}

// Without what the pattern opens, up to where it closes.
QString without(const QString& code, const QString& pattern) {
    const QRegularExpression opens(pattern);
    QString out;
    qsizetype at = 0;
    for (auto found = opens.globalMatch(code); found.hasNext();) {
        const auto match = found.next();
        if (match.capturedStart() < at) continue;
        out += code.mid(at, match.capturedStart() - at);
        at = closing(code, match.capturedEnd()) + 1;
    }
    return out + code.mid(at);
}

QString withoutComments(QString code) {
    static const QRegularExpression comment(R"(^\s*//.*$|  // .*$)", QRegularExpression::MultilineOption);
    return code.replace(comment, QString());
}

QStringList literalsOf(const QString& code) {
    static const QRegularExpression literal(R"(\x22((?:[^\x22\\]|\\.)*)\x22)");
    QStringList all;
    for (auto found = literal.globalMatch(code); found.hasNext();) all << found.next().captured(1);
    return all;
}

// More than markup, places and symbols?
bool hasWords(QString literal) {
    static const QRegularExpression markup(R"(<[^>]*>|&\w+;|%\d|\\u[0-9a-f]{4}|\\n)");
    static const QRegularExpression word("[A-Za-z]{2}");
    return literal.replace(markup, QString()).contains(word);
}

struct Message {
    QString context;
    QString source;
    QString comment;
    QStringList translations;
    QString type;  // of the translation: empty when it is finished
    bool is_numerus = false;
    QString place() const { return context + ": " + source; }
};

QList<Message> messagesOf(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    QXmlStreamReader xml(&file);
    QList<Message> all;
    QString context;
    while (!xml.atEnd()) {
        if (!xml.readNextStartElement() && !xml.isEndElement()) continue;
        if (!xml.isStartElement()) continue;
        const auto name = xml.name();
        if (name == u"name")
            context = xml.readElementText();
        else if (name == u"message")
            all.append({context, {}, {}, {}, {}, xml.attributes().value("numerus") == u"yes"});
        else if (name == u"source")
            all.last().source = xml.readElementText();
        else if (name == u"comment")
            all.last().comment = xml.readElementText();
        else if (name == u"numerusform")
            all.last().translations << xml.readElementText();
        else if (name == u"translation") {
            all.last().type = xml.attributes().value("type").toString();
            if (!all.last().is_numerus) all.last().translations << xml.readElementText();
        }
    }
    return all;
}

QStringList partsOf(const QString& text, const char* pattern) {
    const QRegularExpression part{QString::fromLatin1(pattern)};
    QStringList all;
    for (auto found = part.globalMatch(text); found.hasNext();) all << found.next().captured(0);
    all.sort();
    return all;
}

// What a translation keeps of its source.
QList<QStringList> keptOf(const QString& text) {
    static const QRegularExpression attributes(R"((title|style)='[^']*')");
    QString markup = text;
    markup.replace(attributes, "\\1=''");
    return {partsOf(text, R"(%(?:n|L?\d))"),
            partsOf(markup, R"(</?[a-z][^<>]*>|&[a-z]+;)"),
            partsOf(text, R"(^\s+|\s+$)"),
            partsOf(text, R"(\n)"),
            partsOf(text, R"((?:\x{2026}|\.\.\.)$)"),
            partsOf(text, R"(\t)"),
            partsOf(text, R"(&(?=\w)(?![a-z]+;))").isEmpty() ? QStringList() : QStringList("an accelerator"),
            partsOf(text, R"(\*\.\w+)")};
}

QStringList translationFiles() {
    QStringList all;
    const QDir folder(kRoot + "resources/translations");
    for (const QString& name : folder.entryList({"*.ts"})) all << folder.filePath(name);
    return all;
}

}  // namespace

class TestTranslations : public QObject {
    Q_OBJECT

  private slots:
    void literals_that_are_shown_are_in_tr() {
        static const QRegularExpression shows(kShows);
        static const QRegularExpression index(R"(\[(?:QStringLiteral|QLatin1String)\(\x22[^\x22]*\x22\)[^\]]*\])");
        QSet<QString> used;
        int calls = 0;
        for (const QString& path : windowSources()) {
            const QString file = path.mid(kRoot.size());
            const QString code = withoutComments(textOf(path));
            for (auto found = shows.globalMatch(code); found.hasNext();) {
                const auto match = found.next();
                ++calls;
                QString shown = code.mid(match.capturedEnd(), closing(code, match.capturedEnd()) - match.capturedEnd());
                shown = without(without(shown, kLambda), kHides).replace(index, QString());
                for (const QString& literal : literalsOf(shown)) {
                    if (!hasWords(literal)) continue;
                    const bool is_allowed = std::any_of(
                        exceptions().begin(), exceptions().end(),
                        [&](const Exception& each) { return each.file == file && each.literals.contains(literal); });
                    used << file + literal;
                    QVERIFY2(is_allowed, qPrintable(QString("%1: \"%2\" is shown and not in tr()").arg(file, literal)));
                }
            }
        }
        QVERIFY(calls > 500);
        for (const Exception& each : exceptions()) {
            for (const QString& literal : each.literals)
                QVERIFY2(used.contains(each.file + literal),
                         qPrintable(QString("no such literal any more: %1 (%2)").arg(literal, each.reason)));
        }
    }
    // lupdate reads literals only.
    void what_is_counted_is_listed() {
        static const QRegularExpression call(R"(\bcounted\()");
        const QString list = textOf(kRoot + "views/common/format.cpp");
        int words = 0;
        for (const QString& path : windowSources()) {
            const QString code = withoutComments(textOf(path));
            for (auto found = call.globalMatch(code); found.hasNext();) {
                const auto at = found.next().capturedEnd();
                const QStringList literals = literalsOf(code.mid(at, closing(code, at) - at));
                if (literals.isEmpty()) continue;
                ++words;
                QVERIFY2(list.contains(QString("QT_TRANSLATE_N_NOOP(\"counted\", \"%1 ") + literals[0] + '"'),
                         qPrintable(path + ": list it in format.cpp: " + literals[0]));
            }
        }
        QVERIFY(words > 50);
    }
    // A tr() of a free function has a context that lupdate does not know of.
    void functions_have_no_tr_of_their_own() {
        static const QRegularExpression own(R"(^QString tr\()", QRegularExpression::MultilineOption);
        for (const QString& path : windowSources()) QVERIFY2(!own.match(textOf(path)).hasMatch(), qPrintable(path));
    }
    void translations_are_whole() {
        QVERIFY(!translationFiles().isEmpty());
        for (const QString& file : translationFiles()) {
            const auto messages = messagesOf(file);
            QVERIFY2(messages.size() > 2500, qPrintable(file));
            for (const Message& each : messages) {
                QVERIFY2(each.type.isEmpty(), qPrintable(each.type + ": " + each.place()));
                QVERIFY2(!each.translations.isEmpty(), qPrintable(each.place()));
                QVERIFY2(!each.is_numerus || each.translations.size() > 1, qPrintable(each.place()));
                for (const QString& text : each.translations)
                    QVERIFY2(!text.isEmpty(), qPrintable("empty: " + each.place()));
            }
        }
    }
    void translations_keep_places_markup_and_accelerators() {
        for (const QString& file : translationFiles()) {
            for (const Message& each : messagesOf(file)) {
                if (each.context == "language") continue;
                for (const QString& text : each.translations)
                    QVERIFY2(keptOf(text) == keptOf(each.source), qPrintable(each.place() + "\n" + text));
            }
        }
    }
    // As `ninja translations` would leave them.
    void translations_are_of_the_texts_as_they_are() {
#ifndef LOUPE_LUPDATE
        QSKIP("lupdate is not here");
#else
        const QTemporaryDir folder;
        QStringList copies;
        for (const QString& file : translationFiles()) {
            copies << folder.filePath(QFileInfo(file).fileName());
            QVERIFY(QFile::copy(file, copies.last()));
        }
        QProcess update;
        update.setProcessChannelMode(QProcess::MergedChannels);
        update.start("cmake", {"-DLUPDATE=" LOUPE_LUPDATE, "-DROOT=" LOUPE_SOURCE_DIR, "-DWORK=" + folder.path(),
                               "-DFILES=" + copies.join(';'), "-P", kRoot + "resources/translations/update.cmake"});
        QVERIFY(update.waitForFinished(240000));
        QVERIFY2(update.exitCode() == 0, update.readAll().constData());
        for (int i = 0; i < copies.size(); ++i) {
            QSet<QString> before, now;
            for (const Message& each : messagesOf(translationFiles()[i])) before << each.place() + each.comment;
            for (const Message& each : messagesOf(copies[i])) now << each.place() + each.comment;
            QVERIFY2(now == before, qPrintable("run `ninja translations` and translate: " +
                                               ((now - before) + (before - now)).values().join("; ")));
        }
#endif
    }
};

QTEST_GUILESS_MAIN(TestTranslations)
#include "test_translations.moc"

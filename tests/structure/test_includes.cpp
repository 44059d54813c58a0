// SPDX-License-Identifier: Apache-2.0
// A room includes only from rooms above it. Reads the include lines of every source.

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QtTest>
#include <algorithm>

namespace {

const QStringList kRooms{"base",    "text",    "tensor",  "value",  "autograd", "dispatch", "distributed",
                         "kernels", "ops",     "nn",      "optim",  "data",     "ir",       "script",
                         "passes",  "runtime", "formats", "python", "model",    "record",   "study",
                         "train",   "session", "plugin",  "library"};
// Rooms in rooms, of those that have an order; what lies in the room itself stands above them.
const QMap<QString, QStringList> kSubRooms{
    {"nn", {"init", "functional", "utils", "layers"}},
    {"runtime", {"interpreter", "trace", "fuse", "planned"}},
    {"formats",
     {"archive", "numpy", "pickle", "image", "torchscript", "lite", "safetensors", "checkpoint", "gguf", "exported",
      "sources"}},
    {"python", {"language", "library", "torch", "script"}},
    {"session", {"wire", "queries"}},
};

struct Include {
    QString file;  // from the root of the tree
    int line;
    QString target;
    bool is_ours;
};

// "core/ops"; "views".
QString room_of(const QString& path) {
    const QStringList parts = path.split('/');
    if (parts.size() < 2) return {};
    if (parts[0] == "core") return kRooms.contains(parts[1]) ? "core/" + parts[1] : QString();
    static const QStringList tops{"plugins", "views", "app", "tests"};
    return tops.contains(parts[0]) ? parts[0] : QString();
}

int rank_of(const QString& room) { return static_cast<int>(kRooms.indexOf(room.section('/', 1))); }

// -1 for files of the room itself and for folders without an order.
int sub_rank_of(const QString& path) {
    const QStringList parts = path.split('/');
    return parts.size() < 4 ? -1 : static_cast<int>(kSubRooms.value(parts[1]).indexOf(parts[2]));
}

QList<Include> includes_under(const QString& folder) {
    static const QRegularExpression pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
    const QString root = LOUPE_SOURCE_DIR "/";
    QList<Include> all;
    QDirIterator files(root + folder, {"*.h", "*.cpp", "*.cu", "*.inc"}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString path = files.next();
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly)) continue;
        int line = 0;
        while (!file.atEnd()) {
            ++line;
            const auto match = pattern.match(QString::fromUtf8(file.readLine()));
            if (match.hasMatch())
                all.append({path.mid(root.size()), line, match.captured(2), match.captured(1) == "\""});
        }
    }
    return all;
}

QString place(const Include& include) {
    return QString("%1:%2 includes %3").arg(include.file).arg(include.line).arg(include.target);
}

// Header and source of one name.
QString unit_of(const QString& path) { return path.left(path.lastIndexOf('.')); }

// Tarjan's strongly connected components, of more than one unit.
class Circles {
  public:
    explicit Circles(const QMap<QString, QSet<QString>>& includes) : includes_(includes) {
        for (auto it = includes.begin(); it != includes.end(); ++it) {
            if (!index_.contains(it.key())) visit(it.key());
        }
    }
    const QList<QSet<QString>>& all() const { return all_; }

  private:
    void visit(const QString& unit) {
        index_[unit] = lowest_[unit] = static_cast<int>(index_.size());
        stack_.append(unit);
        for (const QString& target : includes_.value(unit)) {
            if (!index_.contains(target))
                visit(target);
            else if (!stack_.contains(target))
                continue;
            lowest_[unit] = std::min(lowest_[unit], lowest_[target]);
        }
        if (lowest_[unit] != index_[unit]) return;
        QSet<QString> circle;
        while (!circle.contains(unit)) circle.insert(stack_.takeLast());
        if (circle.size() > 1) all_.append(circle);
    }

    const QMap<QString, QSet<QString>>& includes_;
    QHash<QString, int> index_;
    QHash<QString, int> lowest_;
    QStringList stack_;
    QList<QSet<QString>> all_;
};

// Functions of a source, by its layout: from the line of the name to the closing brace of the same indent, in a class
// or outside.
struct Function {
    QString name;
    int line;
    int lines;
};

QList<Function> functions_of(const QString& path) {
    static const QRegularExpression raw(R"(R"(\w*)\()");
    static const QRegularExpression no_function(R"(^(namespace|class|struct|enum|union|extern)\b)");
    QList<Function> all;
    QMap<int, std::pair<int, QString>> heads;  // by indent: the last line that may begin one
    QString end_of_text;                       // of a raw string that the line is in
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return all;
    for (int number = 1; !file.atEnd(); ++number) {
        const QString line = QString::fromUtf8(file.readLine());
        if (!end_of_text.isEmpty()) {
            if (line.contains(end_of_text)) end_of_text.clear();
            continue;
        }
        if (const auto begin = raw.match(line); begin.hasMatch()) {
            const QString end = ")" + begin.captured(1) + "\"";
            if (line.indexOf(end, begin.capturedEnd()) < 0) end_of_text = end;
        }
        const QString text = line.trimmed();
        const int indent = static_cast<int>(line.indexOf(text));
        if (text.isEmpty() || text[0] == '#' || (indent != 0 && indent != 4)) continue;
        if (text == "}" && heads.contains(indent)) {
            const auto& [first, name] = heads[indent];
            if (!no_function.match(name).hasMatch()) all.append({name, first, number - first + 1});
        } else if (text[0] != '}' && text[0] != ')') {
            heads[indent] = {number, text};
        }
    }
    return all;
}

struct NamedCircle {
    QSet<QString> units;
    const char* reason;
};

const QList<NamedCircle>& named_circles() {
    static const QList<NamedCircle> kCircles{
        {{"core/autograd/accumulate_grad", "core/autograd/engine", "core/autograd/node", "core/autograd/variable",
          "core/autograd/view_nodes"},
         "a variable knows the node that made it, and nodes hold variables"},
        {{"core/script/parser", "core/script/parser_impl"}, "one parser in several files"},
        {{"core/script/builtin_functions", "core/script/compile", "core/script/convert_to_ssa", "core/script/emitter",
          "core/script/environment", "core/script/resolver", "core/script/schema_matching",
          "core/script/source_function", "core/script/sugared_value", "core/script/type_parser",
          "core/script/upgraders"},
         "compiling a call compiles what it calls"},
        {{"core/nn/expectation", "core/nn/layer", "core/nn/module"},
         "a module knows the layer that it is, and layers are modules"},
        {{"core/study/studies/study_list", "core/study/studies/study_record"},
         "the list is of records, and a record is found in it"},
        {{"core/python/language/code_object", "core/python/language/frame"},
         "a function shows its code, and code its frames"},
        {{"core/python/language/evaluator", "core/python/language/evaluator_state"},
         "the state of an evaluator is its private half"},
        {{"core/formats/pickle/nested_tensors", "core/formats/pickle/special_tensors",
          "core/formats/pickle/tensor_rebuild"},
         "parts of a nested or sparse tensor are tensors"},
        {{"plugins/onnx/export/call", "plugins/onnx/export/exporter", "plugins/onnx/export/rules"},
         "the rule of a node with a graph inside writes that graph"},
        {{"views/common/engine_files", "views/common/far_file_dialog", "views/common/ranks",
          "views/common/session_bridge"},
         "files of the engine are asked for through the bridge, which writes such files; ranks that run together are "
         "the bridge's, which orders all of them"},
        {{"core/session/far_place", "core/session/remote/far_engine"},
         "a place knows the engine that is there, which reports to the place"},
        {{"core/distributed/process_group", "core/distributed/progress", "core/distributed/work",
          "core/distributed/world"},
         "a group of the world starts work, which one thread of the world carries on for all groups"},
    };
    return kCircles;
}

}  // namespace

class TestIncludes : public QObject {
    Q_OBJECT

  private slots:
    void core_includes_downwards_only() {
        const auto all = includes_under("core");
        QVERIFY(all.size() > 100);
        for (const Include& include : all) {
            const QString room = room_of(include.file);
            const QString target = room_of(include.target);
            if (!include.is_ours || !QFile::exists(LOUPE_SOURCE_DIR "/" + include.target)) continue;
            QVERIFY2(target.startsWith("core/"), qPrintable(place(include)));
            QVERIFY2(rank_of(target) <= rank_of(room), qPrintable(place(include)));
            if (target != room) continue;
            const int from = sub_rank_of(include.file);
            const int to = sub_rank_of(include.target);
            QVERIFY2(from < 0 || to < 0 || to <= from, qPrintable(place(include)));
        }
    }
    void files_include_each_other_in_named_circles_only() {
        QMap<QString, QSet<QString>> units;
        for (const char* folder : {"core", "plugins", "views", "app"}) {
            for (const Include& include : includes_under(folder)) {
                if (!include.is_ours || room_of(include.target).isEmpty() ||
                    unit_of(include.target) == unit_of(include.file))
                    continue;
                units[unit_of(include.file)].insert(unit_of(include.target));
            }
        }
        QSet<const NamedCircle*> seen;
        const Circles circles(units);
        for (const QSet<QString>& circle : circles.all()) {
            const auto& named = named_circles();
            const auto found = std::find_if(named.begin(), named.end(),
                                            [&](const NamedCircle& each) { return each.units.contains(circle); });
            QVERIFY2(found != named.end(),
                     qPrintable("a circle: " + QStringList(circle.begin(), circle.end()).join(", ")));
            seen.insert(&*found);
        }
        for (const NamedCircle& each : named_circles()) {
            QVERIFY2(seen.contains(&each), qPrintable(QString("no circle any more: ") + each.reason));
        }
    }
    void core_plugins_and_cli_know_no_qt() {
        static const QRegularExpression qt(R"(^(Q[A-Z]\w*|Qt\w*/.*|Qsci/.*|qcustomplot\.h|imgui.*)$)");
        for (const char* folder : {"core", "plugins", "app/cli"}) {
            for (const Include& include : includes_under(folder)) {
                QVERIFY2(!qt.match(include.target).hasMatch(), qPrintable(place(include)));
            }
        }
    }
    // The values that the door takes and gives stand in the rooms that serve them; nothing else of those rooms is for
    // views.
    void views_know_only_the_session() {
        static const QMap<QString, QStringList> doors{
            {"core/session",
             {"breakpoint", "catalogue", "condition", "far_place", "generation", "imported_file", "limits",
              "rank_file_name", "rank_files", "rank_process", "rank_steps", "restored_run", "session",
              "session_listener", "status", "tables", "watch", "watched_programs"}},
            {"core/formats", {"memory_snapshot", "profile_trace"}},
            {"core/model",
             {"backward_from", "build", "data_sources", "input_preview", "input_spec", "model_info", "opened_graph",
              "pass_trace", "recipes", "sampling", "token_info", "weights"}},
            {"core/record",
             {"chrome_trace", "frame_values", "gradient_row", "memory_sums", "not_finite", "operator_times",
              "recording", "run_options", "statistics", "tensor_slice", "value_change"}},
            {"core/study", {"aligned_side",    "compilation",      "explanation",     "fused_groups",
                            "gradient_health", "memory_plan",      "operator_info",   "operator_reference",
                            "pass_bisect",     "pass_check",       "profile_flame",   "profile_statistics",
                            "profile_streams", "flame_difference", "rank_events",     "rank_layers",
                            "rank_report",     "reference",        "run_differences", "snapshot_history",
                            "study",           "study_picture",    "verdict",         "what_if"}},
            {"core/train", {"training", "training_norms", "training_watch"}},
        };
        for (const char* folder : {"views", "app/window"}) {
            for (const Include& include : includes_under(folder)) {
                const QString target = room_of(include.target);
                if (!target.startsWith("core/") || target == "core/base") continue;
                if (include.target.startsWith("core/session/queries/")) continue;
                const QString header = include.target.section('/', -1).section('.', 0, 0);
                QVERIFY2(doors.value(target).contains(header), qPrintable(place(include)));
            }
        }
    }
    // The command line opens, runs and asks as a session does, through the rooms that the session stands on.
    void the_command_line_knows_the_upper_rooms() {
        static const QStringList rooms{"base",  "formats", "model",  "record",     "study",
                                       "train", "session", "plugin", "distributed"};
        static const QStringList named{
            "core/autograd/variable.h",            // which of the outputs have gradients
            "core/data/loader.h",                  // `data` reads batches as a training does
            "core/ops/random/generator.h",         // --seed
            "core/python/language/file_notice.h",  // what a source's writing is noted by
            "core/python/model_source.h",          // a source that runs whole, as a program
            "core/runtime/interpreter/print.h",    // what a program prints
        };
        for (const Include& include : includes_under("app/cli")) {
            const QString target = room_of(include.target);
            if (!include.is_ours || target == "app") continue;
            QVERIFY2(rooms.contains(target.section('/', 1)) || named.contains(include.target),
                     qPrintable(place(include)));
        }
    }
    void plugins_know_no_views() {
        for (const Include& include : includes_under("plugins")) {
            QVERIFY2(room_of(include.target) != "views" && room_of(include.target) != "app",
                     qPrintable(place(include)));
        }
    }
    void functions_fit_on_a_page() {
        int count = 0;
        for (const char* folder : {"core", "plugins", "views", "app", "tests"}) {
            QDirIterator files(QString(LOUPE_SOURCE_DIR "/") + folder, {"*.h", "*.cpp", "*.cu"}, QDir::Files,
                               QDirIterator::Subdirectories);
            while (files.hasNext()) {
                const QString path = files.next();
                for (const Function& each : functions_of(path)) {
                    ++count;
                    QVERIFY2(
                        each.lines < 80,
                        qPrintable(
                            QString("%1:%2: %3 lines: %4").arg(path).arg(each.line).arg(each.lines).arg(each.name)));
                }
            }
        }
        QVERIFY(count > 10000);
    }
    // Two types of one name are one to the linker, which keeps the functions of either.
    void every_type_has_a_name_of_its_own() {
        static const QRegularExpression scope(R"(^namespace ?([\w:]*) ?\{)");
        static const QRegularExpression type(R"(^(?:struct|class) (\w+)(?: final)?(?: : [^;]*)? ?\{)");
        QHash<QString, QString> owners;
        for (const char* folder : {"core", "plugins", "views", "app"}) {
            QDirIterator files(QString(LOUPE_SOURCE_DIR "/") + folder, {"*.h", "*.cpp"}, QDir::Files,
                               QDirIterator::Subdirectories);
            while (files.hasNext()) {
                QFile file(files.next());
                QVERIFY(file.open(QIODevice::ReadOnly));
                QStringList scopes;
                while (!file.atEnd()) {
                    const QString line = QString::fromUtf8(file.readLine());
                    if (const auto match = scope.match(line); match.hasMatch()) scopes << match.captured(1);
                    if (line.startsWith("}  // namespace") && !scopes.isEmpty()) scopes.removeLast();
                    const auto match = type.match(line);
                    if (!match.hasMatch() || scopes.contains(QString())) continue;
                    const QString name = (scopes << match.captured(1)).join("::");
                    scopes.removeLast();
                    QVERIFY2(!owners.contains(name),
                             qPrintable(name + " is in " + owners.value(name) + " and " + file.fileName()));
                    owners.insert(name, file.fileName());
                }
            }
        }
        QVERIFY(owners.size() > 300);
    }
    // A model source touches files through its sandbox, which is in core/base: nothing else of its room knows a file
    // system.
    void sources_touch_files_in_their_sandbox_only() {
        static const QRegularExpression include(
            R"(^\s*#\s*include\s*<(fstream|fcntl\.h|unistd\.h|dirent\.h|ftw\.h|glob\.h|spawn\.h|netdb\.h|sys/.*|netinet/.*|arpa/.*|linux/.*)>)");
        static const QRegularExpression call(
            R"((?:\b(?:fopen|freopen|tmpfile|mkdtemp|mkstemp|popen|execv\w*|dlopen|getenv|setenv|current_path|temp_directory_path|directory_iterator|recursive_directory_iterator|read_text_file|write_file_atomically)\s*\(|MappedFile::open\b|AtomicFile\b|fs::(?:absolute|canonical|weakly_canonical|copy|create_\w+|exists|equivalent|file_size|is_\w+|last_write_time|permissions|read_symlink|remove|remove_all|rename|resize_file|space|status|symlink_status)\(|[^\w.>:]::(?:open|openat|stat|lstat|unlink|rename|mkdir|rmdir|access|socket|connect|fork|system)\())");
        // What the user named on the command line, or opened in the window; names of this process's environment; where
        // it was started.
        static const QMap<QString, QStringList> allowed{
            {"core/python/model_source.cpp", {"read_text_file("}},
            // Pages and tests beside the source, which say how its classes are made: no code of it runs there.
            {"core/python/guess/nearby_texts.cpp",
             {"fs::is_regular_file(", "fs::symlink_status(", "fs::file_size(", "read_text_file("}},
            // Whether a package lies beside the program's own, before it is permitted.
            {"core/python/language/import.cpp", {"fs::is_regular_file(", "fs::symlink_status("}},
            {"core/python/pretrained_folder.cpp", {"fs::is_regular_file(", "fs::file_size(", "read_text_file("}},
            {"core/python/language/evaluator.cpp", {"read_text_file(", "getenv(", "current_path("}}};
        int files = 0;
        QDirIterator at(QString(LOUPE_SOURCE_DIR "/core/python"), {"*.h", "*.cpp"}, QDir::Files,
                        QDirIterator::Subdirectories);
        while (at.hasNext()) {
            const QString path = at.next();
            const QString name = path.mid(static_cast<int>(qstrlen(LOUPE_SOURCE_DIR "/")));
            QFile file(path);
            QVERIFY(file.open(QIODevice::ReadOnly));
            ++files;
            int number = 0;
            bool is_python = false;  // modules that are written in Python go through the natives
            while (!file.atEnd()) {
                const QString line = QString::fromUtf8(file.readLine());
                ++number;
                is_python = (is_python || line.contains("R\"py(")) && !line.contains(")py\"");
                if (is_python || line.trimmed().startsWith("//")) continue;
                const QString place = QString("%1:%2: %3").arg(name).arg(number).arg(line.trimmed());
                const bool is_of_stacks = name == "core/python/language/fiber.cpp";  // maps the stacks of generators
                QVERIFY2(is_of_stacks || !include.match(line).hasMatch(), qPrintable(place));
                const auto match = call.match(line);
                const bool is_allowed = match.hasMatch() && allowed.value(name).contains(match.captured(0));
                QVERIFY2(!match.hasMatch() || is_allowed, qPrintable(place));
            }
        }
        QVERIFY(files > 100);
    }
    // One writer knows what may be replaced and leaves nothing half written.
    void panels_write_with_the_engines_writer() {
        static const QRegularExpression writer(
            R"(\bQSaveFile\b|\bQTemporaryFile\b|\bofstream\b|QIODevice::(?:WriteOnly|ReadWrite|Append)|\.savePdf\(|\.savePng\(|grab\(\)\.save\(|svg\.setFileName\()");
        for (const char* folder : {"views", "app/window"}) {
            QDirIterator files(QString(LOUPE_SOURCE_DIR "/") + folder, {"*.h", "*.cpp"}, QDir::Files,
                               QDirIterator::Subdirectories);
            while (files.hasNext()) {
                const QString path = files.next();
                if (path.endsWith("/views/common/file_output.cpp")) continue;
                QFile file(path);
                QVERIFY(file.open(QIODevice::ReadOnly));
                for (int number = 1; !file.atEnd(); ++number) {
                    const QString line = QString::fromUtf8(file.readLine());
                    // A buffer in memory is no file.
                    QVERIFY2(!writer.match(line).hasMatch() || line.contains("buffer", Qt::CaseInsensitive),
                             qPrintable(QString("%1:%2: %3").arg(path).arg(number).arg(line.trimmed())));
                }
            }
        }
    }
    void every_source_names_its_licence() {
        for (const char* folder : {"core", "plugins", "views", "app"}) {
            QDirIterator files(QString(LOUPE_SOURCE_DIR "/") + folder, {"*.h", "*.cpp"}, QDir::Files,
                               QDirIterator::Subdirectories);
            while (files.hasNext()) {
                const QString path = files.next();
                QFile file(path);
                QVERIFY(file.open(QIODevice::ReadOnly));
                const QString first = QString::fromUtf8(file.readLine()).trimmed();
                const bool is_view = path.contains("/views/") || path.contains("/app/window/");
                const QString want =
                    is_view ? "// SPDX-License-Identifier: GPL-3.0-or-later" : "// SPDX-License-Identifier: Apache-2.0";
                QVERIFY2(first == want, qPrintable(path + ": " + first));
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestIncludes)
#include "test_includes.moc"

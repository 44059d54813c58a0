// SPDX-License-Identifier: Apache-2.0
// Arguments and inputs that nothing says: found in texts nearby, or guessed and tried.
#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/file.h"
#include "core/python/guess/example_calls.h"
#include "core/python/guess/layer_inputs.h"
#include "core/python/guess/value_names.h"
#include "core/python/model_source.h"

using namespace loupe;
using namespace loupe::python;

namespace {

const QString kHead = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n\n\n";

QString shapes_of(const ModelFile& file) {
    QStringList out;
    for (const InputGuess& guess : file.eager->guess_inputs()) {
        if (guess.literal) {
            out << QString::fromStdString(*guess.literal);
            continue;
        }
        QStringList sizes;
        for (const std::int64_t size : guess.shape) sizes << QString::number(size);
        const bool is_token = guess.dtype == ScalarType::Int64;
        out << sizes.join('x') + (is_token ? QString(" tokens below %1").arg(guess.high) : QString());
    }
    return out.join(", ");
}

}  // namespace

class TestGuesses : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string write(const QString& name, const QString& text) const {
        QDir(folder_.path()).mkpath(QFileInfo(name).path());
        const std::string path = folder_.filePath(name).toStdString();
        write_file_atomically(path, text.toStdString());
        return path;
    }

  private slots:
    void annotations() {
        QCOMPARE(plain_annotation("Optional[int]"), std::string("int"));
        QCOMPARE(plain_annotation("'Tensor | None'"), std::string("Tensor"));
        QCOMPARE(plain_annotation("Union[None, Tuple[int, int]]"), std::string("Tuple[int, int]"));
        const ParameterFacts none;
        QCOMPARE(values_by_annotation("int", "num_heads", none, {}).front(), std::string("4"));
        QCOMPARE(values_by_annotation("Tuple[int, int, int]", "sizes", none, {}).front(), std::string("(64, 64, 64)"));
        QCOMPARE(values_by_annotation("Literal['a', 'b']", "kind", none, {}).front(), std::string("'a'"));
    }

    void patterns() {
        QCOMPARE(dimensions_of_pattern("b c (h p1) (w p2) -> b (h w) (p1 p2 c)"), 4U);
        QCOMPARE(dimensions_of_pattern("b n d -> b d n"), 3U);
        QCOMPARE(dimensions_of_pattern("b ... d -> b d"), 0U);
    }

    void callsInPages() {
        const auto blocks =
            python_blocks("# Net\n\n```python\nimport torch\nx = 3\n```\ntext\n\n    >>> y = Net(2)\n    >>> y\n");
        QCOMPARE(blocks.size(), 2U);
        QCOMPARE(blocks[1], std::string("y = Net(2)\ny\n"));
        const std::string page =
            "import torch\nfrom nets import Net, Part\nsize, deep = 8, 2\npart = Part(dim=size)\n"
            "net = Net(\n    part = part,  # inside\n    depth = deep\n).eval()\nx = torch.randn(1, size)\nout = "
            "net(x)\n";
        const auto calls = find_example_calls(page, "README.md", "Net",
                                              [](std::string_view name) { return name == "torch" || name == "Part"; });
        QCOMPARE(calls.size(), 1U);
        QCOMPARE(calls[0].expression, std::string("Net(part=Part(dim=8), depth=2)"));
        QCOMPARE(calls[0].inputs.size(), 1U);
        QCOMPARE(calls[0].inputs[0], std::string("torch.randn(1, 8)"));
        // A name that is not known makes no example.
        QVERIFY(find_example_calls("net = Net(unknown)\n", "x", "Net", [](auto) { return false; }).empty());
        QVERIFY(find_example_calls("net = Net((\n", "x", "Net", [](auto) { return false; }).empty());
    }

    void sources_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("built");
        QTest::addColumn<QString>("inputs");
        const auto net = [](const QString& arguments, const QString& body, const QString& forward) {
            return kHead + "class Net(nn.Module):\n    def __init__(self, " + arguments +
                   "):\n        super().__init__()\n" + body + "\n" + forward;
        };
        QTest::newRow("heads divide the width") << net("embed_dim: int, num_heads: int",
                                                       "        assert embed_dim % num_heads == 0\n        self.a = "
                                                       "nn.MultiheadAttention(embed_dim, num_heads)\n",
                                                       "    def forward(self, x):\n        return self.a(x, x, x)[0]\n")
                                                << "Net(embed_dim=64, num_heads=4)"
                                                << "16x1x64";
        QTest::newRow("channels and classes")
            << net("in_channels, out_channels, num_classes",
                   "        self.c = nn.Conv2d(in_channels, out_channels, 3, padding=1)\n        self.f = "
                   "nn.Linear(out_channels, num_classes)\n",
                   "    def forward(self, image):\n        return self.f(self.c(image).mean((2, 3)))\n")
            << "Net(in_channels=3, out_channels=64, num_classes=10)"
            << "1x3x32x32";
        QTest::newRow("settings by what is read of them")
            << net("config",
                   "        self.e = nn.Embedding(config.vocab_size, config.hidden_size)\n        self.n = "
                   "nn.ModuleList([nn.Linear(config.hidden_size, config.hidden_size) for _ in "
                   "range(config.num_layers)])\n",
                   "    def forward(self, ids):\n        x = self.e(ids)\n        for n in self.n:\n            x = "
                   "n(x)\n      "
                   "  return x\n")
            << "Net(config=__import__('types').SimpleNamespace(hidden_size=64, num_layers=2, vocab_size=256))"
            << "1x16 tokens below 256";
        QTest::newRow("a dict of settings") << net("cfg", "        self.f = nn.Linear(cfg['dim'], cfg.get('out', 5))\n",
                                                   "    def forward(self, x):\n        return self.f(x)\n")
                                            << "Net(cfg={'dim': 64, 'out': 5})"
                                            << "1x64";
        QTest::newRow("layers are chosen by a text")
            << net("norm",
                   "        if norm == 'batch':\n            self.n = nn.BatchNorm1d(4)\n        elif norm == "
                   "'layer':\n  "
                   "          self.n = nn.LayerNorm(4)\n        else:\n            raise ValueError(norm)\n",
                   "    def forward(self, x):\n        return self.n(x)\n")
            << "Net(norm='batch')"
            << "2x4";
        QTest::newRow("lists as long as they are read")
            << net("sizes",
                   "        a, b, c = sizes\n        self.f = nn.Sequential(nn.Linear(a, b), nn.Linear(b, c))\n",
                   "    def forward(self, x):\n        return self.f(x)\n")
            << "Net(sizes=[64, 64, 64])"
            << "1x64";
        QTest::newRow("a module in a module")
            << kHead +
                   "class Encoder(nn.Module):\n    def __init__(self, dim):\n        super().__init__()\n        "
                   "self.f = "
                   "nn.Linear(dim, dim)\n\n    def forward(self, x):\n        return self.f(x)\n\n\nclass "
                   "Net(nn.Module):\n    def __init__(self, encoder: Encoder):\n        super().__init__()\n        "
                   "self.encoder = encoder\n        self.h = nn.Linear(encoder.f.out_features, 2)\n\n    def "
                   "forward(self, x):\n        return self.h(self.encoder(x))\n"
            << "Net(encoder=Encoder(dim=64))"
            << "1x64";
        QTest::newRow("a data class of settings")
            << "from dataclasses import dataclass\n" + kHead +
                   "@dataclass\nclass Settings:\n    width: int\n    depth: int = 3\n\n\nclass Net(nn.Module):\n    "
                   "def "
                   "__init__(self, settings: Settings):\n        super().__init__()\n        self.f = "
                   "nn.Linear(settings.width, settings.depth)\n\n    def forward(self, x):\n        return self.f(x)\n"
            << "Net(settings=Settings(width=64))"
            << "1x64";
        QTest::newRow("two arguments of forward")
            << net("dim", "        self.q = nn.Linear(dim, dim)\n        self.k = nn.Linear(2 * dim, dim)\n",
                   "    def forward(self, query, key):\n        return self.q(query) @ self.k(key).transpose(-1, -2)\n")
            << "Net(dim=64)"
            << "1x64, 1x128";
        QTest::newRow("a default of the file")
            << net("depth, width=12", "        self.f = nn.Linear(width, depth)\n",
                   "    def forward(self, x):\n        return self.f(x)\n\n\ndef make(depth=7):\n    return None\n")
            << "Net(depth=7)"
            << "1x12";
    }
    void sources() {
        QFETCH(QString, text);
        QFETCH(QString, built);
        QFETCH(QString, inputs);
        const ModelFile file = open_model_source(write("alone/net.py", text));
        QVERIFY(file.module != nullptr);
        QCOMPARE(QString::fromStdString(file.built_as), built);
        QCOMPARE(QString::fromStdString(file.guessed_from), QString("names and uses"));
        QCOMPARE(shapes_of(file), inputs);
    }

    void aPageNearbySaysIt() {
        write("site/nets/__init__.py", "from nets.net import Net\n");
        write("site/nets-1.0.dist-info/METADATA",
              "Name: nets\n\n```python\nimport torch\nfrom nets import Net\n\nnet = Net(\n    dim = 24,\n    kind = "
              "'b'\n)\n\nx = "
              "torch.randn(2, 5, 24)\ny = net(x)\n```\n");
        const std::string path =
            write("site/nets/net.py", kHead +
                                          "class Net(nn.Module):\n    def __init__(self, dim, kind):\n        "
                                          "super().__init__()\n        assert dim == 24 and kind == 'b'\n        "
                                          "self.f = nn.Linear(dim, 3)\n\n    def forward(self, "
                                          "x):\n        b, n, d = x.shape\n        return self.f(x)\n");
        const ModelFile file = open_model_source(path);
        QCOMPARE(file.built_as, std::string("Net(dim=24, kind='b')"));
        QCOMPARE(file.guessed_from, std::string("METADATA"));
        QCOMPARE(shapes_of(file), QString("2x5x24"));
    }

    // A wrapper's net is a class of another file of the package, by what is read of it; of the source, by isinstance().
    void wrappedNets() {
        write("wraps/__init__.py", "");
        write("wraps/net.py", kHead +
                                  "class Core(nn.Module):\n    def __init__(self, dim):\n        "
                                  "super().__init__()\n        self.max_seq_len = 7\n        self.f = "
                                  "nn.Linear(dim, dim)\n\n    def forward(self, x):\n        return "
                                  "self.f(x)\n\n\nclass Language(nn.Module):\n    def __init__(self, num_tokens, "
                                  "dim):\n        super().__init__()\n        self.max_seq_len = 7\n        self.e = "
                                  "nn.Embedding(num_tokens, dim)\n        self.core = Core(dim)\n\n    def "
                                  "forward(self, x):\n        return self.core(self.e(x))\n");
        const std::string wrapper =
            write("wraps/wrapper.py", kHead +
                                          "class Wrapper(nn.Module):\n    def __init__(self, net, pad=0):\n        "
                                          "super().__init__()\n        self.net = net\n        self.length = "
                                          "net.max_seq_len\n\n    def forward(self, x):\n        return "
                                          "self.net(x[:, :self.length])\n");
        const ModelFile file = open_model_source(wrapper);
        QCOMPARE(file.built_as, std::string("Wrapper(net=__import__('wraps.net', fromlist=['net']).Language("
                                            "num_tokens=256, dim=64))"));
        QCOMPARE(shapes_of(file), QString("1x16 tokens below 256"));
        const std::string checked = write("wraps/checked.py", kHead +
                                                                  "from wraps.net import Core\n\n\nclass "
                                                                  "Padder(nn.Module):\n    def __init__(self, "
                                                                  "net):\n        super().__init__()\n        assert "
                                                                  "isinstance(net, (Core, nn.GRU)), 'only'\n        "
                                                                  "self.net = net\n\n    def forward(self, x):\n"
                                                                  "        return self.net(x)\n");
        QCOMPARE(open_model_source(checked).built_as, std::string("Padder(net=Core(dim=64))"));
    }

    // What errors say of shapes is what is tried next.
    void shapesByErrors_data() {
        QTest::addColumn<QString>("init");
        QTest::addColumn<QString>("forward");
        QTest::addColumn<QString>("inputs");
        QTest::newRow("images that are too small") << "self.c = nn.Conv2d(3, 4, 3)\n        self.p = nn.AvgPool2d(60)"
                                                   << "def forward(self, x):\n        return self.p(self.c(x))"
                                                   << "1x3x64x64";
        QTest::newRow("tokens of an image with a class token")
            << "self.c = nn.Conv2d(3, 8, 4, 4)\n        self.t = nn.Parameter(torch.zeros(1, 1, 8))\n        self.p = "
               "nn.Parameter(torch.zeros(1, 257, 8))"
            << "def forward(self, x):\n        x = self.c(x).flatten(2).transpose(1, 2)\n        return "
               "torch.cat((self.t, x), 1) + self.p"
            << "1x3x64x64";
        QTest::newRow("channels that stand elsewhere")
            << "self.f = nn.Linear(24, 8)"
            << "def forward(self, x):\n        b, d, n = x.shape\n        return self.f(x.transpose(1, 2))"
            << "1x24x24";
        QTest::newRow("widths that forward adds to")
            << "self.n = nn.LayerNorm(29)"
            << "def forward(self, x):\n        return self.n(torch.cat((x, x.new_zeros(*x.shape[:-1], 26)), -1))"
            << "1x16x3";
        QTest::newRow("two of one shape") << "pass"
                                          << "def forward(self, x, y):\n        assert x.dim() == 2 and "
                                             "x.shape == y.shape and x.shape[0] > 1\n        return x - y"
                                          << "2x16, 2x16";
        QTest::newRow("a list of tensors") << "self.f = nn.Linear(6, 2)"
                                           << "def forward(self, xs: List[torch.Tensor]):\n        return "
                                              "self.f(xs[0])"
                                           << "";
        QTest::newRow("any arguments") << "self.f = nn.Linear(6, 2)"
                                       << "def forward(self, *args, **kwargs):\n        return self.f(*args, **kwargs)"
                                       << "1x6";
    }
    void shapesByErrors() {
        QFETCH(QString, init);
        QFETCH(QString, forward);
        QFETCH(QString, inputs);
        const ModelFile file =
            open_model_source(write("alone/shapes.py", "from typing import List\n" + kHead +
                                                           "class Net(nn.Module):\n    def __init__(self):\n        "
                                                           "super().__init__()\n        " +
                                                           init + "\n\n    " + forward + "\n"));
        QVERIFY(file.module != nullptr);
        if (!inputs.isEmpty()) QCOMPARE(shapes_of(file), inputs);
        const InputGuess first = file.eager->guess_inputs().at(0);
        if (inputs.isEmpty()) QVERIFY(!first.elements.empty() && first.elements[0].shape.back() == 6);
    }

    // geffnet: what no values make, the file's own functions make through each other.
    void functionsThatMakeIt() {
        const std::string path =
            write("alone/variants.py", kHead +
                                           "class Net(nn.Module):\n    def __init__(self, recipe):\n        "
                                           "super().__init__()\n        if recipe != {'stem': (3, 8)}:\n            "
                                           "raise ValueError('recipe')\n        self.f = nn.Linear(*recipe['stem'])\n\n"
                                           "    def forward(self, x):\n        return self.f(x)\n\n\n"
                                           "def _create(cls, recipe, pretrained):\n    return cls(recipe)\n\n\n"
                                           "def _small(width, pretrained=False):\n    return _create(Net, {'stem': (3, "
                                           "width)}, pretrained)\n\n\ndef other():\n    return 3\n\n\n"
                                           "def net_small(pretrained=True, **kwargs):\n    return _small(8, "
                                           "pretrained)\n");
        const ModelFile file = open_model_source(path);
        QCOMPARE(file.built_as, std::string("net_small(pretrained=False)"));
        QCOMPARE(shapes_of(file), QString("1x3"));
    }

    void someArgumentsAreGiven() {
        const std::string path = write(
            "alone/given.py", kHead +
                                  "class Net(nn.Module):\n    def __init__(self, dim, depth, act=nn.ReLU):\n        "
                                  "super().__init__()\n        self.f = nn.Linear(dim, depth)\n\n    def "
                                  "forward(self, x):\n        return self.f(x)\n");
        QCOMPARE(open_model_source(path, "Net").built_as, std::string("Net(dim=64, depth=2)"));
        QCOMPARE(open_model_source(path, "Net(..., depth=9)").built_as, std::string("Net(dim=64, depth=9)"));
        QCOMPARE(open_model_source(path, "...(dim=5)").built_as, std::string("Net(depth=2, dim=5)"));
        const ModelFile whole = open_model_source(path, "Net(3, 4)");
        QVERIFY(whole.built_as.empty() && whole.guessed_from.empty());
        QCOMPARE(whole.constructors[0].parameters[0].guess, std::string("64"));
        QVERIFY(whole.constructors[0].parameters[2].guess.empty());
    }

    void whatCannotBeMadeIsSaid() {
        const std::string path =
            write("alone/never.py", kHead +
                                        "class Net(nn.Module):\n    def __init__(self, recipe):\n        "
                                        "super().__init__()\n        raise ValueError('no such "
                                        "recipe')\n\n    def forward(self, x):\n        return x\n");
        try {
            open_model_source(path);
            QFAIL("a model was made");
        } catch (const ModelNeeded& error) {
            const QString said = QString::fromStdString(error.message());
            QVERIFY2(said.startsWith("Net needs constructor arguments (ValueError: no such recipe (") &&
                         said.contains("never.py:9), with the guess Net("),
                     qPrintable(said));
            QCOMPARE(error.constructors.size(), 1U);
        }
    }

    // An assert without a message is its own text; what is guessed is called a guess; a trial whose time ends says
    // where.
    void whatStoodInTheWayIsSaid_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QStringList>("parts");
        QTest::newRow("assert") << "assert False and recipe"
                                << QStringList{"AssertionError: assert False and recipe (",
                                               ".py:9), with the guess Net("};
        QTest::newRow("guess") << "raise AttributeError('no ' + type(recipe).__name__)"
                               << QStringList{"AttributeError: no ", ".py:9), with the guess Net("};
        QTest::newRow("time") << "while True: pass"
                              << QStringList{"takes too long: stopped after ", " s at `", ".py:9)"};
    }
    void whatStoodInTheWayIsSaid() {
        QFETCH(QString, body);
        QFETCH(QStringList, parts);
        const std::string path = write(
            QStringLiteral("alone/way_%1.py").arg(QTest::currentDataTag()),
            kHead + "class Net(nn.Module):\n    def __init__(self, recipe):\n        super().__init__()\n        " +
                body + "\n\n    def forward(self, x):\n        return x\n");
        try {
            open_model_source(path);
            QFAIL("a model was made");
        } catch (const ModelNeeded& error) {
            const QString said = QString::fromStdString(error.message());
            for (const QString& part : parts) QVERIFY2(said.contains(part), qPrintable(said));
        }
    }

    // Neither a loop without an end nor a model of any size keeps it from opening.
    void trialsEnd() {
        const std::string path =
            write("alone/slow.py", kHead +
                                       "class Net(nn.Module):\n    def __init__(self, width):\n        "
                                       "super().__init__()\n        while width != 128:\n            pass\n"
                                       "\n    def forward(self, x):\n        return x\n");
        QElapsedTimer clock;
        clock.start();
        try {
            open_model_source(path);
        } catch (const ModelNeeded&) {
        }
        QVERIFY(clock.elapsed() < 40'000);
    }
};

QTEST_GUILESS_MAIN(TestGuesses)
#include "test_guesses.moc"

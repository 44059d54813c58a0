// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include <map>
#include <utility>

#include "tests/fuzz/archive_entries.h"
#include "tests/fuzz/fuzz_cases.h"

namespace loupe::fuzz {
namespace {

using namespace std::string_literals;
using Entries = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t kDeep = 100'000;

std::string repeated(std::string_view text, std::size_t count) {
    std::string out;
    out.reserve(text.size() * count);
    for (std::size_t i = 0; i < count; ++i) out += text;
    return out;
}

std::string archive_of(const Entries& entries) {
    std::vector<Entry> all;
    for (const auto& [name, text] : entries) all.push_back({"m/" + name, text});
    return fuzz::archive_of(all);
}

std::string pickled(const std::string& body) { return "\x80\x02" + body + "."; }

// A module of one class, "__torch__.M", whose state is the items.
std::string module_pickle(const std::string& items = "") { return pickled("c__torch__\nM\n)\x81}(" + items + "ub"); }

std::string script(const std::string& code, const std::string& data = module_pickle(),
                   const std::string& constants = pickled(")")) {
    return archive_of(
        {{"data.pkl", data}, {"code/__torch__.py", code}, {"constants.pkl", constants}, {"version", "3\n"}});
}

const std::string kHead = "class M(Module):\n  __parameters__ = []\n  __buffers__ = []\n";

std::string with_body(const std::string& body) {
    return script(kHead + "  def forward(self, x: Tensor) -> Tensor:\n" + body);
}

void visit_pickles(const Visit& visit) {
    const std::map<std::string, std::string> bodies{
        {"os.system", "cos\nsystem\nX\x04\0\0\0true\x85R"s},
        {"eval by stack", "\x8c\x08"s + "builtins\x8c\x04" + "eval\x93\x8c\x01" + "1\x85R"},
        {"nested lists", std::string(kDeep, ']') + std::string(kDeep - 1, 'a')},
        {"nested tuples", ")" + std::string(kDeep, '\x85')},
        {"nested dicts", repeated("}K\x01", kDeep) + "N" + std::string(kDeep, 's')},
        {"nested calls", repeated("ctorch\nSize\n", kDeep) + ")" + repeated("\x85R", kDeep)},
        {"nested persistent ids", "N" + std::string(kDeep, 'Q')},
        {"nested marks", std::string(kDeep, '(') + "N"},
        {"doubling", "K\x01" + repeated("2\x86", 70)},
        {"list in itself", "]q\0h\0a"s},
        {"dict in itself", "}q\0K\1h\0s"s},
        {"object in itself", "c__torch__\nM\n)\x81q\0}X\1\0\0\0ah\0sb"s},
        {"state in itself", "c__torch__\nM\n)\x81q\0h\0b"s},
        {"nested parameters", repeated("ctorch._utils\n_rebuild_parameter\n(", 1000) + "N" + repeated("\x88tR", 1000)},
        {"tag that nests", "ctorch.jit._pickle\nrestore_type_tag\n]X\xa0\x0f\0\0"s + repeated("List[", 800) + "\x86R"},
        {"no class", "c__torch__\nNone\n)\x81}b"},
        {"class that is a function", "c__torch__\nf\n)\x81}b"},
        {"class without a state", "c__torch__\nM\n)\x81"},
        {"memo far away", "Nr\xff\xff\xff\xffj\xff\xff\xff\xff"},
        {"string without end", "X\xff\xff\xff\xff"},
        {"bytes without end", "\x8e\xff\xff\xff\xff\xff\xff\xff\x7f"},
        {"long without end", "\x8b\xff\xff\xff\x7f"},
    };
    for (const auto& [name, body] : bodies) {
        const std::string code = kHead + "  a : Any\ndef f(x: Tensor) -> Tensor:\n  return x\n";
        visit("module of " + name, ".pt", script(code, pickled(body)));
        visit("attribute of " + name, ".pt", script(code, module_pickle("X\1\0\0\0a"s + body)));
        visit("constant of " + name, ".pt", script(code, module_pickle("X\1\0\0\0aN"s), pickled(body + "\x85")));
        visit("checkpoint of " + name, ".pth", archive_of({{"data.pkl", pickled(body)}, {"version", "3\n"}}));
        visit("debug records of " + name, ".pt",
              archive_of({{"data.pkl", module_pickle("X\1\0\0\0aN"s)},
                          {"code/__torch__.py", code},
                          {"code/__torch__.py.debug_pkl", pickled(body)},
                          {"constants.pkl", pickled(")")},
                          {"version", "3\n"}}));
    }
}

void visit_code(const Visit& visit) {
    const std::string deep(5000, ' ');
    const std::map<std::string, std::string> bodies{
        {"nested parentheses", "    return " + std::string(kDeep, '(') + "x" + std::string(kDeep, ')') + "\n"},
        {"open parentheses", "    return " + std::string(kDeep, '(') + "\n"},
        {"nested lists", "    return " + std::string(kDeep, '[') + std::string(kDeep, ']') + "\n"},
        {"nested calls", "    return " + repeated("torch.neg(", kDeep) + "x" + std::string(kDeep, ')') + "\n"},
        {"chain of attributes", "    return x" + repeated(".data", kDeep) + "\n"},
        {"chain of subscripts", "    return x" + repeated("[0]", kDeep) + "\n"},
        {"chain of minus", "    return " + std::string(kDeep, '-') + "x\n"},
        {"chain of not", "    return " + repeated("not ", kDeep) + "x\n"},
        {"chain of sums", "    return x" + repeated(" + x", kDeep) + "\n"},
        {"chain of powers", "    return x" + repeated("**x", kDeep) + "\n"},
        {"chain of comparisons", "    return x" + repeated(" < x", kDeep) + "\n"},
        {"chain of ternaries", "    return x" + repeated(" if True else x", kDeep) + "\n"},
        {"long assignment", "    " + repeated("x = ", kDeep) + "x\n    return x\n"},
        {"huge number", "    return torch.add(x, " + std::string(kDeep, '9') + ")\n"},
        {"huge float", "    return torch.add(x, 1e" + std::string(kDeep, '9') + ")\n"},
        {"open string", "    return \"" + deep + "\n"},
        {"no such operator", "    return torch.no_such_operator(x)\n"},
        {"no such constant", "    return torch.add(x, CONSTANTS.c7)\n"},
        {"calls itself", "    return (self).forward(x, )\n"},
        {"text of a terabyte", "    s = torch.ljust(\"x\", 1099511627776)\n    return torch.add(x, torch.len(s))\n"},
        {"zeros of a terabyte", "    s = torch.zfill(\"1\", 1099511627776)\n    return torch.add(x, torch.len(s))\n"},
        {"tabs of a terabyte",
         "    s = torch.expandtabs(\"\\t\", 1099511627776)\n    return torch.add(x, torch.len(s))\n"},
        {"list of a terabyte", "    s = torch.mul([1, 2], 1099511627776)\n    return torch.add(x, torch.len(s))\n"},
        {"division by zero", "    return torch.add(x, torch.floordiv(1, 0))\n"},
        {"remainder of the smallest number", "    return torch.add(x, torch.remainder(-9223372036854775808, -1))\n"},
        {"quotient of the smallest number", "    return torch.add(x, torch.floordiv(-9223372036854775808, -1))\n"},
        {"shift too far", "    return torch.add(x, torch.__lshift__(1, 64))\n"},
        {"shift back", "    return torch.add(x, torch.__rshift__(1, -1))\n"},
        {"overflow", "    return torch.add(x, torch.mul(9223372036854775807, 9223372036854775807))\n"},
        {"int of infinity", "    return torch.add(x, int(inf))\n"},
        {"int of nan", "    return torch.add(x, int(nan))\n"},
        {"floor of a huge float", "    return torch.add(x, torch.floor(1e300))\n"},
        {"round of infinity", "    return torch.add(x, torch.round(inf))\n"},
        {"factorial", "    return torch.add(x, torch.factorial(1000000))\n"},
        {"format without arguments", "    return torch.add(x, torch.len(torch.format(\"{}{}{\", 1)))\n"},
        {"chr", "    return torch.add(x, torch.len(torch.chr(-1)))\n"},
        {"slice of text",
         "    return torch.add(x, torch.len(torch.slice(\"abc\", -9223372036854775808, 9223372036854775807, "
         "9223372036854775807)))\n"},
        {"steps of none", "    return torch.add(x, torch.len(torch.slice(\"abc\", 0, 3, 0)))\n"},
        {"negative power", "    return torch.add(x, torch.pow(0, -1))\n"},
        {"abs of the smallest number", "    return torch.add(x, ops.prim.abs(-9223372036854775808))\n"},
        {"negated smallest number", "    return torch.add(x, torch.neg(-9223372036854775808))\n"},
        {"gcd of the smallest numbers",
         "    return torch.add(x, torch.gcd(-9223372036854775808, -9223372036854775808))\n"},
        {"no end", "    while True:\n      pass\n    return x\n"},
        {"bytes", "    return \x01\x02\xff\xfe\n"},
    };
    for (const auto& [name, body] : bodies) visit("code with " + name, ".pt", with_body(body));
    std::string indented;
    for (std::size_t i = 0; i < 2000; ++i) indented += std::string(4 + i, ' ') + "if True:\n";
    visit("code with nested blocks", ".pt", with_body(indented + std::string(4 + 2000, ' ') + "pass\n    return x\n"));
    const std::string type = repeated("List[", kDeep) + "int" + std::string(kDeep, ']');
    visit("code with nested type", ".pt", script(kHead + "  a : " + type + "\n"));
    visit("code with nested argument type", ".pt",
          script(kHead + "  def forward(self, x: " + type + ") -> Tensor:\n    return x\n"));
}

void visit_classes(const Visit& visit) {
    const auto member = [](const std::string& name, const std::string& of) {
        return "class " + name + "(Module):\n  __parameters__ = []\n  __buffers__ = []\n  a : " + of + "\n";
    };
    visit("class that holds itself", ".pt", script(member("M", "__torch__.M")));
    visit("classes in a circle", ".pt",
          script(member("M", "__torch__.A") + member("A", "__torch__.B") + member("B", "__torch__.M")));
    visit("class in a list of itself", ".pt", script(member("M", "List[__torch__.M]"), module_pickle("X\1\0\0\0a]"s)));
    visit("class that is optional in itself", ".pt",
          script(member("M", "Optional[__torch__.M]"), module_pickle("X\1\0\0\0aN"s)));
    std::string chain = member("M", "__torch__.C0");
    for (int i = 0; i < 20'000; ++i) chain += member("C" + std::to_string(i), "__torch__.C" + std::to_string(i + 1));
    visit("chain of classes", ".pt", script(chain));
    visit("class without a body", ".pt", script("class M(Module):\n"));
    visit("class twice", ".pt", script(kHead + "  a : int\n" + kHead + "  a : int\n", module_pickle("X\1\0\0\0aK\1"s)));
    visit("attribute twice", ".pt", script(kHead + "  a : int\n  a : str\n", module_pickle("X\1\0\0\0aK\1"s)));
    visit("method twice", ".pt", script(kHead + repeated("  def f(self) -> int:\n    return 1\n", 2)));
    visit("functions that call each other", ".pt",
          script("def f(x: Tensor) -> Tensor:\n  return __torch__.g(x, )\ndef g(x: Tensor) -> Tensor:\n  return "
                 "__torch__.f(x, )\n" +
                 kHead + "  def forward(self, x: Tensor) -> Tensor:\n    return __torch__.f(x, )\n"));
    visit("state that raises", ".pt",
          script(kHead + "  a : int\n  def __getstate__(self) -> int:\n    return 1\n"
                         "  def __setstate__(self, state: int) -> NoneType:\n    ops.prim.RaiseException(\"no\")\n",
                 pickled("c__torch__\nM\n)\x81K\1b"s)));
    visit("state that sets nothing", ".pt",
          script(kHead + "  a : int\n  def __getstate__(self) -> int:\n    return 1\n"
                         "  def __setstate__(self, state: int) -> NoneType:\n    return None\n",
                 pickled("c__torch__\nM\n)\x81K\1b"s)));
    visit("state of the wrong type", ".pt",
          script(kHead + "  a : int\n  def __getstate__(self) -> int:\n    return 1\n"
                         "  def __setstate__(self, state: int) -> NoneType:\n    self.a = state\n    return None\n",
                 pickled("c__torch__\nM\n)\x81X\1\0\0\0ab"s)));
    visit("state that recurses", ".pt",
          script(kHead + "  a : int\n  def __getstate__(self) -> int:\n    return 1\n"
                         "  def __setstate__(self, state: int) -> NoneType:\n    return (self).__setstate__(state, )\n",
                 pickled("c__torch__\nM\n)\x81K\1b"s)));
    visit(
        "state that never ends", ".pt",
        script(kHead +
                   "  a : int\n  def __getstate__(self) -> int:\n    return 1\n"
                   "  def __setstate__(self, state: int) -> NoneType:\n    _0 = True\n    while _0:\n      self.a = 1\n"
                   "    return None\n",
               pickled("c__torch__\nM\n)\x81K\1b"s)));
    visit(
        "state that wants a terabyte", ".pt",
        script(kHead + "  a : Tensor\n  def __getstate__(self) -> int:\n    return 1\n"
                       "  def __setstate__(self, state: int) -> NoneType:\n    self.a = torch.zeros([1099511627776])\n"
                       "    return None\n",
               pickled("c__torch__\nM\n)\x81K\1b"s)));
}

void put(std::string& out, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xff);
}

// A ZIP archive of one deflated entry that says it inflates to `claimed` bytes.
std::string deflated_archive(const std::string& name, const std::string& payload, std::uint32_t crc,
                             std::uint64_t claimed) {
    std::string common;
    put(common, 20, 2);
    put(common, 0, 2);
    put(common, 8, 2);
    put(common, 0, 4);
    put(common, crc, 4);
    put(common, payload.size(), 4);
    put(common, claimed, 4);
    put(common, name.size(), 2);
    put(common, 0, 2);
    std::string bytes = "PK\x03\x04" + common + name + payload;
    const std::size_t directory = bytes.size();
    bytes += "PK\x01\x02";
    put(bytes, 20, 2);
    bytes += common;
    bytes.append(14, '\0');
    bytes += name;
    const std::size_t size = bytes.size() - directory;
    bytes += "PK\x05\x06";
    put(bytes, 0, 4);
    put(bytes, 1, 2);
    put(bytes, 1, 2);
    put(bytes, size, 4);
    put(bytes, directory, 4);
    put(bytes, 0, 2);
    return bytes;
}

std::string deflated_zeros(std::size_t size) {
    z_stream stream{};
    deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
    std::string zeros(std::size_t{1} << 20, '\0');
    std::string out;
    std::string piece(std::size_t{1} << 16, '\0');
    for (std::size_t made = 0; made < size; made += zeros.size()) {
        stream.next_in = reinterpret_cast<Bytef*>(zeros.data());
        stream.avail_in = static_cast<uInt>(zeros.size());
        const bool last = made + zeros.size() >= size;
        int status = Z_OK;
        do {
            stream.next_out = reinterpret_cast<Bytef*>(piece.data());
            stream.avail_out = static_cast<uInt>(piece.size());
            status = deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
            out.append(piece, 0, piece.size() - stream.avail_out);
        } while (last ? status != Z_STREAM_END : stream.avail_in > 0);
    }
    deflateEnd(&stream);
    return out;
}

void visit_bombs(const Visit& visit) {
    const std::string zeros = deflated_zeros(std::size_t{64} << 20);
    for (const std::uint64_t claimed :
         {std::uint64_t{64} << 20, std::uint64_t{1} << 10, std::uint64_t{0xfffffffe}, std::uint64_t{0}}) {
        visit("bomb that claims " + std::to_string(claimed), ".npz", deflated_archive("arg0.npy", zeros, 0, claimed));
        visit("pickle bomb that claims " + std::to_string(claimed), ".pth",
              deflated_archive("m/data.pkl", zeros, 0, claimed));
    }
    // Many directory entries for one payload.
    std::string bytes = archive_of({{"data.pkl", pickled("N")}});
    const std::size_t entry = bytes.find("PK\x01\x02");
    const std::size_t end = bytes.find("PK\x05\x06");
    const std::string record = bytes.substr(entry, end - entry);
    std::string many = bytes.substr(0, entry) + repeated(record, 60'000) + bytes.substr(end);
    const std::size_t new_end = many.size() - 22;
    std::string numbers;
    put(numbers, 60'000, 2);
    put(numbers, 60'000, 2);
    put(numbers, record.size() * 60'000, 4);
    many.replace(new_end + 8, numbers.size(), numbers);
    visit("sixty thousand entries on one payload", ".pt", many);
}

}  // namespace

void visit_hostile(const Visit& visit) {
    visit_pickles(visit);
    visit_code(visit);
    visit_classes(visit);
    visit_bombs(visit);
    visit_hostile_weights(visit);
    visit_hostile_programs(visit);
    visit_hostile_onnx(visit);
    visit_hostile_profiler(visit);
}

}  // namespace loupe::fuzz

// SPDX-License-Identifier: Apache-2.0
// Broken program text: every token of the fixture programs deleted, doubled, swapped with the next; and texts that no
// honest author writes. Each is run by the evaluator, which scripts what the program scripts, and compiled as
// TorchScript: it works, or gives an error with a place. A crash, a hang or anything else that is thrown is a failure.
// A sample of the cases is tried, all of them with --full.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/script/lexer.h"
#include "tests/fuzz/case_limit.h"
#include "tests/fuzz/source_case.h"

namespace loupe::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kCaseSeconds = 20;  // until a case counts as a hang
constexpr rlim_t kMostMemory = rlim_t{3} << 30;

// The program with each token deleted, doubled, and swapped with the next.
void visit_mutations(const Program& program, std::size_t stride, std::size_t& counter,
                     const std::function<void(const Program&)>& visit) {
    const auto source = std::make_shared<const ir::Source>(program.text, program.name);
    const auto tokens = script::tokenize(source, script::Dialect::Python).tokens;
    const std::string& text = program.text;
    const auto part = [&](script::Range range) { return text.substr(range.begin, range.end - range.begin); };
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const script::Range range = tokens[i].range;
        if (range.end <= range.begin) continue;
        const std::string before = text.substr(0, range.begin);
        const std::string after = text.substr(range.end);
        const auto offer = [&](const char* how, const std::string& mutated) {
            if (counter++ % stride == 0) visit({concat(program.name, ", token ", i, " ", how), mutated});
        };
        offer("deleted", before + after);
        offer("doubled", concat(before, part(range), " ", part(range), after));
        if (i + 1 == tokens.size() || tokens[i + 1].range.end <= tokens[i + 1].range.begin) continue;
        const script::Range next = tokens[i + 1].range;
        offer("swapped", concat(before, part(next), text.substr(range.end, next.begin - range.end), part(range),
                                text.substr(next.end)));
    }
}

std::string repeated(std::string_view text, std::size_t count) {
    std::string out;
    out.reserve(text.size() * count);
    for (std::size_t i = 0; i < count; ++i) out += text;
    return out;
}

std::vector<Program> hostile_programs() {
    const std::string script = "import torch\nfrom typing import *\n";
    return {
        {"recursion", "def f(n):\n    return f(n + 1)\nf(0)\n"},
        {"recursion of a script", script + "@torch.jit.script\ndef f(n: int) -> int:\n    return f(n + 1)\nf(0)\n"},
        {"recursion without a result type", script + "@torch.jit.script\ndef f(n: int):\n    return f(n + 1)\n"},
        {"a method without self", script + "@torch.jit.script\nclass A:\n    def __init__(self):\n        self.x = 1\n "
                                           "   def f() -> int:\n        return 1\n"},
        {"recursion of two",
         script + "def g(n: int):\n    return f(n)\ndef f(n: int):\n    return g(n)\ntorch.jit.script(f)\n"},
        {"a loop without end", "while True:\n    pass\n"},
        {"a script without end",
         script + "@torch.jit.script\ndef f():\n    n = 0\n    while True:\n        n += 1\n    return n\nf()\n"},
        {"10 MB of statements", repeated("x = 1\n", 1'700'000)},
        {"10 MB of one sum", "x = 1" + repeated(" + 1", 2'500'000) + "\n"},
        {"10 MB of brackets", "x = " + repeated("[", 10'000'000) + "\n"},
        {"10 MB of minus signs", "x = " + repeated("-", 10'000'000) + "1\n"},
        {"10 MB of nots", "x = " + repeated("not ", 2'500'000) + "1\n"},
        {"10 MB of a string", "x = '" + repeated("a", 10'000'000) + "'\nprint(len(x))\n"},
        {"10 MB of a name", repeated("a", 10'000'000) + " = 1\n"},
        {"10 MB of calls", "x = f" + repeated("()", 5'000'000) + "\n"},
        {"10 MB of attributes", "x = f" + repeated(".a", 5'000'000) + "\n"},
        {"10 MB of digits", "x = " + repeated("9", 10'000'000) + "\nprint(x)\n"},
        {"10 MB of nested blocks",
         [] {
             std::string text;
             for (std::size_t i = 0; i < 4000; ++i) text += repeated(" ", i) + "if x:\n";
             return text;
         }()},
        {"10 MB of an f-string", "x = f'" + repeated("{1}", 3'000'000) + "'\n"},
        {"nested f-strings", "x = " + repeated("f'{", 200) + "1" + repeated("}'", 200) + "\n"},
        {"a script of 10 MB",
         script + "@torch.jit.script\ndef f(x: int):\n" + repeated("    x = x + 1\n", 100'000) + "    return x\n"},
        {"deep expression in a script",
         script + "@torch.jit.script\ndef f(x: int):\n    return x" + repeated(" + 1", 5000) + "\n"},
        {"deep types", script + "def f(x: " + repeated("List[", 5000) + "int" + repeated("]", 5000) +
                           "):\n    return x\ntorch.jit.script(f)\n"},
        {"deep type in a string", script + "def f(x: '" + repeated("List[", 300) + "int" + repeated("]", 300) +
                                      "'):\n    return x\ntorch.jit.script(f)\n"},
        {"huge integer in a script", script + "@torch.jit.script\ndef f():\n    return 99999999999999999999999\n"},
        {"huge float in a script", script + "@torch.jit.script\ndef f():\n    return 1e999999\n"},
        {"huge shift", "x = 1 << 100000000000\n"},
        {"huge power", "x = 10 ** 1000000000000\n"},
        {"huge repetition", "x = [1] * (1 << 60)\n"},
        {"huge string", "x = 'a' * (1 << 60)\n"},
        {"huge range in a script",
         script + "@torch.jit.script\ndef f():\n    return [i for i in range(1 << 60)]\nf()\n"},
        {"shadowed builtins",
         "def len(x):\n    return 'no'\nint = float = str = list = dict = range = print = isinstance = type = 3\nclass "
         "A:\n    pass\nlen(A())\n"},
        {"shadowed builtins in a script", script + "int = 3\nlen = 4\n@torch.jit.script\ndef f(x: int, torch: str):\n  "
                                                   "  range = len(torch)\n    return range\n"},
        {"shadowed torch",
         "import torch\nscript = torch.jit.script\ntorch = 3\n@script\ndef f(x):\n    return torch.relu(x)\n"},
        {"a type that is its own part",
         script + "@torch.jit.script\nclass A:\n    def __init__(self, x: 'List[A]'):\n        self.x = x\n"},
        {"types that hold each other",
         script + "class A:\n    def __init__(self, b: 'B'):\n        self.b = b\nclass B:\n    def __init__(self, a: "
                  "A):\n        self.a = a\ntorch.jit.script(A)\n"},
        {"a type that is no type",
         script + "T = 3\ndef f(x: T, y: 'T', z: List[T]):\n    return x\ntorch.jit.script(f)\n"},
        {"a module that holds itself",
         script + "m = torch.nn.Linear(1, 1)\nn = torch.nn.Module()\nn.m = n\ntorch.jit.script(n)\n"},
        {"a list that holds itself",
         script + "x = []\nx.append(x)\nm = torch.nn.Linear(1, 1)\nm.x = x\ntorch.jit.script(m)\n"},
        {"a default that is a list of itself",
         script + "x = []\nx.append(x)\ndef f(y, z=x):\n    return y\ntorch.jit.script(f)\n"},
        {"a decorator that is script twice",
         script + "@torch.jit.script\n@torch.jit.script\ndef f(x):\n    return x\nf(1)\n"},
        {"a property that raises",
         script + "class M(torch.nn.Module):\n    @property\n    def p(self):\n        raise ValueError\n    def "
                  "forward(self, x):\n        return self.p\ntorch.jit.script(M())\n"},
        {"null bytes", std::string("x = 1\0\0 + 2\n", 12)},
        {"bytes that are no text", "x = '\xff\xfe\x80'\n\x80\n"},
    };
}

// Runs cases in a process of its own, so that the next ones are run when one ends it.
class Workers {
  public:
    explicit Workers(bool verbose) : verbose_(verbose) {}

    void run(const std::vector<Program>& cases) {
        std::size_t next = 0;
        while (next < cases.size()) next = run_from(cases, next);
    }
    int finish() const {
        std::printf("%zu cases, %zu wrong\n", cases_, wrong_);
        return wrong_ == 0 ? 0 : 1;
    }

  private:
    // Returns the index behind the last case that was tried.
    std::size_t run_from(const std::vector<Program>& cases, std::size_t first) {
        int ends[2];
        if (::pipe(ends) != 0) std::abort();
        std::fflush(stdout);
        const pid_t child = ::fork();
        if (child == 0) {
            ::close(ends[0]);
            work(cases, first, ends[1]);
            ::_exit(0);
        }
        ::close(ends[1]);
        std::size_t done = first;
        char byte = 0;
        while (::read(ends[0], &byte, 1) == 1) {
            ++done;
            ++cases_;
            if (byte != 0) ++wrong_;
        }
        ::close(ends[0]);
        int status = 0;
        ::waitpid(child, &status, 0);
        if (done >= cases.size()) return done;
        const char* how = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "hangs" : "ends the process";
        std::printf("%s: %s (status %d)\n", cases[done].name.c_str(), how, status);
        ++wrong_;
        ++cases_;
        return done + 1;
    }

    void work(const std::vector<Program>& cases, std::size_t first, int out) const {
        const rlimit limit{kMostMemory, kMostMemory};
        ::setrlimit(RLIMIT_AS, &limit);
        set_thread_count(1);
        for (std::size_t i = first; i < cases.size(); ++i) {
            limit_case(kCaseSeconds);
            const auto start = std::chrono::steady_clock::now();
            const std::string problem = try_source(cases[i].text);
            limit_case(0);
            const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            if (!problem.empty()) std::printf("%s: %s\n", cases[i].name.c_str(), problem.c_str());
            if (verbose_ && seconds > 1) std::printf("%s: %.1f s\n", cases[i].name.c_str(), seconds);
            std::fflush(stdout);
            const char byte = problem.empty() ? 0 : 1;
            if (::write(out, &byte, 1) != 1) ::_exit(1);
        }
    }

    bool verbose_;
    std::size_t cases_ = 0;
    std::size_t wrong_ = 0;
};

int run(std::size_t stride, bool verbose, const std::string& only) {
    const fs::path folder = fs::temp_directory_path() / concat("loupe_fuzz_sources_", ::getpid());
    fs::create_directory(folder);
    fs::current_path(folder);  // programs save files
    Workers workers(verbose);
    std::vector<Program> cases;
    for (Program& program : hostile_programs()) {
        if (program.name.find(only) != std::string::npos) cases.push_back(std::move(program));
    }
    workers.run(cases);
    std::size_t counter = 0;
    for (const Program& program : fixture_programs()) {
        if (program.name.find(only) == std::string::npos) continue;
        cases.clear();
        visit_mutations(program, stride, counter, [&](const Program& mutated) { cases.push_back(mutated); });
        workers.run(cases);
    }
    fs::current_path(folder.parent_path());
    fs::remove_all(folder);
    return workers.finish();
}

}  // namespace
}  // namespace loupe::fuzz

int main(int argc, char** argv) {
    std::size_t stride = 197;
    bool verbose = false;
    std::string only;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--full")
            stride = 1;
        else if (argument == "--stride" && i + 1 < argc)
            stride = std::max<std::size_t>(1, std::strtoull(argv[++i], nullptr, 10));
        else if (argument == "--only" && i + 1 < argc)
            only = argv[++i];
        else if (argument == "--verbose")
            verbose = true;
        else {
            std::fprintf(stderr, "usage: loupe_fuzz_sources [--full | --stride N] [--only TEXT] [--verbose]\n");
            return 2;
        }
    }
    return loupe::fuzz::run(stride, verbose, only);
}

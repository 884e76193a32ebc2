// Shared by both fuzzers: a run over many inputs, which keeps an input that breaks something in a file.
#pragma once

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace revenant::fuzz {

using Bytes = std::vector<std::byte>;

// The verdict of a probe on an input.
struct Verdict {
    bool accepted = false;
    std::string problem;  // empty: none
};

// FUZZER INPUTS [SEED [PROBLEMS]]: stops at so many inputs that break something.
class FuzzRun {
public:
    // `kind`: the ending of file names.
    FuzzRun(int count, char** arguments, const char* kind)
        : inputs_(number(count, arguments, 1, 100000)),
          seed_(number(count, arguments, 2, 1)),
          mostProblems_(number(count, arguments, 3, 1)) {
        kindOfAll = kind;
        for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL}) std::signal(signal, onSignal);
#ifdef SIGBUS  // POSIX alone has it
        std::signal(SIGBUS, onSignal);
#endif
#ifdef __GLIBC__
        // Free memory stays with the process: giving it back and getting it again took a fifth of the time.
        mallopt(M_TRIM_THRESHOLD, 256 << 20);
        mallopt(M_TOP_PAD, 16 << 20);
        mallopt(M_MMAP_THRESHOLD, 256 << 20);
#endif
    }

    std::uint64_t seed() const noexcept {
        return seed_;
    }

    // Calls tryNext(), which sets `current` and returns the verdict, for each input. Returns the exit status.
    template <class TryNext>
    int run(TryNext tryNext) {
        const auto begin = std::chrono::steady_clock::now();
        std::uint64_t accepted = 0;
        std::uint64_t problems = 0;
        for (std::uint64_t i = 1; i <= inputs_; ++i) {
            const Verdict verdict = tryNext();
            accepted += verdict.accepted ? 1 : 0;
            if (!verdict.problem.empty()) {
                keep("problem_" + std::to_string(i), verdict.problem);
                if (++problems >= mostProblems_) return 1;
            }
            if (i % 10000 != 0) continue;
            const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
            std::printf("%llu inputs, %llu accepted, %.0f per second\n",
                        static_cast<unsigned long long>(i),
                        static_cast<unsigned long long>(accepted),
                        static_cast<double>(i) / seconds.count());
            std::fflush(stdout);
        }
        return problems > 0 ? 1 : 0;
    }

    // Writes what is being tried to a file.
    static void keep(const std::string& name, const std::string& why) {
        const std::string path = name + "." + kindOfAll;
        std::fprintf(stderr, "%s: %s\n", path.c_str(), why.c_str());
        if (std::FILE* file = std::fopen(path.c_str(), "wb")) {
            std::fwrite(current.data(), 1, current.size(), file);
            std::fclose(file);
        }
    }

    static inline Bytes current;  // what is being tried

private:
    static std::uint64_t number(int count, char** arguments, int place, std::uint64_t otherwise) {
        return count > place ? std::strtoull(arguments[place], nullptr, 10) : otherwise;
    }
    // Not allowed in a signal handler, but the process is lost anyway.
    static void onSignal(int signal) {
        keep("crash", "signal " + std::to_string(signal));
        std::_Exit(1);
    }

    static inline const char* kindOfAll = "";
    std::uint64_t inputs_;
    std::uint64_t seed_;
    std::uint64_t mostProblems_;
};

}  // namespace revenant::fuzz

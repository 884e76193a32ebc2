// What std::terminate does in revenant.dll: it ends the process, as everywhere. The C++ library's own handler names the
// exception's type first, and brings 60 kB that can undo the mangling of any name.
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace __gnu_cxx {

void __verbose_terminate_handler() {
    try {
        if (std::current_exception()) throw;
        std::fputs("revenant: std::terminate was called\n", stderr);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "revenant: an exception was not caught: %s\n", error.what());
    } catch (...) {
        std::fputs("revenant: an exception was not caught\n", stderr);
    }
    std::abort();
}

}  // namespace __gnu_cxx

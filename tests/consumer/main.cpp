#include <cstdio>

#include "world/version.hpp"

int main() {
    std::printf("linked revenant %s\n", revenant::version());
    return 0;
}

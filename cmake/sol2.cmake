# revenant_sol2: sol2's headers, LuaJIT's headers, and the one configuration of
# sol2 in which every mistake of a script arrives as a Lua error with a sentence.
# It links no Lua: the module finds the VM in its host. A program that is its own
# host links PkgConfig::LUAJIT as well.
include_guard(GLOBAL)

find_package(sol2 3 CONFIG REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(LUAJIT REQUIRED IMPORTED_TARGET luajit>=2.1)

add_library(revenant_sol2 INTERFACE)
target_link_libraries(revenant_sol2 INTERFACE sol2::sol2)
target_include_directories(revenant_sol2 SYSTEM INTERFACE
    $<TARGET_PROPERTY:PkgConfig::LUAJIT,INTERFACE_INCLUDE_DIRECTORIES>
)
target_compile_definitions(revenant_sol2 INTERFACE
    # Without either of these, nil passed for a reference ends the process on LuaJIT.
    SOL_ALL_SAFETIES_ON=1
    SOL_EXCEPTIONS_SAFE_PROPAGATION=0 # sol2 catches, then raises what() as a Lua error
    SOL_PRINT_ERRORS=0
    # SOL_LUAJIT stays undefined: sol2 knows LuaJIT by its header.
)

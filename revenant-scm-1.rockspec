-- `luarocks make` in the project's root builds the Lua module and installs it. LuaJIT only.
rockspec_format = "3.0"
package = "revenant"
version = "scm-1"
source = { url = "file://." } -- a release names its archive here
description = {
    summary = "A managed game world whose entities can be rewound through time",
    detailed = "Entities, hierarchy, views and script state, recorded each tick and shown exactly as they were.",
    license = "MIT",
    labels = { "gamedev", "love", "ecs" },
}
supported_platforms = { "linux", "windows" }
dependencies = { "lua == 5.1" }
build = {
    type = "command",
    -- sol2 and the other libraries are found as by the presets; REVENANT_CMAKE_FLAGS adds to that.
    build_command = "cmake -S . -B build/rock -C cmake/rock.cmake $REVENANT_CMAKE_FLAGS"
        .. " && cmake --build build/rock --target revenant_module",
    install = { lib = { revenant = "build/rock/revenant.so" } },
    platforms = {
        windows = {
            build_command = "cmake -S . -B build/rock -C cmake/rock.cmake %REVENANT_CMAKE_FLAGS%"
                .. " && cmake --build build/rock --target revenant_module",
            install = { lib = { revenant = "build/rock/revenant.dll" } },
        },
    },
}

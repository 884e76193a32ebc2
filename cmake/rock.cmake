# The initial cache of a build for LuaRocks: the Lua module and nothing else.
set(CMAKE_BUILD_TYPE Release CACHE STRING "")
set(CMAKE_PREFIX_PATH ${CMAKE_CURRENT_LIST_DIR}/../build/deps/usr CACHE STRING "")
foreach(part IN ITEMS TESTS GAME BENCH)
    set(REVENANT_BUILD_${part} OFF CACHE BOOL "")
endforeach()
set(REVENANT_BUILD_LUA ON CACHE BOOL "")
set(REVENANT_INSTALL OFF CACHE BOOL "")

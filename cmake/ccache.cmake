# Compile through ccache where it is installed and no other launcher is set. It does not cache precompiled headers, nor what
# uses them, as long as CCACHE_SLOPPINESS does not allow it: g++ knows headers by their times, so one that was compiled
# in another checkout, and comes from the cache, defines everything twice.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    find_program(REVENANT_CCACHE ccache)
    mark_as_advanced(REVENANT_CCACHE)
    if(REVENANT_CCACHE)
        set(CMAKE_CXX_COMPILER_LAUNCHER ${REVENANT_CCACHE})
    endif()
endif()

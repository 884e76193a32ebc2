# Compile through ccache where it is installed and no other launcher is set.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    find_program(REVENANT_CCACHE ccache)
    mark_as_advanced(REVENANT_CCACHE)
    if(REVENANT_CCACHE)
        # Precompiled headers are used for what does not depend on when it was compiled.
        set(CMAKE_CXX_COMPILER_LAUNCHER
            ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${REVENANT_CCACHE}
        )
    endif()
endif()

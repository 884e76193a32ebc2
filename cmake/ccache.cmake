# Compile through ccache where it is installed and nobody has asked for another launcher.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    find_program(REVENANT_CCACHE ccache)
    mark_as_advanced(REVENANT_CCACHE)
    if(REVENANT_CCACHE)
        set(CMAKE_CXX_COMPILER_LAUNCHER ${REVENANT_CCACHE})
    endif()
endif()

# The warnings our own targets are compiled with. They are private to each target,
# so that programs that link revenant do not inherit them.
function(revenant_warnings target)
    if(MSVC) # untested; these names are gcc's and clang's
        target_compile_options(${target} PRIVATE /W4 /permissive- /utf-8)
        return()
    endif()
    target_compile_options(${target} PRIVATE
        -Wall
        -Wextra
        -Wpedantic
        -Wshadow
        -Wnon-virtual-dtor
        -Woverloaded-virtual
        # False alarms of g++ 12 about "a" + std::string at -O3 (GCC bug 105651).
        $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
        # And about optionals that are empty and strings that are moved, where it optimizes for other platforms at -O2
        # (GCC bugs 80635, 105329). These alarms are on where it compiles for the machine itself.
        "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${CMAKE_CROSSCOMPILING}>>:-Wno-maybe-uninitialized;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>"
        $<$<BOOL:${REVENANT_WARNINGS_AS_ERRORS}>:-Werror>
    )
endfunction()

# Runs a program and fails unless it ends with the given status and has said what it should.
#
# -D program=  -D arguments=  with spaces between
# -D emulator= what runs programs of another platform, if that is so
# -D status=   -D says=  a regular expression that its output matches
# -D driver=   SDL's video driver, if any

cmake_minimum_required(VERSION 3.25)

separate_arguments(arguments UNIX_COMMAND "${arguments}")
unset(ENV{DISPLAY})
unset(ENV{WAYLAND_DISPLAY})
unset(ENV{SDL_VIDEODRIVER})
if(driver)
    set(ENV{SDL_VIDEODRIVER} ${driver})
endif()
execute_process(COMMAND ${emulator} ${program} ${arguments}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output
)
string(REPLACE "\r\n" "\n" output "${output}")
if(NOT result STREQUAL status)
    message(FATAL_ERROR "Ended with ${result} instead of ${status}, having said:\n${output}")
endif()
if(NOT output MATCHES "${says}")
    message(FATAL_ERROR "Did not say '${says}' but:\n${output}")
endif()

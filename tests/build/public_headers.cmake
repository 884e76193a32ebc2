# Fails when a public header includes one that is not public. Public headers are those that the CMakeLists.txt of world/,
# views/, rewind/ and save/ list in the file set HEADERS, which is what gets installed. Fails as well when a public header
# includes a standard header that is expensive to compile and not needed there: every file that uses the library pays for it.
#
# -D root=  the project's root

cmake_minimum_required(VERSION 3.25)

set(expensive algorithm chrono deque fstream functional iomanip iostream list map mutex random ranges regex set sstream thread unordered_map
    unordered_set)

set(public)
foreach(folder IN ITEMS world views rewind save)
    file(READ ${root}/${folder}/CMakeLists.txt list)
    string(REGEX MATCH "PUBLIC FILE_SET HEADERS FILES\n([^#)]*)" listed "${list}")
    string(REGEX MATCHALL "[a-z_/]+\\.hpp" headers "${CMAKE_MATCH_1}")
    list(TRANSFORM headers PREPEND ${folder}/)
    list(APPEND public ${headers})
endforeach()
list(LENGTH public count)
if(count LESS 20)
    message(FATAL_ERROR "Only ${count} public headers were found: the lists are written in another way than expected.")
endif()

set(offences)
foreach(header IN LISTS public)
    file(STRINGS ${root}/${header} includes REGEX "^[ \t]*#[ \t]*include")
    foreach(include IN LISTS includes)
        if(include MATCHES "\"([^\"]*)\"" AND NOT CMAKE_MATCH_1 IN_LIST public)
            list(APPEND offences "${header}: ${CMAKE_MATCH_1} is not public")
        elseif(include MATCHES "<([^>]*)>" AND CMAKE_MATCH_1 IN_LIST expensive)
            list(APPEND offences "${header}: <${CMAKE_MATCH_1}> is expensive to compile")
        endif()
    endforeach()
endforeach()

if(offences)
    list(JOIN offences "\n  " offences)
    message(NOTICE "  ${offences}")
    message(FATAL_ERROR "Public headers include what they should not.")
endif()
message(STATUS "${count} public headers")

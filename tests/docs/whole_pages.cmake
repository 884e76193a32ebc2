# Fails when a page has a listing in a language that no test runs, a link that leads nowhere, or does not end
# with its limitations.
#
# -D root=  the project's root

cmake_minimum_required(VERSION 3.25)

set(problems)
file(GLOB_RECURSE pages RELATIVE ${root} ${root}/docs/*.md)
list(APPEND pages README.md)
foreach(page IN LISTS pages)
    file(READ ${root}/${page} text)
    cmake_path(GET page PARENT_PATH folder)
    # Brackets and semicolons would make odd lists of what is found.
    string(REPLACE ";" " " text "${text}")
    string(REPLACE "[" "<" text "${text}")
    string(REPLACE "]" ">" text "${text}")

    string(REGEX MATCHALL "\n```[A-Za-z+]+" fences "${text}")
    foreach(fence IN LISTS fences)
        string(REGEX REPLACE "\n```" "" language "${fence}")
        if(NOT language MATCHES "^(lua|cpp|text)$")
            list(APPEND problems "${page}: no test runs a listing in '${language}'")
        endif()
    endforeach()

    # Lambdas in listings look like links.
    string(FIND "${text}" "\n```" begin)
    while(NOT begin EQUAL -1)
        string(SUBSTRING "${text}" 0 ${begin} before)
        math(EXPR begin "${begin} + 4")
        string(SUBSTRING "${text}" ${begin} -1 text)
        string(FIND "${text}" "\n```" end)
        math(EXPR end "${end} + 4")
        string(SUBSTRING "${text}" ${end} -1 text)
        string(PREPEND text "${before}")
        string(FIND "${text}" "\n```" begin)
    endwhile()
    string(REGEX MATCHALL ">\\([^)# ]+" links "${text}")
    foreach(link IN LISTS links)
        string(SUBSTRING "${link}" 2 -1 link)
        if(NOT link MATCHES "^https?://" AND NOT EXISTS ${root}/${folder}/${link})
            list(APPEND problems "${page}: the link to ${link} leads nowhere")
        endif()
    endforeach()

    string(REGEX MATCHALL "\n## [^\n]+" headings "${text}")
    list(POP_BACK headings last)
    if(NOT last MATCHES "Limitations$" AND NOT page MATCHES "README.md$")
        list(APPEND problems "${page}: does not end with its limitations")
    endif()
    if(page STREQUAL "README.md" AND NOT text MATCHES "\n## Limitations\n")
        list(APPEND problems "${page}: has no limitations")
    endif()
endforeach()

if(problems)
    list(JOIN problems "\n  " problems)
    message(NOTICE "  ${problems}")
    message(FATAL_ERROR "The docs are not whole.")
endif()

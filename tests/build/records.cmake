# Fails when a file outside world/ writes a field of an EntityRecord: other folders read records, and change them
# through functions of world/ (Forest, Restorer, Replacement, WorldCore).
#
# Fields are found by name, behind what records are called in this project, in files that mention records.
#
# -D root=  the project's root

cmake_minimum_required(VERSION 3.25)

set(names "record|parent|child|owner|top|previous|kept|target|each|at")

# The fields, as entity_record.hpp has them: a name, its bits and its first value, at the end of a line.
file(READ ${root}/world/storage/entity_record.hpp text)
string(REPLACE ";" "@" text "${text}")
string(REGEX REPLACE "[][]" "" text "${text}")
string(REGEX MATCHALL "[ *][A-Za-z]+( : [0-9])?( = [A-Za-z0-9:.()]+|{})?@" matches "${text}")
set(fields)
foreach(match IN LISTS matches)
    string(REGEX REPLACE "^[ *]([A-Za-z]+).*" "\\1" field "${match}")
    list(APPEND fields ${field})
endforeach()
list(REMOVE_DUPLICATES fields)
foreach(field IN ITEMS intent alive rewindable managed removed moved loosened ownRefs parent bornAt serial remembered
        unborn dropped)
    if(NOT field IN_LIST fields)
        message(FATAL_ERROR "${field} was not found among the fields of EntityRecord: ${fields}")
    endif()
endforeach()
list(REMOVE_ITEM fields at break return)
list(JOIN fields "|" fields)

set(offences)
foreach(folder IN ITEMS views rewind save lua game)
    file(GLOB_RECURSE files RELATIVE ${root} ${root}/${folder}/*.hpp ${root}/${folder}/*.cpp)
    foreach(file IN LISTS files)
        file(STRINGS ${root}/${file} mentions REGEX "EntityRecord")
        if(NOT mentions)
            continue()
        endif()
        set(field_of "(${names})(\\.|->)(${fields})")
        file(STRINGS ${root}/${file} writes REGEX "(^|[^A-Za-z_.>])${field_of} *(=[^=]|[-+|&]=|\\+\\+|--)")
        file(STRINGS ${root}/${file} steps REGEX "(\\+\\+|--)${field_of}[^A-Za-z_(.]")
        foreach(line IN LISTS writes steps)
            string(STRIP "${line}" line)
            string(REPLACE ";" "" line "${line}")
            list(APPEND offences "${file}: ${line}")
        endforeach()
    endforeach()
endforeach()

if(offences)
    list(JOIN offences "\n  " offences)
    message(NOTICE "  ${offences}")
    message(FATAL_ERROR "Only world/ writes the records of entities.")
endif()

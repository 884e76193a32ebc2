# A game that carries the loader runs as a folder, as a .love, as a fused executable, as the folder that an AppImage packs,
# and in stock luajit, on Windows as a folder with its luajit.exe; from paths with spaces and letters of other languages;
# whatever its save directory holds already; and it says what is missing.
#
# -D root= -D module= -D platform= -D love= -D emulator= (of LÖVE's platform) -D windows= -D luajit= -D work=
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${work}")
set(work "${work}/of a player")
set(game "${work}/my game")
if(NOT windows) # wide_path.cmake does it there
    string(APPEND game " ü_日")
endif()
cmake_path(GET module FILENAME file)
file(MAKE_DIRECTORY "${game}" "${work}/data")
if(module MATCHES "/build/(release|arm64|windows)/[^/]*$") # where the script that games are shipped by looks for it
    execute_process(COMMAND ${CMAKE_COMMAND} -D "output=${game}/revenant" -P ${root}/cmake/ship.cmake COMMAND_ERROR_IS_FATAL ANY)
else()
    file(MAKE_DIRECTORY "${game}/revenant/${platform}")
    file(COPY_FILE ${root}/lua/loader/init.lua "${game}/revenant/init.lua")
    file(COPY_FILE ${module} "${game}/revenant/${platform}/${file}")
endif()
file(WRITE "${game}/conf.lua" [[
function love.conf(t)
    t.identity = "revenant_ship_test"
    t.modules.window, t.modules.graphics, t.modules.audio, t.modules.joystick = false, false, false, false
end
function love.errorhandler(message) print(message) os.exit(1) end
]])
file(WRITE "${game}/main.lua" [[
local revenant = require "revenant"
local world = revenant.World.getInstance()
print("shipped with " .. revenant.version .. ", " .. #world:getAllManagedEntities() .. " entities")
if love then love.event.quit() end
]])
set(ENV{XDG_DATA_HOME} "${work}/data")
set(ENV{LUA_CPATH} "${work}/nowhere/?.so")

function(expect claim wanted)
    execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${work}" OUTPUT_VARIABLE output ERROR_VARIABLE output TIMEOUT 300)
    if(NOT output MATCHES "${wanted}")
        message(FATAL_ERROR "${claim}: it says\n${output}instead of '${wanted}'")
    endif()
    message(STATUS "${claim}: ${output}")
endfunction()

# cat FIRST SECOND...: as one file.
function(join output)
    execute_process(COMMAND cat ${ARGN} OUTPUT_FILE ${output} COMMAND_ERROR_IS_FATAL ANY)
    file(CHMOD ${output} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()

function(archive output)
    execute_process(COMMAND ${CMAKE_COMMAND} -E tar cf ${output} --format=zip ${ARGN}
        WORKING_DIRECTORY "${game}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# In the save directory; nothing else may be left there.
function(expect_copies wanted)
    file(GLOB_RECURSE copies "${work}/data/*revenant*.so*")
    list(LENGTH copies count)
    if(NOT count EQUAL wanted)
        message(FATAL_ERROR "${wanted} copies of the binary should be in the save directory, not: ${copies}")
    endif()
    set(copies "${copies}" PARENT_SCOPE)
endfunction()

set(shipped "shipped with [0-9.]+, 0 entities")
set(ENV{LUA_PATH} "${game}/?.lua\;${game}/?/init.lua")
expect("stock luajit" "${shipped}" ${luajit} "${game}/main.lua")
if(love)
    file(REAL_PATH ${love} executable)
    set(love ${emulator} ${executable})
    expect("a folder" "${shipped}" ${love} "${game}")
    archive("${work}/game.love" main.lua conf.lua revenant)
    # The first time in four instances at once: none may load what another still writes.
    expect("four instances of a .love" "${shipped}.*${shipped}.*${shipped}.*${shipped}" sh -c
        "for i in 1 2 3 4\ndo \"$@\" &\ndone\nwait" sh ${love} "${work}/game.love")
    expect_copies(1)
    expect("a .love, again" "${shipped}" ${love} "${work}/game.love")
    expect_copies(1)

    # A copy that a full disk or a crash left cut short, or of the right size and with other content.
    file(WRITE "${copies}" "cut")
    expect("a .love whose copy is cut short" "${shipped}" ${love} "${work}/game.love")
    file(SIZE "${game}/revenant/${platform}/${file}" size)
    execute_process(COMMAND truncate -s 0 "${copies}" COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND truncate -s ${size} "${copies}" COMMAND_ERROR_IS_FATAL ANY)
    expect("a .love whose copy is of zeros" "${shipped}" ${love} "${work}/game.love")
    expect_copies(1)

    # An update has its own copy, and so has another game with the same identity. What is behind a library's end counts for
    # nothing.
    file(APPEND "${game}/revenant/${platform}/${file}" "the next version")
    archive("${work}/update.love" main.lua conf.lua revenant)
    expect("a .love after an update" "${shipped}" ${love} "${work}/update.love")
    expect_copies(2)
    expect("a .love before the update" "${shipped}" ${love} "${work}/game.love")
    expect_copies(2)

    # Its folder may lie in another one, and conf.lua may leave out what only the loader uses.
    set(inner "${work}/inner")
    file(MAKE_DIRECTORY "${inner}/libs")
    file(COPY "${game}/revenant" DESTINATION "${inner}/libs")
    file(READ "${game}/conf.lua" text)
    string(REPLACE "t.modules.window" "t.modules.data, t.modules.window" text "${text}")
    string(REPLACE "= false, false" "= false, false, false" text "${text}")
    file(WRITE "${inner}/conf.lua" "${text}")
    file(READ "${game}/main.lua" text)
    string(REPLACE "require \"revenant\"" "require \"libs.revenant\"" text "${text}")
    file(WRITE "${inner}/main.lua" "${text}")
    execute_process(COMMAND ${CMAKE_COMMAND} -E tar cf "${work}/inner.love" --format=zip main.lua conf.lua libs
        WORKING_DIRECTORY "${inner}" COMMAND_ERROR_IS_FATAL ANY)
    file(REMOVE ${copies})
    expect("a .love with the module in a folder of libraries, without love.data" "${shipped}" ${love} "${work}/inner.love")
    expect_copies(1)

    set(ENV{XDG_DATA_HOME} /dev/null)
    expect("a .love that cannot write" "cannot copy its binary to .*t.identity in conf.lua" ${love} "${work}/game.love")
    expect("a folder that cannot write" "${shipped}" ${love} "${game}")
    set(ENV{XDG_DATA_HOME} "${work}/data")
    join("${work}/fused" ${executable} "${work}/game.love")
    expect("a fused executable" "${shipped}" ${emulator} "${work}/fused")
    set(packed "${work}/AppDir")
    file(MAKE_DIRECTORY "${packed}/usr/bin" "${packed}/usr/share")
    file(COPY_FILE ${executable} "${packed}/usr/bin/love")
    file(COPY "${game}/" DESTINATION "${packed}/usr/share/game")
    list(TRANSFORM emulator REPLACE "(.+)" "'\\1' " OUTPUT_VARIABLE before)
    string(REPLACE ";" "" before "${before}")
    file(WRITE "${packed}/AppRun" "#!/bin/sh\nhere=$(dirname \"$(readlink -f \"$0\")\")\nexec ${before}\"$here/usr/bin/love\" \"$here/usr/share/game\" \"$@\"\n")
    file(CHMOD "${packed}/AppRun" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
    expect("the folder of an AppImage" "${shipped}" "${packed}/AppRun")
    archive("${work}/bare.love" main.lua conf.lua revenant/init.lua)
    expect("a .love without a binary" "there is no binary for ${platform}.*revenant/${platform}/${file}"
        ${love} "${work}/bare.love")
    file(WRITE "${game}/revenant/${platform}/${file}" "no library")
    archive("${work}/broken.love" main.lua conf.lua revenant)
    expect("a .love with a broken binary" "is there but cannot be loaded on ${platform}" ${love} "${work}/broken.love")

    # The number of its machine, in the file's head, becomes another processor's.
    file(COPY_FILE ${module} "${game}/revenant/${platform}/${file}")
    execute_process(COMMAND printf "\\026" COMMAND dd "of=${game}/revenant/${platform}/${file}" bs=1 seek=18 conv=notrunc
        OUTPUT_QUIET ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
    expect("a folder with another platform's binary" "cannot be loaded on ${platform}.*it is for another platform" ${love} "${game}")
endif()
if(windows)
    # What luajit.exe finds by itself lies in its own folder.
    set(packed "${work}/windows")
    file(MAKE_DIRECTORY "${packed}/lua")
    file(COPY_FILE "${windows}/bin/luajit.exe" "${packed}/game.exe")
    file(COPY_FILE "${windows}/bin/lua51.dll" "${packed}/lua51.dll")
    file(COPY_FILE "${game}/main.lua" "${packed}/main.lua")
    file(COPY "${game}/revenant" DESTINATION "${packed}/lua")
    list(TRANSFORM luajit REPLACE ".*luajit.exe$" "${packed}/game.exe" OUTPUT_VARIABLE fused)
    unset(ENV{LUA_PATH})
    expect("a folder for Windows" "${shipped}" ${fused} "${packed}/main.lua")
    # From another folder, as players' shortcuts do.
    file(WRITE "${packed}/start.bat" "@\"%~dp0game.exe\" \"%~dp0main.lua\" %*\r\n")
    string(REPLACE "/" "\\" script "Z:${packed}/start.bat")
    list(TRANSFORM luajit REPLACE ".*luajit.exe$" cmd OUTPUT_VARIABLE shell)
    expect("a folder for Windows, by its script" "${shipped}" ${shell} /c ${script})
    set(ENV{LUA_PATH} "${game}/?.lua\;${game}/?/init.lua")
endif()
expect("a platform that the game does not ship to" "there is no binary for [a-z]+-mips64. Put ${file} for it at revenant/[a-z]+-mips64/${file}"
    ${luajit} -e "jit.arch = 'mips64'" "${game}/main.lua")
expect("plain Lua" "revenant needs LuaJIT, and this is Lua 5.1" ${luajit} -e "jit = nil" "${game}/main.lua")
file(REMOVE_RECURSE "${game}/revenant/${platform}")
expect("a folder without a binary" "there is no binary for ${platform}" ${luajit} "${game}/main.lua")
cmake_path(GET module PARENT_PATH installed)
cmake_path(GET module EXTENSION suffix)
set(ENV{LUA_CPATH} "${installed}/?${suffix}")
expect("a folder without a binary, where one is installed" "${shipped}" ${luajit} "${game}/main.lua")

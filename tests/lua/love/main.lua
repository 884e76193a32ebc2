-- Runs the specs inside LÖVE: love tests/lua/love RUN.LUA MODULE_FOLDER SPEC_FOLDER NAME...
function love.load(arguments)
    local ok, result = xpcall(function()
        local runner = dofile(arguments[1])
        return runner.main({ unpack(arguments, 2) }, print)
    end, debug.traceback)
    if not ok then print(result) end
    love.event.quit(ok and result == 0 and 0 or 1)
end

-- LÖVE would stay on its error screen.
function love.errorhandler(message)
    print(debug.traceback(message))
    os.exit(1)
end

-- The module's settings of LuaJIT's compiler.

require "revenant"
local util = require "jit.util"

-- How the side traces of a loop that takes two ways end, and whether there was a loop to leave: the compiler may be out of memory.
local function sideTraces()
    local parents, ends, isCompiled = {}, {}, false
    local function watch(what, trace, _, _, parent)
        if what == "start" then
            parents[trace] = parent
        elseif what == "stop" and parents[trace] then
            ends[#ends + 1] = util.traceinfo(trace).linktype
        elseif what == "stop" then
            isCompiled = true
        end
    end
    local even, odd = 0, 0
    jit.flush()
    jit.attach(watch, "trace")
    for i = 1, 1000 do
        if i % 2 == 0 then even = even + 1 else odd = odd + i end
    end
    jit.attach(watch)
    equal(even, 500)
    equal(odd, 250000)
    return ends, isCompiled
end

test("on arm64, an older LuaJIT does not go on in side traces, which may take over half of an address", function()
    if not jit.status() then return end
    local isOlder = jit.arch == "arm64" and jit.version_num < 20199
    local ends, isCompiled = sideTraces()
    check(#ends > 0 or not isCompiled, "the loop has no side trace")
    for _, linktype in ipairs(ends) do equal(linktype == "interpreter", isOlder, linktype) end
end)

-- Structural calls while a past frame is shown: refused, or kept until play resumes (inThePast = "defer").

local core = ...
local links, native = core.links, core.native

local inPast = 2  -- what a C function returns then, instead of 1

-- Whether a call that a C function has refused will be made again when play resumes: again(...). While ticks are run again the
-- past is shown for a moment only, and what was asked there is asked in the tick itself.
function core.isDeferred(code, number, again, ...)
    local link = links[number]
    if code ~= inPast or not link.deferred or native.isResimulating(number) then return false end
    link.deferred[#link.deferred + 1] = { again, select("#", ...), ... }
    return true
end

-- Makes the calls that have waited, all of them; then raises the first error.
local function makeDeferred(link)
    local calls = link.deferred
    if not calls then return end
    link.deferred = {}
    local message
    for _, call in ipairs(calls) do
        local ok, result = pcall(call[1], unpack(call, 3, 2 + call[2]))
        -- A C function returns a code.
        if ok and type(result) == "number" and result ~= 0 then ok, result = false, core.lastError() end
        if not ok then message = message or result end
    end
    if message then error("a call that waited for play to resume: " .. tostring(message), 0) end
end

-- Called by the native side when a save is loaded: the entities of these calls are gone.
function core.forgetDeferred(number)
    local link = links[number]
    if link and link.deferred then link.deferred = {} end
end

-- Calls wait from now on, as long as this history is registered.
function core.deferCalls(link)
    link.deferred = link.deferred or {}
    native.setBuildsInPast(link.number, true)
    native.on(link.number, "rewindEnded", function() makeDeferred(link) end, false)
end

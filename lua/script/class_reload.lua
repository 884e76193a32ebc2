-- What a class takes over from a newer version of its file (hot_reload.lua).

local core = ...

-- ---- classes of systems --------------------------------------------------------------------------

-- Whether two functions have the same code, wherever it stands.
local function isSameCode(a, b)
    if rawequal(a, b) then return true end
    if type(a) ~= "function" or type(b) ~= "function" then return false end
    local hasA, codeA = pcall(string.dump, a, true)
    local hasB, codeB = pcall(string.dump, b, true)
    return hasA and hasB and codeA == codeB
end

local fixedOptions = { "priority", "tickWhileRewinding", "fixedStepSeconds", "maxFixedSteps" }

local function isSameOption(a, b)
    if type(a) ~= "table" or type(b) ~= "table" then return a == b end
    for i = 1, math.max(#a, #b) do
        if a[i] ~= b[i] then return false end
    end
    return true
end

-- Says what systems of the class keep from when they were made; nil for nothing.
local function findLeft(class, newer)
    local left = {}
    if not isSameCode(class.init, newer.init) then
        left[1] = "init has changed, but it ran when the system was made: requirements, listeners and fields are still those of the old one"
    end
    for _, option in ipairs { "dependencies", unpack(fixedOptions) } do
        if not isSameOption(class[option], newer[option]) then
            left[#left + 1] = option .. " is " .. (type(newer[option]) == "table" and "another" or tostring(newer[option])) .. " now, the old one holds"
        end
    end
    if (class.getRewindState == nil) ~= (newer.getRewindState == nil) then
        left[#left + 1] = "whether it has getRewindState has changed, the history goes by the old answer"
    end
    if #left == 0 then return nil end
    return "system '" .. class.name .. "' runs the new code, but not all of it was taken over: " .. table.concat(left, "; ")
        .. ". To have it, unregister the system, make it anew and register that"
end

-- Gives a class the functions, values and base of a newer one; its systems run the new code from now on. Returns a sentence
-- on what they keep of the old one, or nil.
function core.replaceClass(class, newer)
    local left = findLeft(class, newer)
    getmetatable(class).__index = getmetatable(newer).__index
    for key in pairs(class) do
        if key ~= "__index" and key ~= "name" and rawget(newer, key) == nil then class[key] = nil end
    end
    for key, value in pairs(newer) do
        if key ~= "__index" and key ~= "name" then class[key] = value end
    end
    core.watchMatchesNow(class)
    return left
end

-- ---- classes of components -----------------------------------------------------------------------

-- The functions that a class has of its own, whatever library made it.
local function functionsOf(class)
    local functions = {}
    for _, where in ipairs { rawget(class, "__declaredMethods") or rawget(class, "__instanceDict") or class, class } do
        for key, value in pairs(type(where) == "table" and where or {}) do
            if type(value) == "function" and key ~= "__index" and key ~= "__newindex" then functions[key] = value end
        end
    end
    return functions
end

-- Whether a class was made from another one, as class libraries note it.
local function derivesFrom(class, base, depth)
    local bases = rawget(class, "__includes")
    if type(bases) ~= "table" or debug.getmetatable(bases) ~= nil then bases = { bases or rawget(class, "super") } end
    for _, each in ipairs(depth < 32 and bases or {}) do
        if type(each) == "table" and (rawequal(each, base) or derivesFrom(each, base, depth + 1)) then return true end
    end
    return false
end

-- Classes that were made from this one by copying it (hump.class, 30log, mixins) have its functions by themselves: gives them
-- the new ones, where they have no others. Knows classes of components and registered ones.
local function updateCopies(class, before, functions)
    local seen = { [class] = true }
    local function update(other)
        if type(other) ~= "table" or seen[other] then return end
        seen[other] = true
        for key, old in pairs(before) do
            if rawequal(rawget(other, key), old) then rawset(other, key, functions[key]) end
        end
        for key, new in pairs(functions) do
            if derivesFrom(other, class, 1) and other[key] == nil then other[key] = new end
        end
    end
    for _, link in pairs(core.links) do
        for _, other in pairs(link.classes) do update(other) end
    end
    for _, other in pairs(core.namedValues) do
        if type(core.identities[other]) == "string" then update(other) end
    end
end

-- Gives a class of components the functions of a newer one, so that instances of the old one run the new code.
function core.updateClass(class, newer)
    if rawequal(class, newer) then return end
    local before, functions = functionsOf(class), functionsOf(newer)
    for key in pairs(before) do
        if functions[key] == nil then class[key] = nil end
    end
    for key, value in pairs(functions) do class[key] = value end
    updateCopies(class, before, functions)
    for key, value in pairs(newer) do
        if type(value) ~= "function" and type(value) ~= "table" and type(key) == "string" and key:sub(1, 2) ~= "__" then
            rawset(class, key, value)
        end
    end
end

-- What all classes of the module share: the data of their objects, which scripts cannot reach; the error for a method
-- that is called on something else; and the error for a method that is not there.

local core = ...
local describe = core.describe

-- Objects to data, in a table that only this module has. It holds neither: an object keeps its data itself, so that
-- the collector can take both, also where the data lead back to the object (core.attach).
function core.privateStore()
    return setmetatable({}, { __mode = "kv" })
end

local setfenv = debug.setfenv

-- Ties data to an object: through a userdata, as scripts cannot look into one. `field` holds it, default "__data".
local ownObjects = setmetatable({}, { __mode = "k" })

function core.attach(store, object, data, field)
    local holder = newproxy()
    setfenv(holder, data)
    rawset(object, field or "__data", holder)
    store[object], ownObjects[object] = data, true
end

-- Whether a value is an object of the module's: a world, a system, a view, a prefab, ...
function core.isOwnObject(value) return ownObjects[value] ~= nil end
function core.noteOwnObject(value) ownObjects[value] = true end

-- The error for a call on the wrong thing: `given` names that thing, `what` the kind that the call belongs to, with its
-- article, and `advice` says what to do.
function core.calledOn(given, what, call, advice, level)
    error(call .. ": called on " .. given .. ", not on " .. what .. "; " .. advice, level + 1)
end

-- The same for a method; `example` is a variable that holds an object that has it.
function core.wrongSelf(value, what, example, call, level)
    call = example .. ":" .. call
    core.calledOn(describe(value), what, call, "write " .. call .. "(...)", level + 1)
end

-- Raises for Class.new(...) in place of Class:new(...), at the line of the call.
function core.requireColon(self, class, call)
    if self ~= class then error(call .. ": write it with a colon", 3) end
end

-- dataOf(object, call): the object's data in `store`. Raises at the line that called the caller.
function core.dataReader(store, what, example)
    return function(object, call)
        local data = store[object]
        if data == nil then core.wrongSelf(object, what, example, call, 3) end
        return data
    end
end

-- ---- names that are not there ------------------------------------------------------------------

local rows = { {}, {}, {} }

-- How many letters must be changed, added, left out or swapped with their neighbour.
local function distance(a, b)
    local before, last, now = rows[1], rows[2], rows[3]
    for j = 0, #b do last[j] = j end
    for i = 1, #a do
        now[0] = i
        for j = 1, #b do
            local isSame = a:byte(i) == b:byte(j)
            local best = math.min(last[j] + 1, now[j - 1] + 1, last[j - 1] + (isSame and 0 or 1))
            if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
                best = math.min(best, before[j - 2] + 1)
            end
            now[j] = best
        end
        before, last, now = last, now, before
    end
    return last[#b]
end

-- The name that was most likely meant, out of those that `names` iterates over (as keys of a table); nil where none
-- comes close.
function core.nearest(name, names)
    if type(name) ~= "string" or #name > 60 then return nil end
    local lower, best, least = name:lower(), nil, nil
    local most = math.max(1, math.floor(#name / 4))
    for each in pairs(names) do
        if type(each) == "string" and each:sub(1, 2) ~= "__" and math.abs(#each - #name) <= most then
            local far = distance(lower, each:lower())
            if far <= most and (not least or far < least or far == least and each < best) then best, least = each, far end
        end
    end
    return best
end

-- The only one that begins with the name: 'TransformCMP' for 'Transform'.
local function only(name, names)
    local found
    if type(name) ~= "string" or #name < 3 then return nil end
    for each in pairs(names) do
        if type(each) == "string" and each:sub(1, #name):lower() == name:lower() then
            if found then return nil end
            found = each
        end
    end
    return found
end

-- "; did you mean 'addEntity'?", or nothing.
function core.suggestion(name, names)
    local meant = core.nearest(name, names) or only(name, names)
    return meant and "; did you mean '" .. meant .. "'?" or ""
end

-- Makes reading a misspelt method of a class raise an error. A name that is like none of them gives nil, as scripts may
-- keep fields of their own. `isMethodLike(key)`: which keys are looked at, if not all.
local mostRemembered = 1000

function core.nameMistakes(class, title, isMethodLike)
    local innocent, count = {}, 0
    setmetatable(class, {
        __index = function(_, key)
            if innocent[key] or type(key) ~= "string" then return nil end
            local meant = (not isMethodLike or isMethodLike(key)) and core.nearest(key, class)
            if meant then error(title .. " has no method '" .. key .. "'; did you mean '" .. meant .. "'?", 2) end
            if count < mostRemembered then innocent[key], count = true, count + 1 end
            return nil
        end,
    })
end

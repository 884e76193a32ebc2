-- Query: a question asked once. world:query():with("EnemyCMP"):without("DeadCMP"):where(isNear):entities()

local core = ...
local ffi = require "ffi"
local type = type  -- a local is a constant to the compiler, a global is not
local C, native, describe = core.C, core.native, core.describe

local Query = {}
Query.__index = Query
core.Query = Query
local queries = core.privateStore()

local dataOf = core.dataReader(queries, "a query", "query")

function core.newQuery(link)
    local query = setmetatable({}, Query)
    core.attach(queries, query, { link = link, with = {}, without = {}, predicates = {} })
    return query
end

for _, call in ipairs { "with", "without" } do
    Query[call] = function(self, component)
        local data = dataOf(self, call)
        core.expect(component, "string", "query:" .. call, "the name of a component")
        if not (data.link.types[component] or core.typeInfo(data.link, component)) then
            error("query:" .. call .. ": " .. core.noComponent(data.link, component), 2)
        end
        table.insert(data[call], component)
        return self
    end
end

-- Several: all must hold.
function Query:where(predicate)
    local data = dataOf(self, "where")
    core.expect(predicate, "function", "query:where", "the predicate")
    table.insert(data.predicates, predicate)
    return self
end

-- Ascending; equal keys, and without it all: world order.
function Query:orderBy(key)
    local data = dataOf(self, "orderBy")
    core.expect(key, "function", "query:orderBy", "the key")
    data.key = key
    return self
end

function Query:limit(most)
    local data = dataOf(self, "limit")
    core.expectWhole(most, "query:limit", "the limit")
    if most < 0 then error("query:limit: the limit must be 0 or more, not " .. most, 2) end
    data.most = most
    return self
end

local function runQuery(number, request, _, ids, room)
    native.query(number, request.with, request.without, request.skipped, request.asked)
    return C.takeList(number, ids, room)
end

local all = 2 ^ 53

-- The matches behind the first `skipped`, at most `asked` of them.
local function matchesOf(data, skipped, asked)
    local request = { with = data.with, without = data.without, skipped = skipped, asked = asked }
    return (core.valuesOf(runQuery, data.link.number, request, 0))
end

local function holdsAll(predicates, entity)
    for i = 1, #predicates do
        if not predicates[i](entity) then return false end
    end
    return true
end

-- The first `most` for which all predicates hold, fetched in parts, so that the rest is not looked at.
local function firstOf(data, most, level)
    local kept, skipped, asked = {}, 0, math.min(math.max(2 * most, 16), 1024)
    local clock = C.getClock(data.link.number)
    repeat
        if C.getClock(data.link.number) ~= clock then
            error("query: the world was reconciled inside a predicate, so that there is no next match", level + 1)
        end
        local part = matchesOf(data, skipped, asked)
        for i = 1, #part do
            if #kept >= most then return kept end
            if holdsAll(data.predicates, part[i]) then kept[#kept + 1] = part[i] end
        end
        local isLast = #part < asked
        skipped, asked = skipped + #part, math.min(2 * asked, all)
    until isLast or #kept >= most
    return kept
end

local Keys, Places = ffi.typeof("double[?]"), ffi.typeof("uint32_t[?]")

-- In the order of their keys; the first `most`.
local function ordered(data, found, most, level)
    local count = #found
    local keys, places = Keys(count + 1), Places(count + 1)
    for i = 1, count do
        local key = data.key(found[i])
        if type(key) ~= "number" or key ~= key then
            error("query:orderBy: the key of " .. tostring(found[i]) .. " must be a number, not " .. describe(key), level + 1)
        end
        keys[i - 1] = key
    end
    if most > count then most = count end
    if C.sortByKeys(keys, places, count, most) ~= 0 then core.raise(level) end
    local result = {}
    for i = 1, most do result[i] = found[places[i - 1] + 1] end
    return result
end

local function entitiesOf(data, most)
    if data.most and data.most < most then most = data.most end
    local predicates = data.predicates
    if #predicates == 0 and not data.key then return matchesOf(data, 0, most) end
    if not data.key and most < all then return firstOf(data, most, 2) end
    local found = matchesOf(data, 0, all)
    if #predicates > 0 then
        local kept = {}
        for i = 1, #found do
            if holdsAll(predicates, found[i]) then kept[#kept + 1] = found[i] end
        end
        found = kept
    end
    if data.key then found = ordered(data, found, most, 3) end
    return found
end

function Query:entities()
    local found = entitiesOf(dataOf(self, "entities"), all)
    return found
end

-- nil where nothing matches.
function Query:first()
    local found = entitiesOf(dataOf(self, "first"), 1)
    return found[1]
end

function Query:count()
    local found = entitiesOf(dataOf(self, "count"), all)
    return #found
end

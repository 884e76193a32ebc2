-- Query: a question asked once. world:query():with("EnemyCMP"):without("DeadCMP"):where(isNear):entities()

local core = ...
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

local function runQuery(number, with, without, ids, room)
    native.query(number, with, without)
    return C.takeList(number, ids, room)
end

local function entitiesOf(data)
    local found = core.valuesOf(runQuery, data.link.number, data.with, data.without)
    if #data.predicates > 0 then
        local kept = {}
        for _, entity in ipairs(found) do
            local holds = true
            for _, predicate in ipairs(data.predicates) do
                if not predicate(entity) then
                    holds = false
                    break
                end
            end
            if holds then kept[#kept + 1] = entity end
        end
        found = kept
    end
    if data.key then
        local keys, places = {}, {}
        for i, entity in ipairs(found) do
            local key = data.key(entity)
            if type(key) ~= "number" or key ~= key then
                error("query:orderBy: the key of " .. tostring(entity) .. " must be a number, not " .. describe(key), 3)
            end
            keys[entity], places[entity] = key, i
        end
        table.sort(found, function(a, b)
            if keys[a] ~= keys[b] then return keys[a] < keys[b] end
            return places[a] < places[b]
        end)
    end
    for i = #found, (data.most or #found) + 1, -1 do found[i] = nil end
    return found
end

function Query:entities()
    local found = entitiesOf(dataOf(self, "entities"))
    return found
end

-- nil where nothing matches.
function Query:first()
    local found = entitiesOf(dataOf(self, "first"))
    return found[1]
end

function Query:count()
    local found = entitiesOf(dataOf(self, "count"))
    return #found
end

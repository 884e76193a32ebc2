-- Templates of entity trees, as prefabs and levels have them: checked and laid out as nodes, parents before
-- children. A template is an entity: name, enabled, rewindable, persistent, disabled (names of components), components,
-- children; what serialize gives is one. A child may name a
-- prefab (`prefab = "name"`); its own fields are then laid over that.

local core = ...
local ffi = require "ffi"
local describe = core.describe

local deepest = 100
core.deepestTemplate = deepest
local deepestData = 200
local mostEntities, mostValues = 2 ^ 18, 2 ^ 22
local mostComponents = 64  -- of an entity: maxComponentsPerEntity

-- The most that all templates of a level, or one prefab, may take. A shared child counts each time it occurs:
-- a few lines could make more entities than there is memory for.
function core.templateBudget(what)
    return { what = what, entities = mostEntities, values = mostValues }
end

local function copyPlain(value, seen)
    if type(value) ~= "table" then return value end
    seen = seen or {}
    if seen[value] then return seen[value] end
    local copy = {}
    seen[value] = copy
    for key, each in pairs(value) do copy[copyPlain(key, seen)] = copyPlain(each, seen) end
    return setmetatable(copy, debug.getmetatable(value))
end
core.copyPlain = copyPlain

-- An error in a template carries the path to what is wrong, so that a level can name the line.
local BadTemplate = {}
BadTemplate.__tostring = function(self) return self.prefix .. self.path .. ": " .. self.text end
core.BadTemplate = BadTemplate

local function bad(keys, text)
    local path = {}
    for _, key in ipairs(keys) do
        path[#path + 1] = type(key) == "number" and "[" .. key .. "]" or (#path > 0 and "." or "") .. tostring(key)
    end
    error(setmetatable({ prefix = "", path = table.concat(path), keys = keys, text = text }, BadTemplate), 0)
end

local function below(keys, ...)
    local path = { unpack(keys) }
    for i = 1, select("#", ...) do path[#path + 1] = (select(i, ...)) end
    return path
end
core.below = below

-- Values of a list under names, or after a hole, would be dropped silently.
function core.expectList(list, keys, what, raise)
    local count = 0
    for key in pairs(list) do
        count = count + 1
        if type(key) ~= "number" or key < 1 or key % 1 ~= 0 then
            raise(below(keys, key), what .. " are a list of templates, not keyed by " .. describe(key)
                .. "; a template says its name in the field 'name' (it is overrides that are keyed by name)")
        end
    end
    for i = 1, count do
        if list[i] == nil then raise(below(keys, i), "is nil; " .. what .. " are a list without holes") end
    end
end

local templateKeys = { name = "string", enabled = "boolean", rewindable = "boolean", components = "table",
    children = "table", prefab = "string", persistent = "boolean", disabled = "table" }

local function copyShallow(value)
    local copy = {}
    for key, each in pairs(value or copy) do copy[key] = each end
    return setmetatable(copy, debug.getmetatable(value))
end

-- A template laid over another: components are merged field by field, children are added. Shares what it
-- does not merge with both.
local function overlay(base, over)
    local result = copyShallow(base)
    for key, value in pairs(over) do
        if key == "components" then
            result.components = copyShallow(base.components)
            for name, fields in pairs(value) do
                local under = result.components[name]
                if type(under) == "table" and type(fields) == "table" then
                    local merged = copyShallow(under)
                    for field, each in pairs(fields) do merged[field] = each end
                    result.components[name] = merged
                elseif type(under) ~= "table" or fields ~= true then
                    result.components[name] = fields
                end
            end
        elseif key == "children" then
            result.children = copyShallow(base.children)
            for _, child in ipairs(value) do table.insert(result.children, child) end
        elseif key ~= "prefab" then
            result[key] = value
        end
    end
    return result
end

-- Takes the values of a script component's table from the budget.
local function spend(value, keys, budget, depth, seen)
    if type(value) ~= "table" or seen[value] then return end
    seen[value] = true
    if depth > deepestData then bad(keys, "tables are nested more than " .. deepestData .. " deep") end
    for key, each in pairs(value) do
        budget.values = budget.values - 1
        if budget.values < 0 then
            bad(keys, budget.what .. " has more than " .. mostValues .. " values in script components; tables that are shared count "
                .. "for each entity; make them by code")
        end
        spend(key, keys, budget, depth + 1, seen)
        spend(each, keys, budget, depth + 1, seen)
    end
end

-- A template with the prefab that it names beneath it, and all that this one builds on.
local function resolve(link, template, keys, depth)
    local name = template.prefab
    if not name then return template, 0 end
    local base = link.prefabs[name]
    if not base then bad(below(keys, "prefab"), "no prefab is named '" .. name .. "'") end
    if depth > deepest then bad(below(keys, "prefab"), "prefab '" .. name .. "' builds on itself, in a circle") end
    base = resolve(link, core.templateOf(base), keys, depth + 1)
    return overlay(base, template), #(base.children or {})
end

-- Turns a template into nodes, parents before children. Raises BadTemplate.
function core.flattenTemplate(link, template, nodes, parent, keys, depth, defaultName, budget, origin)
    budget.entities = budget.entities - 1
    if budget.entities < 0 then
        bad(keys, budget.what .. " has more than " .. mostEntities .. " entities; children that are shared count wherever they stand; "
            .. "make so many by code, with spawnMany")
    end
    if type(template) ~= "table" then bad(keys, "must be a table that describes an entity, not " .. describe(template)) end
    if depth > deepest then bad(keys, "children are nested more than " .. deepest .. " deep, or in a circle") end
    for key, value in pairs(template) do
        local kind = templateKeys[key]
        if not kind then
            bad(below(keys, key), "is not a field of an entity; those are name, enabled, rewindable, persistent, disabled, "
                .. "components, children, prefab")
        end
        if type(value) ~= kind then bad(below(keys, key), "must be a " .. kind .. ", not " .. describe(value)) end
    end
    if template.children then core.expectList(template.children, below(keys, "children"), "children", bad) end
    local basis, inherited = template.prefab, nil
    template, inherited = resolve(link, template, keys, 1)
    local node = { name = template.name or defaultName or basis or "entity", parent = parent, enabled = template.enabled,
        rewindable = template.rewindable, persistent = template.persistent, disabled = template.disabled, components = {},
        scripts = {}, references = {}, origin = basis and #nodes or origin or 0 }
    if node.enabled == nil then node.enabled = true end
    if node.rewindable == nil then node.rewindable = true end
    local names = {}
    for name in pairs(template.components or {}) do
        if type(name) ~= "string" then bad(below(keys, "components"), "is keyed by component name, not by " .. describe(name)) end
        names[#names + 1] = name
    end
    if #names > mostComponents then
        bad(below(keys, "components"), "has " .. #names .. " components, more than the " .. mostComponents .. " that fit")
    end
    table.sort(names)
    for _, name in ipairs(names) do
        local fields = template.components[name]
        local info = link.types[name] or core.typeInfo(link, name)
        local place = below(keys, "components", name)
        if not info then bad(place, core.noComponent(link, name)) end
        if fields ~= true and type(fields) ~= "table" then
            bad(place, "must be a table of fields, or true, not " .. describe(fields))
        end
        if info.isScript then
            spend(fields, place, budget, 1, {})
            -- Without a table, each instance gets one that the class makes.
            table.insert(node.scripts, { name = name, table = fields ~= true and copyPlain(fields) or nil })
        else
            local found
            if fields ~= true then fields, found = core.splitReferences(info, fields) end
            for _, each in ipairs(found or {}) do table.insert(node.references, each) end
            local ok, message = pcall(info.fill, fields ~= true and fields or {}, nil, info.initial)
            local bytes = ffi.string(info.scratch, info.size)
            if not ok then
                local text = tostring(message):gsub("^[^\n]-:%d+: ", "")
                local field = text:match("field '([^']*)'")
                bad(field and below(place, field) or place, text)
            end
            table.insert(node.components, { name = name, type = info.id, bytes = bytes })
        end
    end
    nodes[#nodes + 1] = node
    local place = #nodes - 1
    for i, child in ipairs(template.children or {}) do
        local written = i > inherited and below(keys, "children", i - inherited) or below(keys, "prefab")
        core.flattenTemplate(link, child, nodes, place, written, depth + 1, nil, budget, node.origin)
    end
end

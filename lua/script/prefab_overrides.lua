-- What makes an instance of a prefab whole: its script components, and the overrides that a spawn gives.

local core = ...
local C, describe, copyPlain = core.C, core.describe, core.copyPlain
local copy = require("ffi").copy

local function addScripts(data, ids)
    local number = data.link.number
    local entities = {}
    for i = 0, data.size - 1 do
        entities[i] = core.valueOf(number, ids[i].index, ids[i].generation)
    end
    for i = 0, data.size - 1 do
        local node = data.nodes[i + 1]
        local root = entities[node.origin]
        for _, script in ipairs(node.scripts) do
            local info = data.link.types[script.name] or core.typeInfo(data.link, script.name)
            core.addScriptFromPlain(entities[i], data.link, info, script.table, root)
        end
        core.applyReferences(entities[i], node.references, root)
        for _, name in ipairs(node.disabled or {}) do entities[i]:setComponentEnabled(name, false) end
        if node.persistent == false then entities[i]:setPersistent(false) end
    end
end

-- What C++ does not do for an instance: script components, references, flags.
function core.addPrefabScripts(data, ids)
    if not data.hasScripts then return end
    if data.refersToComponents == nil then
        data.refersToComponents = false
        for _, node in ipairs(data.nodes) do
            for _, script in ipairs(node.scripts) do
                if core.refersToComponents(script.table) then data.refersToComponents = true end
            end
        end
    end
    if data.refersToComponents then core.settleReferences(addScripts, data, ids) else addScripts(data, ids) end
end

local function quoted(name)
    return type(name) == "string" and "'" .. name .. "'" or describe(name)
end

local function badFields(name, fields, call)
    error(call .. ": the overrides of component " .. quoted(name) .. " must be a table, not " .. describe(fields), 0)
end

-- Overrides of any shape; see core.makePatch for the fast way.
local function applyOverrides(entity, overrides, call)
    for name, fields in pairs(overrides) do
        if name == "children" then
            if type(fields) ~= "table" then
                error(call .. ": the overrides of children must be a table keyed by their names, not " .. describe(fields), 0)
            end
            local byName = {}
            for _, child in ipairs(entity:getChildren()) do
                local childName = child:getName()
                byName[childName] = byName[childName] or child
            end
            for childName, each in pairs(fields) do
                if not byName[childName] then
                    error(call .. ": " .. tostring(entity) .. " has no child named " .. describe(childName), 0)
                end
                if type(each) ~= "table" then
                    error(call .. ": the overrides of child " .. describe(childName) .. " must be a table, not " .. describe(each), 0)
                end
                applyOverrides(byName[childName], each, call)
            end
        else
            if type(fields) ~= "table" then badFields(name, fields, call) end
            local link = core.links[entity.__link]
            local info = link.types[name] or core.typeInfo(link, name)
            if not info then error(call .. ": " .. core.noComponent(link, name), 0) end
            if info.isScript then fields = copyPlain(fields) end  -- instances share nothing
            if entity:hasComponent(name) then
                local component = entity:getComponent(name)
                for field, value in pairs(fields) do component[field] = value end
            else
                entity:addComponent(name, fields)
            end
        end
    end
end

core.applyOverrides = applyOverrides

local function patchOne(entity, info, initial, fields, call)
    if type(fields) ~= "table" then badFields(info.name, fields, call) end
    info.fill(fields, nil, initial)
    if C.setComponent(entity.__link, entity.__index, entity.__generation, info.id, info.scratch) ~= 0 then
        error(call .. ": " .. tostring(entity) .. " was destroyed before it was complete", 0)
    end
end

-- A function for this very template, without loops, so that the loop that spawns is compiled:
-- it writes the overrides of native components that a fresh instance has. False: there were others, too.
local mostPatched = 8

function core.makePatch(link, node)
    if #node.components > mostPatched then return nil end
    local infos, initials = {}, {}
    local code = { "local next, rawget, rawset, patchOne, infos, initials = ...\n" }
    for i, component in ipairs(node.components) do
        infos[i] = link.types[component.name]
        initials[i] = infos[i].struct()
        copy(initials[i], component.bytes, infos[i].size)
        code[#code + 1] = ("local info%d, initial%d = infos[%d], initials[%d]\n"):format(i, i, i, i)
    end
    local function each(line)
        for i, component in ipairs(node.components) do
            code[#code + 1] = line:gsub("@", i):gsub("NAME", function() return ("%q"):format(component.name) end) .. "\n"
        end
    end
    code[#code + 1] = "return function(entity, o, call)\n"
    each "local v@ = rawget(o, NAME)"
    -- Taken out for a moment, as in component_overrides.lua.
    each "if v@ ~= nil then rawset(o, NAME, nil) end"
    code[#code + 1] = "local other = next(o)\n"
    each "if v@ ~= nil then rawset(o, NAME, v@) end"
    each "if v@ ~= nil then patchOne(entity, info@, initial@, v@, call) end"
    code[#code + 1] = "return other == nil\nend"
    return assert(loadstring(table.concat(code), "=revenant/prefab"))(next, rawget, rawset, patchOne, infos, initials)
end

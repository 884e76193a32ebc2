-- ComponentRequirementDesc: what a view wants of a component: must have, optional or without; read-only or
-- read-write.

local core = ...
local describe = core.describe

local ComponentRequirementDesc = {}
ComponentRequirementDesc.__index = ComponentRequirementDesc
core.ComponentRequirementDesc = ComponentRequirementDesc

local presences = { mustHave = 0, optional = 1, without = 2 }
core.presences = presences
local descs = core.privateStore()  -- desc -> {presence, readOnly}

local function expectFlag(value, call, what)
    if value ~= nil and type(value) ~= "boolean" then
        error(call .. ": " .. what .. " must be true or false, not " .. describe(value), 3)
    end
end

-- mustHave: default true; false: optional. readOnly: default false.
function ComponentRequirementDesc:new(mustHave, readOnly)
    core.requireColon(self, ComponentRequirementDesc, "ComponentRequirementDesc:new")
    expectFlag(mustHave, "ComponentRequirementDesc:new", "mustHave")
    expectFlag(readOnly, "ComponentRequirementDesc:new", "readOnly")
    local desc = setmetatable({}, ComponentRequirementDesc)
    core.attach(descs, desc,
        { presence = mustHave == false and presences.optional or presences.mustHave, readOnly = readOnly == true })
    return desc
end

-- The same by name: mustHave() and optional() take "readWrite", the default, or "readOnly". With a dot or a colon.
local accesses = { readWrite = false, readOnly = true }

for _, presence in ipairs { "mustHave", "optional" } do
    ComponentRequirementDesc[presence] = function(self, access)
        if self ~= ComponentRequirementDesc then access = self end
        local readOnly = accesses[access == nil and "readWrite" or access]
        if readOnly == nil then
            error("ComponentRequirementDesc." .. presence .. ': the access is "readWrite" or "readOnly", not '
                .. describe(access), 2)
        end
        local desc = setmetatable({}, ComponentRequirementDesc)
        descs[desc] = { presence = presences[presence], readOnly = readOnly }
        return desc
    end
end

function ComponentRequirementDesc:without()
    local desc = setmetatable({}, ComponentRequirementDesc)
    core.attach(descs, desc, { presence = presences.without, readOnly = true })
    return desc
end

local function textOf(presence, readOnly)
    if presence == presences.without then return "without" end
    return (presence == presences.mustHave and "must have" or "optional") .. (readOnly and ", read-only" or ", read-write")
end

function ComponentRequirementDesc:__tostring()
    local is = descs[self]
    return is and textOf(is.presence, is.readOnly) or "ComponentRequirementDesc"
end

-- Normalised requirements, for people.
function core.requirementsText(wanted)
    local texts = {}
    for i, each in ipairs(wanted) do texts[i] = each[1] .. " (" .. textOf(each[2], each[3]) .. ")" end
    return #texts > 0 and table.concat(texts, ", ") or "all entities"
end

-- Requirements as the native side takes them, in name order, and a key that equal ones share.
function core.normaliseRequirements(requirements, call)
    if type(requirements) ~= "table" then
        error(call .. ": takes a table of requirements keyed by component name, not " .. describe(requirements), 4)
    end
    local wanted, key = {}, {}
    for name, desc in pairs(requirements) do
        if type(name) ~= "string" then
            error(call .. ": requirements are keyed by component name, not by " .. describe(name)
                .. "; write { TransformCMP = ComponentRequirementDesc:new() }", 4)
        end
        local is = descs[desc]
        if not is then
            error(call .. ": the requirement of '" .. name .. "' must be a ComponentRequirementDesc, not "
                .. describe(desc) .. "; write ComponentRequirementDesc:new()", 4)
        end
        wanted[#wanted + 1] = { name, is.presence, is.readOnly }
    end
    table.sort(wanted, function(a, b) return a[1] < b[1] end)
    for i, each in ipairs(wanted) do
        key[i] = #each[1] .. ":" .. each[1] .. each[2] .. (each[3] and "r" or "w")
    end
    return wanted, table.concat(key, ",")
end

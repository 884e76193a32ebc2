-- Which component a table is, so that no two entities share one, and so that data that holds it refers to the component.

local core = ...
local ffi = require "ffi"
local C, links, metaOf = core.C, core.links, core.metaOf
local reference = ffi.typeof("const revenant_ScriptReference *")

-- Which component a table is or was: table -> {link, number, index and generation of the entity, type, serial, name}. Those that are registered classes, too,
-- are kept apart.
local identities = core.identities
local classBindings = setmetatable({}, { __mode = "k" })
local LINK, NUMBER, INDEX, GENERATION, TYPE, SERIAL, NAME = 1, 2, 3, 4, 5, 6, 7

local function bindingOf(instance)
    local binding = identities[instance]
    if type(binding) == "table" then return binding end
    return classBindings[instance]
end

local function setBinding(instance, binding)
    if type(identities[instance]) == "string" then
        classBindings[instance] = binding
    else
        identities[instance] = binding
    end
end

function core.noteClassBinding(class, binding) classBindings[class] = binding end

-- Records which component a table becomes. No other table gets its serial.
local function bind(link, instance, place, index, generation, info)
    local serial = link.lastSerial + 1
    link.lastSerial = serial
    local binding = { link.number, place, index, generation, info.id, serial, info.name }
    setBinding(instance, binding)
    return binding
end

core.bind, core.bindingOf, core.setBinding, core.bindingNumber = bind, bindingOf, setBinding, NUMBER

function core.isComponentTable(table)
    local binding = bindingOf(table)
    if not binding then return false end
    local at = C.findComponent(binding[LINK], binding[INDEX], binding[GENERATION], binding[TYPE])
    return at ~= nil and ffi.cast(reference, at).table == binding[NUMBER]
        and ffi.cast(reference, at).link == links[binding[LINK]].mark
end

-- For detached_cycles: whether a table is a component's, and the index of the entity that has it.
function core.ownerIndexOf(table)
    local binding = bindingOf(table)
    return binding and binding[INDEX]
end

-- Which component type a table is bound as.
function core.typeOfScript(instance)
    local binding = bindingOf(instance)
    return binding and binding[TYPE]
end

-- The component that a table is or was: its entity, and its name.
function core.componentOfTable(link, instance)
    local binding = bindingOf(instance)
    if not binding or binding[LINK] ~= link.number then return nil end
    return core.valueOf(link.number, binding[INDEX], binding[GENERATION]), binding[NAME]
end

-- For a component that is out: from now on componentOf gives this table for it, as long as anything refers to the table.
function core.keepStaleComponent(instance)
    local binding = bindingOf(instance)
    if binding then links[binding[LINK]].staleComponents[binding[SERIAL]] = instance end
end

-- The table that an entity has as a component of that very type, not as the base of another; made empty where a history
-- that was saved elsewhere has it, but has not filled it yet.
local function presentTable(link, index, generation, info)
    local at = C.findComponent(link.number, index, generation, info.id)
    local to = at ~= nil and ffi.cast(reference, at)
    if not to or to.link ~= link.mark or to.table == 0 then return nil end
    local instance = link.tables[to.table]
    if instance == nil and C.adoptTable(link.number, index, generation, info.id, to.table) ~= 0 then
        core.adoptScript(link.number, info.name, index, generation, to.table)
        instance = link.tables[to.table]
    end
    return instance ~= nil and core.typeOfScript(instance) == info.id and instance or nil
end

local function isThat(instance, index, generation, info, serial)
    local binding = instance and bindingOf(instance)
    return binding and binding[SERIAL] == serial and binding[INDEX] == index and binding[GENERATION] == generation
        and binding[TYPE] == info.id
end

-- Makes an empty table for a component that is gone, so that the reference stays one, as a reference to a destroyed entity does.
local function standIn(link, index, generation, info, place, serial)
    local class = link.classes[info.name]
    local instance = class and setmetatable({}, metaOf(class)) or {}
    setBinding(instance, { link.number, place, index, generation, info.id, serial, info.name })
    link.staleComponents[serial] = instance
    return instance
end

-- The same for one that was not in the save that refers to it: one table for all references.
local function goneComponent(link, index, generation, info)
    local key = index .. "." .. generation .. "." .. info.name
    local instance = link.goneComponents[key]
    if not instance then
        link.lastSerial = link.lastSerial + 1
        instance = standIn(link, index, generation, info, 0, link.lastSerial)
        link.goneComponents[key] = instance
    end
    return instance
end

-- The table that data refers to. If it was collected, it is made anew, empty. `serial` 0: it was written elsewhere, and nil
-- stands for a component that is gone. `isUnsaved`: it was written by a save that does not have it.
function core.componentOf(number, index, generation, name, place, serial, isUnsaved)
    local link = links[number]
    local info = link.types[name] or core.typeInfo(link, name)
    if not info or not info.isScript then return nil end
    if isUnsaved then return goneComponent(link, index, generation, info) end
    local known = link.tables[place]
    if isThat(known, index, generation, info, serial) then return known end
    known = link.staleComponents[serial]
    if isThat(known, index, generation, info, serial) then return known end
    local present = presentTable(link, index, generation, info)
    if present or serial == 0 then return present end
    return standIn(link, index, generation, info, place, serial)
end

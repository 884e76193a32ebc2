-- The links of this state to worlds. A world's link (core.links) is this state's record of it:
--   number, world       its number on the native side, its Lua value
--   strong, weak        values of entities, by index
--   stale               values of entities that were destroyed, by id, as far as anything asked for them
--   types, classes      component types by name; classes of script components
--   methods             classes whose methods native components have, by name
--   tables              tables of script components, by number
--   strings             texts of string ids, good for so many stringReuses
--   slot                what C types that belong to this world know it by
--   views, prefabs      by key, by name

local core = ...
local links, native, describe = core.links, core.native, core.describe

local World = {}
World.__index = World
core.World = World
local worlds = core.privateStore()  -- world -> its link

-- LuaJIT never frees a C type and has room for 65 536 of them, while worlds come and go. So a C type knows its world
-- by a slot, {number, link}, which is given to another world when this one has ended.
local freeSlots = {}

local function takeSlot(link)
    local slot = table.remove(freeSlots) or { types = {} }
    slot.number, slot.link = link.number, link
    return slot
end

local function linkAt(number)
    local link = links[number]
    if link then return link end
    link = {
        number = number,
        strong = {},
        weak = setmetatable({}, { __mode = "v" }),
        stale = setmetatable({}, { __mode = "v" }),
        types = {},
        classes = {},
        methods = {},
        tables = {},
        strings = {},
        stringReuses = 0,
        views = {},
        prefabs = {},
        rewind = setmetatable({}, { __mode = "v" }),
        beforeReconcile = {},
    }
    link.slot = takeSlot(link)
    links[number] = link
    link.world = setmetatable({}, World)
    worlds[link.world] = link
    return link
end

function World:__tostring()
    local link = worlds[self]
    return link and "World #" .. link.number or "World"
end

function core.worldOf(number)
    return linkAt(number).world
end

local instance
function core.instance()
    instance = instance or linkAt(native.getInstance())
    return instance
end

function core.linkOf(world, call, level)
    local link = worlds[world]
    if not link then error(call .. ": takes a world, not " .. describe(world), level + 1) end
    return link
end

-- The link of the world that a method was called on.
core.ownLink = core.dataReader(worlds, "a world", "world")

-- Called by the native side when the world was reset.
function core.forgetAll(number)
    local link = links[number]
    if not link then return end
    link.strong = {}
    link.weak = setmetatable({}, { __mode = "v" })
    link.tables = {}
    link.deferred = nil
    core.forgetViews(link)
    core.forgetSystems(link)
    link.beforeReconcile = {}
end

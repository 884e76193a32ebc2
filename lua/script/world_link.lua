-- The links of this state to worlds. A world's link (core.links) is this state's record of it:
--   number, world       its number on the native side, its Lua value
--   mark                its number among the links of its world, which script components have
--   strong, weak        values of entities, by index
--   stale               values of entities that were destroyed, by id, as far as anything asked for them
--   types, classes      component types by name; classes of script components
--   migrations          functions that bring saved components into their present version, by name
--   methods             classes whose methods native components have, by name
--   moves               where the native side counts moves of components (component_handle.lua)
--   listenerChanges     where it counts changes of listeners; audiences: see listeners.lua
--   tables              tables of script components, by number
--   staleComponents     tables that were components, by serial, as far as data refers to them; lastSerial: of all
--   goneComponents      those that were not in a save, by entity and name
--   kept                values of Lua's that the native side keeps for the world: listeners, resources
--   systems             registered ones, by number: {system, data}
--   slot                what C types that belong to this world know it by
--   views, prefabs      by key, by name
--   shapes              component types of shapes, by number (serialize.lua)
--
-- All that scripts can have of a world refers to its link, except for values of entities and components. So when a link
-- of a world made by World:new() cannot be reached any more, the world is disposed of. Nothing in this module may hold
-- such a link for longer than a call.

local core = ...
local native, describe = core.native, core.describe

local World = {}
World.__index = World
core.World = World
local worlds = core.privateStore()  -- world -> its link

-- LuaJIT never frees a C type and has room for 65 536 of them, while worlds come and go. So a C type knows its world
-- by a slot, {number, strings}, which is given to another world when this one has ended.
--   strings             texts of string ids, good for so many stringReuses
local freeSlots = {}

local function takeSlot(number)
    local slot = table.remove(freeSlots) or { types = {} }
    slot.number, slot.strings, slot.stringReuses = number, {}, 0
    return slot
end

local ended = "this world has ended: it was disposed of, or collected because nothing but its entities was left of it"

-- Takes the place of the link of a world that has ended.
local function raiseEnded() error(ended, 3) end
local endedTable = setmetatable({}, { __index = raiseEnded, __newindex = raiseEnded })
local endedLink = {
    number = 0, mark = 0, strong = {}, weak = {}, stale = setmetatable({}, { __newindex = function() end }), types = endedTable, handlesOf = {}, classes = {}, methods = {}, tables = {}, staleComponents = {}, goneComponents = {}, lastSerial = 0, kept = {},
    systems = {}, views = endedTable, prefabs = endedTable, rewind = {}, beforeReconcile = {}, isEnded = true,
}

local links = setmetatable(core.links, { __mode = "v", __index = function() return endedLink end })
local lasting = {}  -- links of worlds that this state does not own
local lost = {}     -- links of worlds that nothing can reach any more

-- Its finalizer revives the link, which is then disposed of where that is safe.
local function anchorOf(link)
    local anchor = newproxy(true)
    getmetatable(anchor).__gc = function() lost[#lost + 1] = link end
    return anchor
end

local function linkAt(number, isOwn)
    local link = rawget(links, number)
    if link then return link end
    link = {
        number = number,
        mark = native.getMark(number),
        world = setmetatable({}, World),
        strong = {},
        weak = setmetatable({}, { __mode = "v" }),
        stale = setmetatable({}, { __mode = "v" }),
        types = {},
        handlesOf = {},  -- by name: the handles of native components (component_type.lua)
        classes = {},
        methods = {},
        migrations = {},
        tables = {},
        staleComponents = setmetatable({}, { __mode = "v" }),
        goneComponents = setmetatable({}, { __mode = "v" }),
        lastSerial = 0,
        kept = {},
        systems = {},
        views = {},
        prefabs = {},
        shapes = {},
        rewind = setmetatable({}, { __mode = "v" }),
        beforeReconcile = {},
        slot = takeSlot(number),
        moves = core.C.getMoves(number),
        listenerChanges = core.C.getListenerChanges(number),
        audiences = {},
    }
    core.attach(worlds, link.world, link)
    core.keptValues[number] = link.kept
    if isOwn then link.anchor = anchorOf(link) else lasting[number] = link end
    links[number] = link
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
    if link.isEnded then error(call .. ": " .. ended, level + 1) end
    return link
end

-- The link of the world that a method was called on.
function core.ownLink(world, call)
    local link = worlds[world]
    if link == nil then core.wrongSelf(world, "a world", "world", call, 3) end
    if link.isEnded then error("world:" .. call .. ": " .. ended, 3) end
    return link
end

-- ---- worlds of this state's own ---------------------------------------------------------------------

-- Drops everything that the link has.
local function forget(link)
    core.forgetAll(link)
    freeSlots[#freeSlots + 1] = link.slot
    for key in pairs(link) do link[key] = endedLink[key] end
    link.isEnded = true
end

local live, collectAt = 0, 16

local function dispose(link)
    local number = link.number
    local ok, message = pcall(native.dispose, number)
    if not native.hasLink(number) then
        forget(link)
        links[number] = nil
        live = live - 1
    end
    return ok, message
end
core.disposeLink = dispose

-- Disposes of worlds that the collector has found. Errors of their components are dropped, as no call could raise them.
function core.disposeLost()
    while #lost > 0 do
        local link = table.remove(lost)
        if not link.isEnded then dispose(link) end
    end
end

-- Worlds are large, but small to the collector, which is therefore run now and then.
function core.makeWorld()
    if live >= collectAt then
        collectgarbage()
        core.disposeLost()
        collectAt = math.max(16, live * 2)
    end
    core.disposeLost()
    live = live + 1
    return linkAt(native.makeWorld(), true).world
end

-- ---- for the native side ----------------------------------------------------------------------------

function core.forgetAll(link)
    if type(link) == "number" then link = rawget(links, link) end  -- the world was reset
    if not link then return end
    link.strong = {}
    link.weak = setmetatable({}, { __mode = "v" })
    link.tables = {}
    link.audiences = {}
    for name, info in pairs(link.types) do
        info.handles = {}
        link.handlesOf[name] = not info.isScript and info.handles or nil
    end
    link.deferred = nil
    core.forgetViews(link)
    core.forgetSystems(link)
    link.beforeReconcile = {}
end

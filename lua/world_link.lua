-- The links of this state to worlds. A world's link (core.links) is this state's record of it:
--   number, world       its number on the native side, its Lua value
--   strong, weak        values of entities, by index
--   types, classes      component types by name; classes of script components
--   tables              tables of script components, by number
--   strings             texts of string ids
--   views, prefabs      by key, by name

local core = ...
local links, native, describe = core.links, core.native, core.describe

local World = {}
World.__index = World
core.World = World
local worlds = core.privateStore()  -- world -> its link

local function linkAt(number)
    local link = links[number]
    if link then return link end
    link = {
        number = number,
        strong = {},
        weak = setmetatable({}, { __mode = "v" }),
        types = {},
        classes = {},
        tables = {},
        strings = {},
        views = {},
        prefabs = {},
        rewind = setmetatable({}, { __mode = "v" }),
        beforeReconcile = {},
    }
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
function core.ownLink(world, call)
    local link = worlds[world]
    if not link then
        error("World:" .. call .. ": called on " .. describe(world) .. ", not on a world; write world:" .. call .. "(...)", 3)
    end
    return link
end

-- Called by the native side when the world was reset.
function core.forgetAll(number)
    local link = links[number]
    if not link then return end
    link.strong = {}
    link.weak = setmetatable({}, { __mode = "v" })
    link.tables = {}
    core.forgetViews(link)
    core.forgetSystems(link)
    link.beforeReconcile = {}
end

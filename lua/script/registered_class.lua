-- Registered classes: names for classes, so that instances inside of recorded data can be written down and made again.
-- Class libraries differ in what the metatable of an instance is: the class itself (classic, hump.class, 30log, plain
-- metatables), a table of the class's (middleclass), or any table whose __index is the class.

local core = ...
local describe = core.describe

local classes = {}                                        -- name -> class, or another value that has a name
-- By value: the name of a registered class or of a shared value, or the record of a component (script_component.lua).
local identities = setmetatable({}, { __mode = "k" })
local metas = {}                                          -- name -> the metatable that its instances get
local namesByMeta = setmetatable({}, { __mode = "k" })    -- metatable of instances -> name
local ownMetas = setmetatable({}, { __mode = "k" })       -- class without __index -> a metatable made for it

-- The metatable for a table that is to become an instance of the class.
local function metaOf(class)
    local dictionary = rawget(class, "__instanceDict")
    if type(dictionary) == "table" then return dictionary end
    if rawget(class, "__index") ~= nil then return class end
    local meta = ownMetas[class]
    if not meta then
        meta = { __index = class }
        ownMetas[class] = meta
    end
    return meta
end
core.metaOf = metaOf

-- An instance that was not constructed, for recorded data to fill: without fields, unless hooks fill it. Some libraries know
-- their instances by more than the metatable: middleclass keeps the class in each; 30log has a list of them, and makes them by create.
function core.emptyInstance(class, meta)
    local made
    if rawget(class, "__instances") ~= nil and type(rawget(class, "create")) == "function" then made = class:create() end
    local isListed = type(made) == "table" and debug.getmetatable(made) == meta
    if not isListed then made = setmetatable({}, meta) end
    if made.getRewindState == nil then
        if isListed then
            for key in next, made do rawset(made, key, nil) end
        end
    elseif rawequal(rawget(class, "__instanceDict"), meta) then
        rawset(made, "class", class)
    end
    return made
end

-- The name under which a class is registered with instances of this metatable; nil for none.
function core.nameOfMeta(meta)
    local name = namesByMeta[meta]
    if name then return name end
    local index = rawget(meta, "__index")
    name = type(index) == "table" and identities[index] or nil
    if type(name) == "string" then
        namesByMeta[meta] = name
        if metas[name] == ownMetas[index] then metas[name] = meta end
        return name
    end
    return nil
end

core.identities = identities
core.namedValues = classes
-- For the native side: metatable of a component -> the class that the component keeps of itself (self.class).
core.ownClasses = setmetatable({}, { __mode = "kv" })

-- For the native side, which says where the name stands: nil where no class has it.
function core.findClass(name) return classes[name] end
function core.findEmpty(name) return metas[name] and core.emptyInstance(classes[name], metas[name]) end

local function expectClass(name)
    if not classes[name] then
        error("class '" .. name .. "' is not registered; call revenant.registerClass('" .. name .. "', class) first", 0)
    end
end

function core.classOf(name)
    expectClass(name)
    return classes[name]
end

function core.metaNamed(name)
    expectClass(name)
    return metas[name]
end

function core.registerClass(name, class)
    core.expect(name, "string", "registerClass", "the name of the class")
    if name == "" then error("registerClass: a class needs a name", 2) end
    if type(class) ~= "table" then
        error("registerClass: class '" .. name .. "' must be a table, not " .. describe(class), 2)
    end
    core.expectHooks(class, "registerClass: class '" .. name .. "'")
    local before = identities[class]
    if type(before) == "string" and before ~= name then
        error("registerClass: this class is already registered as '" .. before .. "'; it cannot be '" .. name .. "', too", 2)
    end
    if classes[name] and not rawequal(classes[name], class) and not core.isReloading then
        error("registerClass: another class is already registered as '" .. name .. "'; names must be unique", 2)
    end
    if type(before) == "table" then core.noteClassBinding(class, before) end
    classes[name], identities[class] = class, name
    metas[name] = metaOf(class)
    namesByMeta[metas[name]] = name
    return class
end

-- Names a table, a function or a userdata that the game shares: data that mentions it refers to it.
function core.registerShared(name, value)
    core.expect(name, "string", "registerShared", "the name")
    if name == "" then error("registerShared: what is shared needs a name", 2) end
    local kind = type(value)
    if kind ~= "table" and kind ~= "function" and kind ~= "userdata" then
        error("registerShared: '" .. name .. "' must be a table, a function or a userdata, not " .. describe(value), 2)
    end
    local before = identities[value]
    if type(before) == "string" and before ~= name then
        error("registerShared: this value is already registered as '" .. before .. "'; it cannot be '" .. name .. "', too", 2)
    end
    if classes[name] ~= nil and not rawequal(classes[name], value) and not core.isReloading then
        error("registerShared: another value is already registered as '" .. name .. "'; names must be unique", 2)
    end
    if type(before) == "table" then
        error("registerShared: '" .. name .. "' is a script component, which data refers to anyway", 2)
    end
    classes[name], identities[value] = value, name
    return value
end

-- ---- members of classes: what a script component keeps of its own class, as the state of a machine or a base class ----

core.memberNames = setmetatable({}, { __mode = "k" })  -- metatable of a component -> function or table -> name
local memberNames = core.memberNames

-- What instances with this metatable find under a name.
function core.memberOf(meta, name)
    local index = rawget(meta, "__index")
    if type(index) == "table" then return index[name] end
    return meta[name]
end

-- The first of its names, where a class has a member under several.
local function findMember(meta, member)
    local found
    local at = type(rawget(meta, "__index")) == "table" and rawget(meta, "__index") or meta
    for _ = 1, 32 do
        for key, value in next, at do
            if rawequal(value, member) and type(key) == "string" and (not found or key < found)
                and rawequal(core.memberOf(meta, key), member) then
                found = key
            end
        end
        local above = debug.getmetatable(at)
        at = type(above) == "table" and rawget(above, "__index")
        if found or type(at) ~= "table" then return found end
    end
end

-- The name that a function or table has in the class of a component; nil for any other. One that was seen once keeps it,
-- even if a reloaded file has another one there now.
function core.memberName(meta, member)
    local names = memberNames[meta]
    if not names then
        names = setmetatable({}, { __mode = "k" })
        memberNames[meta] = names
    end
    local name = names[member]
    if name == nil then
        name = findMember(meta, member)
        names[member] = name
    end
    return name
end

-- ---- instances inside of recorded data -----------------------------------------------------------

-- Whether its class has hooks, the state that they give, and the keys that its class ignores.
function core.getInstanceState(instance)
    local get = instance.getRewindState
    if get == nil then return false, nil, core.ignoredOf(instance) end
    core.expectHooks(instance, "the class of an instance")
    return true, (get(instance)), nil
end

function core.makeEmpty(name) return core.emptyInstance(core.classOf(name), core.metaNamed(name)) end
function core.restoreInstance(instance, state) instance:restoreRewindState(state) end

-- Raises for a class that has one of the hooks without the other; `what` begins the sentence.
function core.expectHooks(class, what)
    local get, restore = class.getRewindState, class.restoreRewindState
    for name, hook in pairs { getRewindState = get, restoreRewindState = restore, lerpRewindState = class.lerpRewindState } do
        if hook ~= nil and type(hook) ~= "function" then
            error(what .. ": " .. name .. " must be a function, not " .. describe(hook), 3)
        end
    end
    if (get == nil) ~= (restore == nil) then
        error(what .. " has " .. (get and "getRewindState" or "restoreRewindState") .. " without "
            .. (get and "restoreRewindState" or "getRewindState") .. "; a state that is taken must be given back: define both", 3)
    end
end

-- ---- what cannot be recorded ---------------------------------------------------------------------

local leaveOut = "list it in the class's rewindIgnore, or give the class getRewindState and restoreRewindState"
local share = "name it with revenant.registerShared"
local plain = "only numbers, strings, booleans, entities, tables of them, instances of registered classes and what "
    .. "revenant.registerShared names are plain data"

-- For the native side, which puts the path in front: says what a value is that cannot be recorded, and what to do about it.
function core.refusalOf(value, isComponent)
    local kind = type(value)
    local ways = isComponent and leaveOut .. (kind ~= "cdata" and kind ~= "thread" and ", or " .. share or "")
    if core.isOwnObject(value) then
        local text = tostring(value)
        return "is " .. (text:find("^table:") and "a system, a view or another object of the module's" or text)
            .. ", which is part of no frame; keep it in a variable instead, or " .. (ways or share)
    elseif kind == "cdata" and core.isHandle(value) then
        return "is " .. tostring(value) .. " of an entity, which cannot be rewound; keep the entity, and ask it by getComponent"
            .. (ways and ", or " .. ways or "")
    elseif kind == "table" then
        return "has a metatable that belongs to no registered class; call revenant.registerClass(name, class) for its class, or "
            .. (ways or share)
    end
    return "is a " .. kind .. ", which cannot be rewound; " .. (ways or plain)
end

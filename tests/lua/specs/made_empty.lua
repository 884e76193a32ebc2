-- Instances that recorded data make without their constructor are instances to their class's library, too.
local revenant = require "revenant"
local World, TimeRewindSys = revenant.World, revenant.TimeRewindSys

-- As middleclass: the class is a field of each instance.
local function inInstances(name)
    local dictionary = {}
    dictionary.__index = dictionary
    local class = setmetatable({ name = name, static = {}, __instanceDict = dictionary }, {
        __index = dictionary,
        __newindex = dictionary,
        __call = function(self, ...)
            local made = setmetatable({ class = self }, self.__instanceDict)
            made:initialize(...)
            return made
        end,
    })
    function class:isOf(other) return self.class == other end
    return class
end

-- As 30log: the library has a list of its instances, and refuses all others.
local instances = setmetatable({}, { __mode = "k" })
local function inList(name)
    local class = { name = name, __instances = {}, tags = { "copied" } }
    class.__index = class
    function class.create(self)
        local made = setmetatable({ class = self, tags = { "copied" } }, self)
        instances[made] = true
        return made
    end
    function class:isOf(other)
        assert(instances[self], "not an instance")
        return self.class == other
    end
    return setmetatable(class, { __call = function(self, ...)
        local made = self:create()
        made:initialize(...)
        return made
    end })
end

local function addHooks(class)
    function class:getRewindState() return { self.value } end
    function class:restoreRewindState(state) self.value = state[1] end
end

for library, extend in pairs { middleclass = inInstances, ["30log"] = inList } do
    test("saves, serialize, histories and rewinds make instances of " .. library, function()
        local constructed = 0
        local classes = {}
        for i, name in ipairs { "Plain", "Hooked", "Inner", "HookedInner" } do
            local class = extend(name)
            function class:initialize(value)
                constructed = constructed + 1
                self.value = value
            end
            if i % 2 == 0 then addHooks(class) end
            if i > 2 then revenant.registerClass(library .. name, class) end
            classes[name] = class
        end
        local function make()
            local world = World:new()
            world:defineScriptComponent("PlainCMP", classes.Plain)
            world:defineScriptComponent("HookedCMP", classes.Hooked)
            return world, world:registerSystem(TimeRewindSys:new(world))
        end
        local function expectAll(e)
            local plain, hooked = e:getComponent("PlainCMP"), e:getComponent("HookedCMP")
            check(plain:isOf(classes.Plain))
            check(hooked:isOf(classes.Hooked))
            check(plain.inner:isOf(classes.Inner))
            check(plain.hooked:isOf(classes.HookedInner))
            equal(plain.value + hooked.value + plain.inner.value + plain.hooked.value, 15)
        end
        local world, rewind = make()
        local e = world:newEntity("e")
        local plain = e:addComponent("PlainCMP", classes.Plain(1))
        plain.inner, plain.hooked = classes.Inner(4), classes.HookedInner(8)
        e:addComponent("HookedCMP", classes.Hooked(2))
        world:setResource("inner", classes.Inner(5), { rewind = true })
        world:addEntity(e)
        world:update(0.1)
        expectAll(e)
        local before = constructed
        plain.inner.value = 100
        world:update(0.1)
        rewind:step(-1)
        expectAll(e)
        rewind:stop()
        check(world:getResource("inner"):isOf(classes.Inner))
        for _, format in ipairs { "binary", "json" } do
            local other = make()
            other:loadFromString(world:saveToString { format = format })
            expectAll(other:findEntity("e"))
            equal(other:stateHash(), world:stateHash())
            check(other:getResource("inner"):isOf(classes.Inner))
        end
        local data = e:serialize()
        local copy = world:deserialize(data)
        expectAll(copy)
        equal(copy:serializeDelta(data), nil)
        local path = os.tmpname()
        rewind:saveHistory(path)
        local other, theirs = make()
        theirs:loadHistory(path)
        os.remove(path)
        expectAll(other:findEntity("e"))
        equal(constructed, before, "none was constructed")
    end)
end

test("a migrate that gives no table for a script component without hooks is refused, and changes nothing", function()
    local function make(options)
        local world = World:new()
        world:defineScriptComponent("BrainCMP", nil, options)
        return world
    end
    local world = make()
    local e = world:newEntity("e")
    e:addComponent("BrainCMP", { mood = "calm" })
    world:addEntity(e)
    world:update(0.1)
    for _, format in ipairs { "binary", "json" } do
        for _, given in ipairs { 3, "text", false } do
            local later = make { version = 2, migrate = function() return given or nil end }
            raises(function() later:loadFromString(world:saveToString { format = format }) end, "component 'BrainCMP'",
                "migrate must return a table", given and tostring(given) or "nil")
            equal(#later:getAllManagedEntities(), 0)
        end
    end
end)

-- Lifecycle calls when the Lua state closes with components in the world, in zombies, detached, unbound and in the past.
-- The output is compared (CMakeLists.txt).
local revenant = require "revenant"
local world = revenant.World.getInstance()
assert(not world:isComponentDefined("BodyCMP") and world:getTick() == 0)
local Body = { rewindIgnore = { "state" } }
Body.__index = Body
local function step(from, to, name)
    return function(self, entity)
        assert(self.state == from, name .. " of " .. self.name .. " while it is " .. tostring(self.state))
        self.state = to
        io.write(name, " ", self.name, entity and entity:getName() ~= self.name and " of another" or "", "\n")
    end
end
Body.onAdded, Body.onRemoved, Body.onRestored = step(nil, "in", "added"), step("in", "out", "removed"), step("out", "in", "restored")
function Body:onDestroyed()
    assert(self.state ~= "gone" and self.state ~= "in", "destroyed while it is " .. tostring(self.state))
    self.state = "gone"
    io.write("destroyed ", self.name, "\n")
    if self.name == "bad" then error("components may raise") end
end
world:defineScriptComponent("BodyCMP", Body)
rewind = world:registerSystem(revenant.TimeRewindSys:new(world))
kept = {}
for _, name in ipairs { "bad", "zombie", "unbound", "stays" } do
    kept[name] = world:newEntity(name)
    kept[name]:addComponent("BodyCMP", { name = name })
    world:addEntity(kept[name])
end
kept.detached = world:newEntity("detached")
kept.detached:addComponent("BodyCMP", { name = "detached" })
world:update(0.1)
world:update(0.1)
world:removeEntity(kept.zombie)
kept.unbound:removeComponent("BodyCMP")
world:update(0.1)
rewind:seek(2)
rewind:seek(3)

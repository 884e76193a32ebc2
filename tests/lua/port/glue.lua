-- The same game on Revenant: all that it takes. The suite counts the lines of code in this file: less than 40.
local revenant = require "revenant"

return function(game, world)
    local rewind = world:registerSystem(revenant.TimeRewindSys:new(world))
    local views, glue = {}, { rewind = rewind }
    revenant.registerClass("Colour", game.Colour)
    -- Bodies: asleep, awake, destroyed, and what they are like.
    local Body = game.Body
    Body.onAdded, Body.onRestored, Body.onRemoved, Body.onDestroyed = Body.enable, Body.enable, Body.disable, Body.destroy
    function Body:getRewindState() return { self.handle.x, self.handle.y, self.handle.speedX, self.handle.speedY } end
    function Body:restoreRewindState(s)
        self.handle.x, self.handle.y, self.handle.speedX, self.handle.speedY = unpack(s)
    end
    for _, name in ipairs { "Body", "Life", "Drawable" } do world:defineScriptComponent(name, game[name]) end
    for _, name in ipairs { "Circle", "Box" } do world:defineScriptComponent(name, game[name], { base = "Drawable" }) end
    for _, event in ipairs { "bounced", "levelDone" } do world:defineEvent(event) end
    function glue:spawn(name, parts)
        local thing = world:newEntity(name)
        for part, instance in pairs(parts) do thing:addComponent(part, instance).thing = thing end
        world:addEntity(thing)
        return thing
    end
    function glue:kill(thing) world:removeEntity(thing) end
    function glue:isBusy() return world:getStats().pending > 0 or world:getResource("revenant.queue") ~= nil end
    function glue:part(thing, name) return thing:isValid() and thing:getComponent(name) or nil end
    function glue:each(name)
        views[name] = views[name] or world:getComponentsView { [name] = revenant.ComponentRequirementDesc:new() }
        local view, i = views[name], 0
        return function() i = i + 1 if i <= view.count then return view[name][i], view.entities[i] end end
    end
    function glue:set(name, value) world:setResource(name, value, { rewind = true }) end
    function glue:get(name) return world:getResource(name) end
    function glue:subscribe(event, fn) world:on(event, fn) end
    function glue:post(event, thing) world:queue(event, thing) end
    function glue:random(first, last) return world:random(first, last) end
    function glue:begin(dt) world:reconcile() rewind:tick(dt) return not rewind:isRewinding() end
    return glue
end

-- What is visible in this step: the sprites and particles near the camera, with where they were in the
-- step before, so that a picture can be drawn between the two.

local gallery = require "art.gallery"

local Scene = {}
Scene.__index = Scene

local margin = 40

function Scene:new()
    return setmetatable({ sprites = {}, count = 0, particles = {}, particleCount = 0, before = {}, now = {} }, Scene)
end

local function slot(list, i)
    local entry = list[i]
    if not entry then
        entry = {}
        list[i] = entry
    end
    return entry
end

-- Takes down the views' rows that are inside the picture whose middle is at (x, y).
function Scene:collect(canvas, sprites, particles, x, y, width, height, time)
    self.before, self.now = self.now, self.before
    for key in pairs(self.now) do self.now[key] = nil end
    local left, right = x - width / 2 - margin, x + width / 2 + margin
    local top, bottom = y - height / 2 - margin, y + height / 2 + margin
    local count = 0
    local transforms, boxes, shown = sprites:display("TransformCMP"), sprites.BoxCMP, sprites.SpriteCMP
    local exact = sprites.TransformCMP
    for i = 1, sprites.count do
        local at = exact[i]
        if at.x > left - 48 and at.x < right and at.y > top - 48 and at.y < bottom and not shown[i].isHidden then
            at = transforms[i]
            local box, sprite = boxes[i], shown[i]
            count = count + 1
            local entry = slot(self.sprites, count)
            local entity = sprites.entities[i]
            entry.entity, entry.art = entity, gallery.get(canvas, sprite.art)
            entry.place = gallery.frame(entry.art, sprite.clip, time - sprite.start)
            entry.x, entry.y = at.x + box.w / 2, at.y + box.h
            local was = self.before[entity]
            entry.fromX, entry.fromY = was and was.x or entry.x, was and was.y or entry.y
            entry.layer, entry.isFlipped, entry.isImmune = sprite.layer, sprite.isFlipped, not entity:isRewindable()
            self.now[entity] = { x = entry.x, y = entry.y }
        end
    end
    self.count = count
    count = 0
    transforms, exact, shown = particles:display("TransformCMP"), particles.TransformCMP, particles.ParticleCMP
    for i = 1, particles.count do
        local at = exact[i]
        if at.x > left and at.x < right and at.y > top and at.y < bottom then
            at = transforms[i]
            count = count + 1
            local entry = slot(self.particles, count)
            local life, particle, velocity = particles.LifetimeCMP[i], shown[i], particles.VelocityCMP[i]
            local left = math.max(0, life.seconds / particle.seconds)
            entry.x, entry.y, entry.color = at.x, at.y, particle.color
            entry.dx, entry.dy = velocity.x, velocity.y
            entry.size = left > 0.4 and particle.size or math.max(1, particle.size - 1)
            entry.alpha = math.min(1, left * 2.5)
        end
    end
    self.particleCount = count
end

return Scene

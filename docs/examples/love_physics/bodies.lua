-- Box2D bodies and joints as components: what a rewind needs of them, in a few methods each. The page is
-- docs/love_physics.md.

local bodies = {}

-- ---- bodies ---------------------------------------------------------------------------------------

-- The body is made with its component, asleep to the physics, and destroyed when no frame can bring it back.
local Body = {}
Body.__index = Body
bodies.Body = Body

function Body.new(physics, kind, x, y, shape, options)
    local body = love.physics.newBody(physics, x, y, kind)
    local fixture = love.physics.newFixture(body, shape, options and options.density or 1)
    fixture:setFriction(0.6)
    fixture:setRestitution(options and options.restitution or 0.1)
    body:setActive(false)
    return setmetatable({ body = body, fixture = fixture }, Body)
end

function Body:onAdded(entity)
    self.fixture:setUserData(entity)
    self.body:setActive(true)
end
function Body:onRemoved() self.body:setActive(false) end
function Body:onRestored() self.body:setActive(true) end
function Body:onDestroyed() self.body:destroy() end

function Body:getRewindState()
    local b = self.body
    local x, y = b:getPosition()
    local speedX, speedY = b:getLinearVelocity()
    return { x, y, b:getAngle(), speedX, speedY, b:getAngularVelocity(), b:isAwake() }
end

-- Whether it is awake comes last: to set a speed wakes it.
function Body:restoreRewindState(state)
    local b = self.body
    b:setPosition(state[1], state[2])
    b:setAngle(state[3])
    b:setLinearVelocity(state[4], state[5])
    b:setAngularVelocity(state[6])
    b:setAwake(state[7])
end

-- Between two frames: called once per tick with rewind:setApplyBlend(true). The exact state follows by itself.
function Body:lerpRewindState(a, b, part)
    local function between(i) return a[i] + (b[i] - a[i]) * part end
    self.body:setPosition(between(1), between(2))
    self.body:setAngle(between(3))
end

-- ---- joints ---------------------------------------------------------------------------------------

-- A joint cannot be put to sleep: it is destroyed when it leaves, and made again when it comes back. Its state is that of
-- its bodies, so the history need not look at it (rewind = false).
local Rope = {}
Rope.__index = Rope
bodies.Rope = Rope

function Rope.new(first, second, length) return setmetatable({ first = first, second = second, length = length }, Rope) end

function Rope:onAdded()
    local a, b = self.first:getComponent("BodyCMP").body, self.second:getComponent("BodyCMP").body
    local x1, y1 = a:getPosition()
    local x2, y2 = b:getPosition()
    self.joint = love.physics.newRopeJoint(a, b, x1, y1, x2, y2, self.length, true)
end
Rope.onRestored = Rope.onAdded

-- Box2D destroys the joints of a body with it.
function Rope:onRemoved()
    if not self.joint:isDestroyed() then self.joint:destroy() end
    self.joint = nil
end

return bodies

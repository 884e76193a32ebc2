---@meta _

---Records one frame per tick and shows earlier ones, exactly.
---@class revenant.TimeRewindSys
---@field name string
local TimeRewindSys = {}

---@param world revenant.World
---@param options? {seconds: number?, bytes: number?, thinTo: integer?, inThePast: "raise"|"defer"|nil} the budget, default 60 s and 64 MiB; while frames come faster than they can be packed, at least one of so many older ones is kept, default 64, 1 for all; what structural calls do while a past frame is shown
---@return revenant.TimeRewindSys
function TimeRewindSys:new(world, options) end

---@return string
function TimeRewindSys:getName() end

---Begins to rewind; a no-op while rewinding.
function TimeRewindSys:start() end

---Resumes from the current frame; its future is dropped. A no-op while playing. At once between ticks, else at the
---next one, after a seek that was asked for before.
function TimeRewindSys:stop() end

---@return boolean
function TimeRewindSys:isRewinding() end

---Seconds of the past per second; negative: forward again.
---@param speed number
function TimeRewindSys:setSpeed(speed) end

---@return number
function TimeRewindSys:getSpeed() end

---Shows a frame; begins to rewind if need be. At once between ticks, else at the next one.
---@param frame integer
function TimeRewindSys:seek(frame) end

---@param frames integer negative: back
function TimeRewindSys:step(frames) end

---For games that tick by hand: call it right after reconcile.
---@param dt number
function TimeRewindSys:tick(dt) end

---@return integer?
function TimeRewindSys:getFrame() end

---@return integer?
function TimeRewindSys:getOldestFrame() end

---@return integer?
function TimeRewindSys:getNewestFrame() end

---For a frame that was thinned out: the hash of the frame that `seek` shows in its place.
---@param frame integer
---@return string
function TimeRewindSys:frameHash(frame) end

---Whether a frame between the oldest and the newest was left out under memory pressure. `seek` shows the nearest kept one before it.
---@param frame integer
---@return boolean
function TimeRewindSys:isThinned(frame) end

---How well packing keeps up: frames that are kept, that were thinned out in between, that wait to be packed and the
---bytes of those, and frames that were dropped so far, the oldest first.
---@return {kept: integer, thinned: integer, waiting: integer, waitingBytes: integer, dropped: integer}
function TimeRewindSys:getStatistics() end

---@param options {seconds: number?, bytes: number?, thinTo: integer?}
function TimeRewindSys:setBudget(options) end

---@return {seconds: number, bytes: number, thinTo: integer}
function TimeRewindSys:getBudget() end

---Bytes that the history holds.
---@return number
function TimeRewindSys:getMemory() end

---Drops every frame.
function TimeRewindSys:clear() end

---@param on boolean
function TimeRewindSys:setEnabled(on) end

---@return boolean
function TimeRewindSys:isEnabled() end

---Names the current frame.
---@param name string
function TimeRewindSys:setCheckpoint(name) end

---@param name string
---@return integer?
function TimeRewindSys:getCheckpoint(name) end

---@param name string
function TimeRewindSys:seekCheckpoint(name) end

---@param name string
---@return boolean # whether there was one
function TimeRewindSys:removeCheckpoint(name) end

---@return table<string, integer>
function TimeRewindSys:getCheckpoints() end

---Writes the whole history to a file.
---@param path string
function TimeRewindSys:saveHistory(path) end

---Opens such a file, in a world without entities that defines the same components.
---@param path string
function TimeRewindSys:loadHistory(path) end

---Where this history and another's first differ; both show that frame then.
---@param other revenant.TimeRewindSys
---@param from? integer
---@return {frame: integer, entity: string, component: string, field: string, here: string, there: string, text: string}?
function TimeRewindSys:findDivergence(other, from) end

---Each tick runs the last `frames` frames again, which must come out the same; 0: off. In a loop that calls `rewind:tick` by hand
---the next tick raises: what the loop does could not be run again.
---@param frames integer
function TimeRewindSys:setSyncTest(frames) end

---@return integer
function TimeRewindSys:getSyncTest() end

---What first came out differently.
---@return {frame: integer, entity: string, component: string, field: string, here: string, there: string, text: string}?
function TimeRewindSys:getSyncReport() end

---A sentence for each invariant of the history that does not hold: the references that it counts against the frames, births, what it
---follows against what is there.
---@return string[]
function TimeRewindSys:validate() end

---Whether lerpRewindState is called once per tick while time is between two frames, for classes that use it to move objects of
---their own (a body, a sprite). They get the exact state back when time reaches a frame, or play resumes.
---@param on boolean
function TimeRewindSys:setApplyBlend(on) end

---@return boolean
function TimeRewindSys:getApplyBlend() end

---How far, 0 to 1, the shown time is from the current frame to the next.
---@return number
function TimeRewindSys:getBlend() end

---For display: what a system's lerpRewindState makes of its states in the current frame and in the next; nil
---where nothing lies between them.
---@param system revenant.BaseSystem|string the system, or its name
---@return any
function TimeRewindSys:getDisplayState(system) end

---Writes through rows, runs or components that were kept from an earlier tick. The history compares some
---components in each frame that are not marked as written, so that such a write is in a frame when as many
---frames have passed as there are components / 128.
---@return integer frames # how many frames found some
---@return string? first # a sentence on the first
function TimeRewindSys:getStrayWrites() end

---Waits until nothing is left to pack.
function TimeRewindSys:finishPacking() end

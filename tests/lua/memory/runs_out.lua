-- Every operation that a script can ask for, with memory running out at every allocation of the module:
-- it is done, or it raises and the world is valid, as it was, and goes on.
--
--     LD_PRELOAD=librevenant_failing_malloc.so luajit runs_out.lua FOLDER TESTS_FOLDER IN_ROW STRIDE [OPERATION... | PART/PARTS]
--
-- FOLDER has the module. IN_ROW: so many allocations fail, one after the other; -1: all. STRIDE: of those behind the first 40 only one in
-- STRIDE is tried; 1: all. PART/PARTS: of all operations, those of that part.

local folder, tests, inRow, stride = arg[1], arg[2], tonumber(arg[3]), tonumber(arg[4])
package.cpath = folder .. "/?.so;" .. package.cpath
package.path = tests .. "/?.lua;" .. package.path
local ffi = require "ffi"
ffi.cdef "void failingMallocArm(long n, long inRow); long failingMallocDisarm(void);"
require "revenant"
io.stdout:setvbuf("line")
jit.off()  -- libgcc, which LuaJIT tells of each trace, crashes where it has no memory for that
local scene = require "memory.scene"
scene.folder = tests .. "/memory"
local operations = require "memory.operations"

-- What each thread has once, such as the contexts of zstd, is made before anything fails: where the system has no memory
-- for that, it ends the process itself.
for _, operation in pairs(operations) do
    local s = scene.build(operation.options)
    s.rewind:saveHistory(scene.base)
    operation[1](s)
    pcall(operation[2], s)
end

local function checkAfter(s, name, operation, ok, frame, hash, looks)
    scene.requireValid(s.world, "at once")
    if not ok and not operation.moves and not operation.makes then
        if s.rewind:getFrame() ~= frame then error("another frame is shown", 0) end
        if s.world:stateHash() ~= hash then error("the world has changed", 0) end
        local now = scene.describe(s.world)
        if now ~= looks then error("the world looks different:\n" .. looks .. "\n--- now\n" .. now, 0) end
        if s.second and #s.second:getAllManagedEntities() > 0 then error("a history is loaded in part", 0) end
    end
    if s.second then
        scene.requireValid(s.second, "the second world")
        s.second:update(0.1)
    end
    -- With memory available again, it succeeds as if nothing had happened.
    if not ok and not operation.moves and not operation.once then operation[2](s) end
    scene.goOn(s, name == "reset")
end

local function run(name)
    local operation = operations[name]
    local n, tried, raised = 0, 0, 0
    while true do
        n = n + (n < 40 and 1 or stride)
        tried = tried + 1
        local s = scene.build(operation.options)
        operation[1](s)
        local frame, hash, looks = s.rewind:getFrame(), s.world:stateHash(), scene.describe(s.world)
        ffi.C.failingMallocArm(n, inRow)
        local ok, message = pcall(operation[2], s)
        local failures = ffi.C.failingMallocDisarm()
        local isRight, why = pcall(checkAfter, s, name, operation, ok, frame, hash, looks)
        if not isRight then
            error(("%s, allocation %d: %s (it said: %s)"):format(name, n, why, tostring(message)), 0)
        end
        if not ok then
            raised = raised + 1
            local says = tostring(message)
            if not (says:find("not enough memory", 1, true) or says:find("Cannot allocate memory", 1, true)
                or says:find("there is no memory left", 1, true)) then
                error(name .. " says: " .. says, 0)
            end
        end
        if s.world.dispose then s.world:dispose() end
        if failures == 0 then
            if not ok then error(name .. " fails without a reason: " .. tostring(message), 0) end
            break
        end
        if n % 20 == 0 then collectgarbage() end
    end
    print(("%-20s some %d allocations, raised at %d of %d"):format(name, n - 1, raised, tried - 1))
end

local names = {}
local part, parts = (arg[5] or "1/1"):match("^(%d+)/(%d+)$")
if part then
    local all = {}
    for name in pairs(operations) do all[#all + 1] = name end
    table.sort(all)
    for i = tonumber(part), #all, tonumber(parts) do names[#names + 1] = all[i] end
else
    for i = 5, #arg do names[#names + 1] = arg[i] end
end
local broken = 0
for _, name in ipairs(names) do
    local ok, message = pcall(run, name)
    if not ok then
        broken = broken + 1
        print("BROKEN " .. message)
    end
end
os.remove(scene.base)
os.remove(scene.again)
os.exit(broken == 0 and 0 or 1)

-- Reads a history file by nothing but the grammar of docs/history_file_format.md, down to the last byte, and finds
-- in it what was played: a reader that shares no code with the library's.
--
--     luajit tests/docs/history_grammar.lua MODULE_FOLDER
-- Over 300 lines: it follows the page from top to bottom, and must not share code with the library.

local ffi = require "ffi"
local bit = require "bit"
package.cpath = arg[1] .. "/?.so;" .. package.cpath

-- ---- the notation ---------------------------------------------------------------------------------

local notation = dofile((arg[0]:match("^(.*)/") or ".") .. "/grammar_notation.lua")
local Reader, open, unpackZstd, xxhash = notation.Reader, notation.open, notation.unpackZstd, notation.xxhash

-- ---- deltas ---------------------------------------------------------------------------------------

local function words(r) return r:list(Reader.u32) end
local function makeup(r) return { enabled = r:flag(), disabled = r:number(), image = words(r) } end
local function step(r)
    local each = { id = r:id(), parent = r:id(), previous = r:id(), flags = r:byte() }
    if bit.band(each.flags, 1) == 0 then return each end
    if bit.band(each.flags, 32) ~= 0 then each.outer = r:id() end
    each.makeup = makeup(r)
    return each
end
local function rebinding(r)
    return { id = r:id(), type = r:count(), had = r:flag(), has = r:flag(), before = words(r), after = words(r) }
end
local function toggle(r)
    return { id = r:id(), r:flag(), r:flag(), r:number(), r:number() }
end
local function side(r)
    local kind = r:byte()
    assert(kind <= 3)
    return kind > 0 and { makeup = makeup(r), parent = kind > 1 and r:id(), previous = kind > 1 and r:id() }
end
local function outside(r) return { id = r:id(), before = side(r), after = side(r) } end
local function told(r)
    local kind = r:byte()
    assert(kind <= 2)
    return kind > 0 and r:sized()
end
local function state(r) return { id = r:id(), what = r:count(), before = told(r), after = told(r) } end
local function structure(r)
    return { departures = r:list(step), arrivals = r:list(step), rebindings = r:list(rebinding),
        toggles = r:list(toggle), outsides = r:list(outside), states = r:list(state) }
end

-- ---- sections -------------------------------------------------------------------------------------

local function component(r)
    local function field()
        return { name = r:sized(), type = r:byte(), offset = r:count(), count = r:count(), isArray = r:flag(), blend = r:byte() }
    end
    local each = { name = r:sized(), size = r:count(), alignment = r:count(), fields = r:list(field), defaults = r:sized() }
    assert(#each.defaults == each.size)
    return each
end

local function random(r) return { r:u64(), r:u64(), r:u64(), r:u64() } end

local function readStreams(packed, frames)
    local r = unpackZstd(packed)
    assert(r:count() == frames)
    local key, total, constants = 0ULL, 0, {}
    local function constant()
        local number = r:count()
        if number == #constants then constants[number + 1] = r:f64() end
        return assert(constants[number + 1], "a constant is missing")
    end
    local streams = {}
    r:list(function()
        key = key + r:number()
        local length, first, count, code = r:count(), r:count(), r:count(), r:byte()
        local predictor, source, k, p, q = bit.band(code, 7), nil, nil, nil, nil
        if predictor == 5 then source = r:signed() end
        if predictor >= 3 and predictor <= 5 then k = constant() end
        if predictor == 4 then p, q = constant(), constant() end
        assert(length > 0)
        for i = 1, length do
            if i > 1 then key = key + 1 end
            streams[#streams + 1] = { type = tonumber(bit.rshift(key, 48)), word = tonumber(bit.band(bit.rshift(key, 32), 0xFFFFULL)),
                component = tonumber(bit.band(key, 0xFFFFFFFFULL)), first = first, count = count, predictor = predictor,
                isWide = bit.band(code, 8) > 0, isLagged = bit.band(code, 16) > 0, isRounded = bit.band(code, 32) > 0,
                source = source and #streams + 1 + source, k = k, p = p, q = q }
            total = total + count
        end
    end)
    local function planes(count)
        local all, values = {}, {}
        for plane = 1, 4 do all[plane] = r:bytes(count) end
        for i = 1, count do
            values[i] = bit.bor(all[1]:byte(i), bit.lshift(all[2]:byte(i), 8), bit.lshift(all[3]:byte(i), 16),
                bit.lshift(all[4]:byte(i), 24))
        end
        return values
    end
    local before, residual = planes(#streams), planes(total)
    r:expectEnd()
    local at, byPlace = 0, {}
    for i, stream in ipairs(streams) do
        stream.before, stream.values = before[i], {}
        for k = 1, stream.count do stream.values[k] = residual[at + k] end
        at = at + stream.count
        byPlace[("%d %d %d"):format(stream.type, stream.component, stream.word)] = stream
    end
    local function upperOf(stream)
        local upper = byPlace[("%d %d %d"):format(stream.type, stream.component, stream.word + 1)]
        assert(upper and upper.first == stream.first and upper.count == stream.count, "a stream has no upper half")
        return upper
    end
    local function valueIn(stream, frame)
        if frame < stream.first or stream.count == 0 then return stream.before end
        return stream.values[math.min(frame - stream.first + 1, stream.count)]
    end
    -- Words are kept as signed 32-bit numbers, wide ones as uint64_t.
    local cell = ffi.new("union { int32_t word; uint64_t wide; float f32; double f64; int32_t half[2]; }")
    local function join(low, high) cell.half[0], cell.half[1] = low, high return cell.wide end
    local function split(wide) cell.wide = wide return cell.half[0], cell.half[1] end
    local function restore(stream)
        local wide, upper = stream.isWide, stream.isWide and upperOf(stream)
        local source = stream.source and streams[stream.source]
        local function number(word)
            if wide then cell.wide = word return cell.f64 end
            cell.word = word
            return cell.f32
        end
        local function rounded(value, otherwise)
            if wide then cell.f64 = value else cell.f32 = value end
            local back = wide and cell.f64 or cell.f32
            if back ~= back then return otherwise end
            if wide then return cell.wide end
            return cell.word
        end
        local function expect(last, beforeLast, frame)
            local p = stream.predictor
            if p == 1 then return wide and last + (last - beforeLast) or bit.tobit(last + bit.tobit(last - beforeLast)) end
            if p == 3 then return last == beforeLast and last or rounded(number(last) + stream.k, last) end
            if p == 4 then
                local now = number(last)
                return rounded(now + (stream.p * (now - number(beforeLast)) + (stream.q * now + stream.k)), last)
            end
            if p == 5 then
                local when = stream.isLagged and frame - 1 or frame
                local from = valueIn(source, when)
                if wide then from = join(from, valueIn(upperOf(source), when)) end
                local change = number(from) * stream.k
                if stream.isRounded then cell.f32 = change change = cell.f32 end
                return rounded(number(last) + change, last)
            end
            return last
        end
        local last = wide and join(stream.before, upper.before) or stream.before
        local beforeLast = last
        for i = 1, stream.count do
            local expected = expect(last, beforeLast, stream.first + i - 1)
            local value
            if wide then
                local left = join(stream.values[i], upper.values[i])
                value = stream.predictor == 2 and bit.bxor(expected, left)
                    or expected + bit.bxor(bit.rshift(left, 1), 0ULL - bit.band(left, 1ULL))
                stream.values[i], upper.values[i] = split(value)
            else
                local left = stream.values[i]
                value = stream.predictor == 2 and bit.bxor(expected, left)
                    or bit.tobit(expected + bit.bxor(bit.rshift(left, 1), -bit.band(left, 1)))
                stream.values[i] = value
            end
            beforeLast, last = last, value
        end
    end
    -- Sources first.
    for _, stream in ipairs(streams) do if stream.predictor < 5 then restore(stream) end end
    for _, stream in ipairs(streams) do if stream.predictor == 5 then restore(stream) end end
    return streams
end

local function readBlock(text)
    local r = open(text)
    local block = { first = r:signed(), hashes = r:list(Reader.u64) }
    local frames = #block.hashes
    block.offsets = r:list(function() return r:count() end)
    assert(#block.offsets == 0 or #block.offsets == frames)
    local rest = unpackZstd(r:sized())
    local slices = r:list(Reader.sized)
    r:expectEnd()
    block.streams = {}
    for _, slice in ipairs(slices) do
        for _, stream in ipairs(readStreams(slice, frames)) do block.streams[#block.streams + 1] = stream end
    end
    assert(rest:count() == frames and rest:signed() == block.first)
    block.globals = {}
    for i = 1, 12 do block.globals[i] = rest:u32() end
    block.random = random(rest)
    block.jumps = rest:list(function() return { rest:count(), random(rest) } end)
    block.components = {}
    local next = 0
    rest:list(function()
        local skipped, type, words = rest:signed(), rest:count(), rest:count()
        next = next + skipped
        for _ = 1, rest:count() do
            block.components[#block.components + 1] = { index = next, type = type, words = words }
            next = next + 1
        end
    end)
    block.structures = rest:list(function() return { frame = rest:count(), structure = structure(rest) } end)
    block.gaps = rest:list(function()
        return { frame = rest:count(), missing = rest:count(), crossings = rest:list(function()
            return { age = rest:count(), id = rest:id(), parent = rest:id(), kind = rest:byte() }
        end) }
    end)
    rest:expectEnd()
    return block
end

local function readFile(text)
    local r = open(text)
    assert(r:bytes(8) == "REVENANT")
    local format, sizeBytes = r:u32(), r:bytes(8)
    assert(format == 7 and open(sizeBytes):u64() == #text)
    assert(r:u64() == xxhash.XXH3_64bits_withSeed(sizeBytes, 8, format), "the checksum of the head is wrong")
    local sections, blocks, makes = {}, {}, nil
    while r.at <= #text do
        local kind, size, checksum = r:byte(), tonumber(r:u64()), r:u64()
        local bytes = r:bytes(size)
        assert(checksum == xxhash.XXH3_64bits_withSeed(bytes, size, kind + 1), "a section's checksum is wrong")
        if kind == 6 then
            assert(#sections == 5 and #blocks == 0 and not makes, "a section is out of order")
            makes = bytes
        else
            assert(kind == #sections, "a section is out of order")
            if kind < 5 then sections[#sections + 1] = bytes else blocks[#blocks + 1] = readBlock(bytes) end
        end
    end
    local file = { blocks = blocks }
    local function whole(section, read)
        local inner = unpackZstd(section)
        local result = read(inner)
        inner:expectEnd()
        return result
    end
    file.components = whole(sections[1], function(s) return s:list(component) end)
    file.strings = whole(sections[2], function(s) return s:list(Reader.sized) end)
    file.entities = whole(sections[3], function(s)
        local all = { clock = s:count(), slots = s:list(Reader.number) }
        all.strangers = s:list(function() return { id = s:id(), serial = s:count() } end)
        all.known = s:list(function()
            return { index = s:count(), hangsOn = s:count(), name = s:count(), serial = s:count(), bornAt = s:count(),
                where = s:byte(), rewindable = s:flag() }
        end)
        return all
    end)
    local moment = open(sections[4])
    file.stateNames = moment:list(Reader.sized)
    file.moment = whole(moment:rest(), function(s) return { words = words(s), structure = structure(s) } end)
    file.frames = whole(sections[5], function(s)
        return { shown = s:signed(), checkpoints = s:list(function() return { name = s:sized(), frame = s:signed() } end) }
    end)
    file.makes = makes and whole(makes, function(s)
        return s:list(function()
            return { type = s:count(), makes = s:list(function() return { number = s:count(), class = s:sized() } end) }
        end)
    end)
    return file
end

-- ---- what is played, and what the file says of it ---------------------------------------------------

local revenant = require "revenant"
local world = revenant.World.getInstance()
local t = revenant.types
world:defineComponent("BodyCMP", { x = 0, speed = 0, tag = t.string("none"), other = t.entity() })
world:defineScriptComponent("MoodCMP")
local Grim = {}
Grim.__index = Grim
revenant.registerClass("Grim", Grim)
local rewind = world:registerSystem(revenant.TimeRewindSys:new(world, { seconds = 600 }))
local mover = world:newEntity("mover")
mover:addComponent("BodyCMP")
mover:addComponent("MoodCMP", setmetatable({ joy = 1 }, Grim))
world:addEntity(mover)
local truth, hashes, shots = {}, {}, {}
for i = 1, 1500 do
    world:update(1 / 60)
    local frame = rewind:getFrame()
    truth[frame], hashes[frame] = mover:getComponent("BodyCMP").x, rewind:frameHash(frame)
    local body = mover:getComponent("BodyCMP")
    body.speed = i % 100 < 50 and 30 or body.speed + world:random()
    body.x = body.x + body.speed * (1 / 60)
    if i % 40 == 0 then
        shots[#shots + 1] = world:newEntity("shot")
        mover:addChild(shots[#shots])
        body.other = shots[#shots]
        world:setResource("score", i, { rewind = true })
        mover:getComponent("MoodCMP").joy = i
    elseif i % 40 == 20 and shots[1] then
        world:removeEntity(table.remove(shots, 1))
        mover:setComponentEnabled("BodyCMP", i % 80 == 20)
        body.tag = "tag" .. i
    end
    if i == 700 then rewind:setCheckpoint("here") end
end
rewind:saveHistory("grammar.rev")
local handle = assert(io.open("grammar.rev", "rb"))
local file = readFile(handle:read("*a"))
handle:close()

assert(file.components[1].name == "BodyCMP" and file.strings[1] == "")
assert(file.frames.shown == 1500 and file.frames.checkpoints[1].name == "here" and file.frames.checkpoints[1].frame == 700)
local isThere = {}
for _, name in ipairs(file.stateNames) do isThere[name] = true end
assert(isThere.rscore, "the resource has no name")
local made = file.makes[1].makes[1]
assert(#file.makes == 1 and file.components[file.makes[1].type + 1].name == "MoodCMP" and made.class == "Grim" and made.number > 0)
assert(#file.blocks >= 2 and file.blocks[1].first == 1)
local offset
for _, field in ipairs(file.components[1].fields) do if field.name == "x" then offset = field.offset / 4 end end
local arrivals, departures, compared = 0, 0, 0
local predictors = {}
local now = { [0] = 0, 0 }  -- the two words of x; before the first block it is 0
for _, block in ipairs(file.blocks) do
    local columns = {}
    for _, stream in ipairs(block.streams) do
        local owner = block.components[stream.component + 1]
        predictors[stream.predictor] = true
        if stream.type ~= 0xFFFF then assert(owner.type == stream.type and stream.word < owner.words) end
        if stream.type == 0 and (stream.word == offset or stream.word == offset + 1) then
            assert(not columns[stream.word - offset], "two streams for one word")
            columns[stream.word - offset] = stream
        end
    end
    for i, hash in ipairs(block.hashes) do
        local frame = block.first + i - 1
        assert(bit.tohex(hash) == hashes[frame], "the hash of frame " .. frame)
        for word, stream in pairs(columns) do
            local value = stream.values[i - stream.first]
            if value then now[word] = value end
        end
        local x = ffi.cast("double *", ffi.new("int32_t[2]", now[0], now[1]))[0]
        assert(x == truth[frame], "x in frame " .. frame .. " is " .. x .. ", not " .. truth[frame])
        compared = compared + 1
    end
    for _, each in ipairs(block.structures) do
        arrivals = arrivals + #each.structure.arrivals
        departures = departures + #each.structure.departures
    end
end
assert(compared == 1500)
assert(predictors[5] and predictors[6], "x follows from speed, and both are doubles")
assert(arrivals >= 37 and departures >= 36, "shots came and went")
print("1500 frames read by the grammar: " .. arrivals .. " arrivals, " .. departures .. " departures")

-- The tiles: stone with turf on it, brick, ledges and spikes. A tile of stone is put together from a
-- filling and the edges where it meets the air, so every way to be surrounded has its picture.

local picture = require "art.picture"

local tiles = {}

local fillings = {
    [[
    dddddddddddddddd
    ddddddiddddddddd
    dddddiiidddddddd
    ddddddidddddnndd
    ddddddddddddnndd
    dddnndddddddddid
    ddnnnndddddddiid
    ddnnnddddddddddd
    ddddddddiddddddd
    dddddddiiidddddd
    dddddddiiddddddd
    dnnddddddddddddd
    dnnndddddddnnddd
    ddddddddddnnnndd
    ddddiddddddnnddd
    dddddddddddddddd
    ]], [[
    dddddddddddddddd
    ddnndddddddddddd
    dnnnddddddiddddd
    ddndddddddiidddd
    dddddddddddidddd
    ddddddnnddddddnn
    didddnnnddddddnn
    iidddddddddddddd
    didddddddddddddd
    ddddddddnndddddd
    dddddddnnnnddddd
    ddddiddddnddddid
    dddiiiddddddddii
    ddddiddddddddddd
    dddddddddnnddddd
    dddddddddddddddd
    ]], [[
    dddddddddddddddd
    ddddddddddddnndd
    didddddddddddndd
    iiiddddddddddddd
    didddddnnndddddd
    ddddddnnnddddddd
    dddddddddddddidd
    ddddddddddddiidd
    dnnddddddddddddd
    nnndddddiddddddd
    dnndddddddddnndd
    dddddddddddnnnnd
    ddddiidddddddddd
    dddiiidddddddddd
    ddddiddddndddddd
    dddddddddddddddd
    ]],
}

local turfs = {
    [[
    aqqaqaaqqaqqaaqq
    qqaqqqqaqqqaqqqq
    tqqtqqtqqqtqqtqt
    ttqttttqtttqtttt
    TtTTtTtTtTTtTtTT
    nTnnTnnTnnTnnTnn
    ]], [[
    qaqqaqqaaqaqqaqa
    qqqaqqqqqaqqaqqq
    qtqqqtqqtqqqtqqt
    tttqttqtttqttttt
    tTtTTtTTtTtTTtTt
    TnnTnnnTnnTnnnTn
    ]],
}

local left = { "k", "i", "i", "d" }  -- of a side's column, from the air inwards

local brick = [[
    iiiiiiikiiiiiiik
    ivvvviikivvvviik
    iviiiddkiviiiddk
    iidddddkiidddddk
    kkkkkkkkkkkkkkkk
    iiikiiiiiiikiiii
    viikivvvviikivvv
    iddkiviiiddkivii
    dddkiidddddkiidd
    kkkkkkkkkkkkkkkk
    iiiiiiikiiiiiiik
    ivvvviikivvvviik
    iviiiddkiviiiddk
    iidddddkiidddddk
    kkkkkkkkkkkkkkkk
    kkkkkkkkkkkkkkkk
    ]]

local ledge = [[
    kkkkkkkkkkkkkkkk
    SSSSSSSSSSSSSSSS
    ssssssssssssssss
    mmsmmmmmsmmmmmsm
    kkkkkkkkkkkkkkkk
    .kmk........kmk.
    ..k..........k..
    ................
    ................
    ................
    ................
    ................
    ................
    ................
    ................
    ................
    ]]

local spikes = [[
    ................
    ................
    ................
    ................
    ................
    ................
    ...k.......k....
    ..kfk.....kfk...
    ..kfk..k..kfk..k
    ..kfek.kk.kfek.k
    .kffekkfkkffekkf
    .kffehkfkkffehkf
    .kfeehkfekfeehkf
    kffeehkfekfeehkf
    kfeeehkeekeeehke
    kkkkkkkkkkkkkkkk
    ]]

local grass = [[
    ................
    ................
    ................
    ................
    ................
    ................
    ................
    ................
    ................
    ................
    ......a.........
    ..q...q..a....q.
    ..qa..q..q.q..q.
    .q.q.tq.tq.qq.qa
    .tqt.tqttqttqtqt
    ttttttttttttttTt
    ]]

local flowers = [[
    ................
    ................
    ................
    ................
    ................
    ................
    ................
    ....cc..........
    ...cryc....ll...
    ....cc....lpyl..
    ....q......ll...
    .q..q..q...q....
    .q.tq..q.q.t..q.
    .tqtqt.tqt.tq.q.
    ttqtttqttqttqtqt
    tttttttttttttttT
    ]]

local function setColumn(rows, x, letters)
    for y = 1, #rows do
        local letter = type(letters) == "string" and letters or letters[y]
        rows[y] = rows[y]:sub(1, x - 1) .. letter .. rows[y]:sub(x + 1)
    end
end

-- Edges: 1 air above, 2 to the right, 4 below, 8 to the left.
local function edged(filling, turf, edges)
    local made = picture.parse(filling)
    local rows = made.rows
    if bit.band(edges, 4) ~= 0 then
        rows[16], rows[15] = ("k"):rep(16), ("n"):rep(16)
    end
    if bit.band(edges, 8) ~= 0 then
        for i, letter in ipairs(left) do if i < 3 then setColumn(rows, i, letter) end end
    end
    if bit.band(edges, 2) ~= 0 then
        setColumn(rows, 16, "k")
        setColumn(rows, 15, "n")
    end
    if bit.band(edges, 1) ~= 0 then
        made = picture.over(made, picture.parse(turf), 0, 0)
        rows = made.rows
        local function cut(row, from, to) rows[row] = rows[row]:sub(1, from - 1) .. ("."):rep(to - from + 1) .. rows[row]:sub(to + 1) end
        if bit.band(edges, 8) ~= 0 then cut(1, 1, 1) end
        if bit.band(edges, 2) ~= 0 then cut(1, 16, 16) end
    end
    return made
end

-- The image, and which rectangle shows what: stone[edges][variant], and the others by name.
function tiles.make(canvas)
    local pictures, stone = {}, {}
    for edges = 0, 15 do
        stone[edges] = {}
        for variant = 1, 3 do
            pictures[#pictures + 1] = edged(fillings[variant], turfs[variant % 2 + 1], edges)
            stone[edges][variant] = #pictures
        end
    end
    local names = {}
    for _, each in ipairs { { "brick", brick }, { "ledge", ledge }, { "spikes", spikes }, { "grass", grass }, { "flowers", flowers } } do
        pictures[#pictures + 1] = picture.parse(each[2])
        names[each[1]] = #pictures
    end
    local image, places = picture.atlas(canvas, pictures)
    for edges = 0, 15 do
        for variant = 1, 3 do stone[edges][variant] = places[stone[edges][variant]] end
    end
    for name, number in pairs(names) do names[name] = places[number] end
    return { image = image, stone = stone, named = names }
end

return tiles

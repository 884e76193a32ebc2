-- Where in the source of a level a field stands, for sentences that name the line.

local core = ...

-- Words of Lua source with their lines; enough to follow table constructors.
local function words(source)
    local line, at = 1, 1
    return function()
        while true do
            local from, to = source:find("^%s+", at)
            if from then
                line = line + select(2, source:sub(from, to):gsub("\n", ""))
                at = to + 1
            elseif source:find("^%-%-%[=*%[", at) then
                local equals = source:match("^%-%-%[(=*)%[", at)
                local _, stop = source:find("]" .. equals .. "]", at, true)
                stop = stop or #source
                line = line + select(2, source:sub(at, stop):gsub("\n", ""))
                at = stop + 1
            elseif source:find("^%-%-", at) then
                at = source:find("\n", at, true) or #source + 1
            else
                break
            end
        end
        if at > #source then return nil end
        local start = line
        local quote = source:match("^[\"']", at)
        if quote then
            local stop = at + 1
            while stop <= #source and source:sub(stop, stop) ~= quote do
                stop = stop + (source:sub(stop, stop) == "\\" and 2 or 1)
            end
            local text = source:sub(at + 1, stop - 1)
            line = line + select(2, text:gsub("\n", ""))
            at = stop + 1
            return "string", text, start
        end
        local equals = source:match("^%[(=*)%[", at)
        if equals then
            local _, stop = source:find("]" .. equals .. "]", at, true)
            stop = stop or #source
            line = line + select(2, source:sub(at, stop):gsub("\n", ""))
            at = stop + 1
            return "string", "", start
        end
        local word = source:match("^[%a_\128-\255][%w_\128-\255]*", at) or source:match("^[%d.]+[%w.]*", at) or source:sub(at, at)
        at = at + #word
        return "word", word, start
    end
end

local opens = { ["{"] = 1, ["("] = 1, ["["] = 1, ["function"] = 1, ["do"] = 1, ["if"] = 1, ["repeat"] = 1,
    ["}"] = -1, [")"] = -1, ["]"] = -1, ["end"] = -1, ["until"] = -1 }

-- A list of {text, line, isString, depth}: within how many brackets and blocks a word stands. An opening
-- one and the one that closes it have the same.
local function listWords(source)
    local list, depth = {}, 0
    for kind, text, line in words(source) do
        local change = kind == "word" and opens[text] or 0
        if change < 0 then depth = depth - 1 end
        list[#list + 1] = { text = text, line = line, isString = kind == "string", depth = depth }
        if change > 0 then depth = depth + 1 end
    end
    return list
end

local function is(word, text)
    return word ~= nil and not word.isString and word.text == text
end

-- The key that is written at `at`, and where its value begins; nil where there is none.
local function keyAt(list, at)
    local word = list[at]
    if is(word, "[") then
        local key, close = list[at + 1], at + 1
        while list[close] and not (is(list[close], "]") and list[close].depth == word.depth) do close = close + 1 end
        local isConstant = close == at + 2
        return isConstant and (key.isString and key.text or tonumber(key.text)) or key, close + 2
    elseif not word.isString and word.text:find("^[%a_\128-\255]") and is(list[at + 1], "=") and not is(list[at + 2], "=") then
        return word.text, at + 2
    end
end

-- In the table whose brace stands at `at`: where the field `key` begins, where its value does, and where
-- what ends that stands. Elements without a key are numbered, whatever expressions they are.
local function fieldAt(list, at, key)
    local inside, count = list[at].depth + 1, 0
    at = at + 1
    while list[at] and not (is(list[at], "}") and list[at].depth < inside) do
        local written, value = keyAt(list, at)
        if not written then
            count = count + 1
            written, value = count, at
        end
        local stop = value
        while list[stop] and list[stop].depth >= inside
            and not (list[stop].depth == inside and (is(list[stop], ",") or is(list[stop], ";"))) do
            stop = stop + 1
        end
        if written == key then return at, value, stop end
        at = is(list[stop], "}") and stop or stop + 1
    end
end

-- The line at which the field at `keys` in the table that the source returns begins; that of the deepest
-- one on the way, where it is not written out.
function core.lineOf(source, keys)
    local list = listWords(source)
    local at
    for i, word in ipairs(list) do
        if word.depth == 0 and is(word, "return") then at = i + 1 end  -- the last: others are in functions
    end
    if not (at and is(list[at], "{")) then return 1 end
    local line = list[at].line
    for _, key in ipairs(keys) do
        local field, value, stop = fieldAt(list, at, key)
        if not field then break end
        line = list[field].line
        -- A table, and nothing but one: no call, no operator behind it.
        if not (is(list[value], "{") and is(list[stop - 1], "}") and list[stop - 1].depth == list[value].depth) then break end
        at = value
    end
    return line
end

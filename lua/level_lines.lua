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
        local word = source:match("^[%a_][%w_]*", at) or source:match("^[%d.]+[%w.]*", at) or source:sub(at, at)
        at = at + #word
        return "word", word, start
    end
end

-- The line at which the value at `keys` in the table that the source returns begins; the line of the
-- deepest table on the way, where it is not written out.
function core.lineOf(source, keys)
    local found = 1
    local stack = {}       -- of open tables: {count, key}
    local matched = 0      -- how many of `keys` lead to the innermost open table
    local pendingKey, bracket
    local previousKind, previous
    local inReturn = false
    for kind, word, line in words(source) do
        if not inReturn then
            inReturn = kind == "word" and word == "return" and #stack == 0
        elseif kind == "word" and word == "{" then
            local top = stack[#stack]
            local key = pendingKey
            if top and key == nil then
                top.count = top.count + 1
                key = top.count
            end
            local isOnPath = not top or (top.isOnPath and matched == #stack - 1 and key == keys[matched + 1])
            if top and isOnPath then
                matched = matched + 1
                found = line
                if matched == #keys then return found end
            elseif not top then
                found = line
            end
            stack[#stack + 1] = { count = 0, isOnPath = isOnPath }
            pendingKey = nil
        elseif kind == "word" and word == "}" then
            local top = table.remove(stack)
            if top and top.isOnPath and #stack > 0 then matched = matched - 1 end
            if #stack == 0 then return found end
            pendingKey = nil
        elseif kind == "word" and word == "[" then
            bracket = true
        elseif kind == "word" and word == "=" then
            if previousKind == "string" or previous ~= "]" then
                pendingKey = previous
            else
                pendingKey = bracket
            end
            bracket = nil
            local top = stack[#stack]
            if top and top.isOnPath and matched == #stack - 1 and pendingKey == keys[matched + 1] then
                found = line
                if matched + 1 == #keys then return line end
            end
        elseif kind == "word" and (word == "," or word == ";") then
            pendingKey = nil
        else
            if bracket == true then bracket = kind == "string" and word or tonumber(word) or word end
        end
        previousKind, previous = kind, word
    end
    return found
end

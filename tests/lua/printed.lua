-- Globals for a chunk whose prints are to be seen: returns them, and the list of lines that `print` fills.
return function()
    local lines = {}
    local globals = setmetatable({
        print = function(...)
            local texts = {}
            for i = 1, select("#", ...) do texts[i] = tostring((select(i, ...))) end
            lines[#lines + 1] = table.concat(texts, "\t")
        end,
    }, { __index = _G })
    return globals, lines
end

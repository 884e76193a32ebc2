-- The window is the example's own; the arguments are those of main.lua.
function love.conf(t)
    for i, each in ipairs(arg) do
        if each:find("tests/docs/love$") then dofile(arg[i + 1] .. "/conf.lua") end
    end
    love.conf(t)
end

-- The window is the example's own; the arguments are those of main.lua.
function love.conf(t)
    for i, each in ipairs(arg) do
        if each:find("tests/docs/love_physics$") then
            dofile(arg[i + 1] .. "/conf.lua")
            break
        end
    end
    love.conf(t)
end

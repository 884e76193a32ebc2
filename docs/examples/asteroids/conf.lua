function love.conf(t)
    t.identity = "revenant_asteroids"
    t.window.title = "Asteroids"
    t.window.width, t.window.height = 960, 640
    t.window.msaa = 4
    t.modules.joystick, t.modules.physics = false, false
end

function love.conf(t)
    t.identity = "revenant_love_physics"
    t.window.title = "Wrecking yard: space cuts the rope, hold R to rewind"
    t.window.width, t.window.height = 640, 360
    t.modules.audio, t.modules.joystick = false, false
end

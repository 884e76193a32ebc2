-- A plate that opens doors while something rests on it.

return { frames = { [[
    .kkkkkkkkkkkkkk.
    kaqqqqqqqqqqqqtk
    kqttttttttttttTk
    kkkkkkkkkkkkkkkk
    ]], [[
    ................
    ................
    .kkkkkkkkkkkkkk.
    kaaaaaaaaaaaaaak
    ]] }, clips = { idle = { 1 }, pressed = { 2 } } }

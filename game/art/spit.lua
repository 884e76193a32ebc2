-- The bolt of a shooter.

return { frames = { [[
    ..kkkk.
    .kaaaak
    kawwaqk
    .kaqqtk
    ..kkkk.
    ]], [[
    .kkkkk.
    kaaaaqk
    kawaaqk
    kaaqqtk
    .kkkkk.
    ]] }, clips = { idle = { 1, 2, rate = 10 } } }

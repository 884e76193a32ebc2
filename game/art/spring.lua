-- A spring.

return { frames = { [[
    ................
    ................
    ................
    .kkkkkkkkkkkkkk.
    krrrrrrrrrooooyk
    .kkkkkkkkkkkkkk.
    ..kfkekkkkekfk..
    ..kkfekffkefkk..
    ..kfkekkkkekfk..
    .khhhhhhhhhhhhk.
    .kkkkkkkkkkkkkk.
    ]], [[
    .kkkkkkkkkkkkkk.
    krrrrrrrrrooooyk
    .kkkkkkkkkkkkkk.
    ..kfk......kfk..
    ...kek....kek...
    ....kfk..kfk....
    ....kek..kek....
    ...kfk....kfk...
    ..kek......kek..
    .khhhhhhhhhhhhk.
    .kkkkkkkkkkkkkk.
    ]], [[
    ................
    ................
    ................
    ................
    .kkkkkkkkkkkkkk.
    krrrrrrrrrooooyk
    .kkkkkkkkkkkkkk.
    ..kfekkffkkefk..
    ..kkfekkkkefkk..
    .khhhhhhhhhhhhk.
    .kkkkkkkkkkkkkk.
    ]] }, clips = { idle = { 1 }, spring = { 3, 2, 2, 1, 3, 1, rate = 18, once = true } } }

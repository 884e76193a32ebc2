-- A brass beetle that walks to and fro.

return {
    frames = {
        [[
        ................
        ................
        ......kkkkk.....
        ....kkssooskk...
        ...ksSSsoooosk..
        ..ksSsssosoook..
        .kkssssmosooook.
        kcykmsmmosmoomk.
        kyckkkkkkkkkkkk.
        .kkhk.kheh.khk..
        ..kk...kk...kk..
        ]], [[
        ................
        ......kkkkk.....
        ....kkssooskk...
        ...ksSSsoooosk..
        ..ksSsssosoook..
        .kkssssmosooook.
        kcykmsmmosmoomk.
        kyckkkkkkkkkkkk.
        .kk.khk.khk.hk..
        ....kk...kk.kk..
        ................
        ]], [[
        ................
        ................
        ......kkkkk.....
        ....kkssooskk...
        ...ksSSsoooosk..
        ..ksSsssosoook..
        .kkssssmosooook.
        kcykmsmmosmoomk.
        kyckkkkkkkkkkkk.
        .kk.khk.khehkk..
        ....kk...kk.....
        ]],
    },
    clips = { walk = { 1, 2, 3, 2, rate = 8 }, idle = { 1 } },
}

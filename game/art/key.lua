-- A key.

return { frames = { [[
    .kkkkk......
    kccyyyk.....
    kcykkyykkkkk
    kyk..kyyyyyk
    kyk..kooooyk
    koykkyokkokk
    kooyyokkok..
    .kkkkk..k...
    ]], [[
    .kkkkk......
    kwccyyk.....
    kcykkyykkkkk
    kck..kcyyyyk
    kyk..kooooyk
    koykkyokkokk
    kooyyokkok..
    .kkkkk..k...
    ]] }, clips = { idle = { 1, 1, 1, 2, rate = 5 } } }

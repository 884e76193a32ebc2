-- A crate of a metal that is immune to time.

return { frames = { [[
    kkkkkkkkkkkkkkkk
    kcyyyyyyyyyyyyok
    kyokkkkkkkkkkyok
    kykbbbbbbbbbbkok
    kykbbbkkkkbbbkok
    kykbbkccyykbbkok
    kykbkcykkyykbkok
    kykbkyykcyokbkok
    kykbkyykkyokbkok
    kykbkyyyyyokbkok
    kykbbkyyookbbkok
    kykbbbkkkkbbbkok
    kykbbbbbbbbbbkok
    kyokkkkkkkkkkook
    kooooooooooooook
    kkkkkkkkkkkkkkkk
    ]], [[
    kkkkkkkkkkkkkkkk
    kccccyyyyyyyyyok
    kcokkkkkkkkkkyok
    kckbbbbbbbbbbkok
    kykbbbkkkkbbbkok
    kykbbkwccckbbkok
    kykbkwckkcckbkok
    kykbkcckwcykbkok
    kykbkcckkcykbkok
    kykbkcccccykbkok
    kykbbkccyykbbkok
    kykbbbkkkkbbbkok
    kykbbbbbbbbbbkok
    kyokkkkkkkkkkook
    kooooooooooooook
    kkkkkkkkkkkkkkkk
    ]] }, clips = { idle = { 1, 1, 2, rate = 3 } } }

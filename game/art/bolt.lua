-- A bolt that the player throws.

return { frames = { [[
    .kkkkk.
    kwwwcck
    kwcyyok
    kwwccck
    .kkkkk.
    ]], [[
    ..kkkk.
    kkwwwck
    kccyyok
    kkwwwck
    ..kkkk.
    ]] }, clips = { idle = { 1, 2, rate = 16 } } }

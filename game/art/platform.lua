-- A platform on its way.

return { frames = { [[
    .kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk.
    kSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSsk
    kSsssssssssssssssssssssssssssssssssssssssssssmmk
    kmmkkmmkkmmkkmmkkmmkkmmkkmmkkmmkkmmkkmmkkmmkkmmk
    kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk
    ..kek...........kykkyykkyk............kek.......
    ...k.............kkkyykkk..............k........
    ....................kk..........................
    ]] } }

-- A block that will not hold for long.

return { frames = { [[
    kkkkkkkkkkkkkkkk
    kSSSSSkSSSSSSSsk
    kSssssksssssssmk
    kSsssskksssssmmk
    ksssssmkssssskmk
    kkkksmmksskkkkkk
    kSSkkkkkkkSSSSSk
    kSssssskssssssmk
    kSsssskkssskssmk
    kssssskmsskkssmk
    kmsssmkmmmkmmmmk
    kkkkkkkkkkkkkkkk
    ksSSSSSkSSsSSSsk
    ksssssmksssssmmk
    kmmmmmmkmmmmmmmk
    kkkkkkkkkkkkkkkk
    ]], [[
    kkkkkkk.kkkkkkkk
    kSSSSSk.kSSSSSsk
    kSssssk.kssssskk
    kkssskk.kkkssk.k
    .kkskmk..kkkkkmk
    kkk.kmmkk.skkkkk
    kSSkkk.kkkSSSSSk
    kSssk..kskkssssk
    kSskk.kksk.ksmmk
    kssk.kkmsk.kksmk
    kmskkmk.mkkmmmmk
    kkkkkkk.kkkkk.kk
    ksSSSk..kSSsk.sk
    kssskk.kksssk.mk
    kmmmk.kkmmmmkkmk
    kkkkk..kkkkkkkkk
    ]] }, clips = { idle = { 1 }, shake = { 1, 2, 1, 2, 2, 2, rate = 12 } } }

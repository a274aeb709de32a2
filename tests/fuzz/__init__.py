"""Fuzzers: hostile input for every decoder, grown from grammars and from what ended in a new way.

    make fuzz CASES=10000                       all targets
    make fuzz TARGET=metadata SEED=7            one target, the cases of a seed
    make fuzz REPLAY=.fuzz/metadata-1a2b3c4d    one case again

Each case may come to a value or to a documented error, within a second of processor time and 64 MB. An error tells no secret. A value
is judged by the target. Cases that end in a new way are kept and changed further.
"""

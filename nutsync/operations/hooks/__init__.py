"""What Git's hooks do in an armed clone (design §7). Their shims and the `sh` in front are in ``hooks/``.

Everything in this room runs under ``python -I -S``: the standard library and nutsync's own core and store,
and nothing else until a rule asks for it.
"""

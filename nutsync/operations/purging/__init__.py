"""Forgetting for good: a purge on the device that asks for it, and on every device that follows (design §9).

* :mod:`purge` – the command: forget, record, rewrite, send, clean, prove.
* :mod:`follow` – what a sync does when the remote, or this clone, was purged.
* :mod:`rules` – purge records read, signed, checked, and turned into what the recipe needs.
* :mod:`rewriting` – the history of this clone rewritten, with every ref that leads to it.
* :mod:`clean` – old history let go of, and proof that nothing holds the text.
* :mod:`state` – what is under way, noted so that a crash is made good.
* :mod:`devices` – which devices have followed.
"""

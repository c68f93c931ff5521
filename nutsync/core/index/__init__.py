"""The index of a day: build it, check it, complete it, merge it (design §3.2, §8.5)."""

from nutsync.core.index.build import Said, build_clause, build_index
from nutsync.core.index.check import IndexFinding, check_index
from nutsync.core.index.clauses import join_clauses, split_clauses
from nutsync.core.index.complete import IndexResult, complete_index, extend_index, refuse_invented
from nutsync.core.index.merge import index_without, merge_index

__all__ = [
    "IndexFinding",
    "IndexResult",
    "Said",
    "build_clause",
    "build_index",
    "check_index",
    "complete_index",
    "extend_index",
    "index_without",
    "join_clauses",
    "merge_index",
    "refuse_invented",
    "split_clauses",
]

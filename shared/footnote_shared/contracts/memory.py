"""Which documents are memory: those of one folder and of the folders below it (spec 2.1, 5.5).

Memory is read, edited and deleted like documents, but it is no evidence: no search finds it beside documents,
and it gets no number.
"""

MEMORY_FOLDER = "/memory"
BELOW_MEMORY = f"{MEMORY_FOLDER}/"
MEMORY_MARK = "memory"
"""Stands among the `folder_ids` of a point of memory. Ids of folders are longer."""


def is_memory(folder: str) -> bool:
    """Whether what lies in the folder of this path is memory."""
    return folder == MEMORY_FOLDER or folder.startswith(BELOW_MEMORY)

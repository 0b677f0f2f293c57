"""A chunk before it is stored: it has no id yet."""

from dataclasses import dataclass

from footnote_ingest.parsing.elements import Kind


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """A passage of a document as it was cut.

    `text` is what is shown. It equals `[char_start:char_end]` of the extracted text, with one exception: a
    later part of a table says which rows it holds and repeats the header row, and its range covers its own
    rows only.

    `kind` is that of all its elements but headings and a table's caption; paragraphs, lists and captions of
    pictures together are a `paragraph`. Code begins with its indentation.

    `language` is a code of ISO 639, and None for code and where the language could not be told.
    `code_language` is the programming language of code, if it is known.

    `embed_text` is `text` behind the document's title and the headings above it, and for code and tables the
    prose right before them. `tokens` is the length of `text` by the lane's tokenizer, without special tokens.
    With them, `embed_text` stays within the model's limit. Pages count from 1 and are None if the format has
    no pages.
    """

    ordinal: int
    text: str
    kind: Kind
    heading_path: tuple[str, ...]
    page_start: int | None
    page_end: int | None
    char_start: int
    char_end: int
    policy: str
    policy_version: int
    tokens: int
    embed_text: str
    text_hash: str
    language: str | None = None
    code_language: str | None = None

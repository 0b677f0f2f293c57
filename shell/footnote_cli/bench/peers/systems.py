"""The other systems, as their documentation sets them up. Run by the interpreter of a system's environment.

`python systems.py NAME` reads a task from standard input as JSON: the `documents` as pairs of id and text,
the `queries`, the folder of the embedding `model`, the passages to find (`top_k`), and the words of a chunk.
The last line that it prints is the outcome as JSON: the seconds of ingest, the number of chunks, the seconds
of each query, the ids of the documents that it found, best first, and the most memory that it held.

It imports nothing of Footnote, which those environments need not have.
"""

import json
import resource
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, TypeAlias

Chunk: TypeAlias = tuple[str, str]
"""The id of a document, and a part of its text."""

Search: TypeAlias = Callable[[str], list[str]]
"""A query in, the ids of the documents of its passages out, best first."""

WARM_QUERIES = 5
"""Queries that are asked before those that are measured."""

_BATCH = 32


def langchain(chunks: Sequence[Chunk], model: str, top_k: int) -> Search:
    """The store in memory beside BM25, joined by reciprocal ranks."""
    embeddings = import_module("langchain_huggingface").HuggingFaceEmbeddings(
        model_name=model, encode_kwargs={"batch_size": _BATCH}
    )
    document = import_module("langchain_core.documents").Document
    made = [document(page_content=text, metadata={"of": of}) for of, text in chunks]
    store = import_module("langchain_core.vectorstores").InMemoryVectorStore(embeddings)
    store.add_documents(made)
    words = import_module("langchain_community.retrievers").BM25Retriever.from_documents(made, k=top_k)
    both = import_module("langchain_classic.retrievers").EnsembleRetriever(
        retrievers=[store.as_retriever(search_kwargs={"k": top_k}), words]
    )
    return lambda query: [found.metadata["of"] for found in both.invoke(query)]


def llamaindex(chunks: Sequence[Chunk], model: str, top_k: int) -> Search:
    """The vector index in memory beside BM25, joined by reciprocal ranks, without a model that writes."""
    core = import_module("llama_index.core")
    embedding = import_module("llama_index.embeddings.huggingface").HuggingFaceEmbedding(
        model_name=model, embed_batch_size=_BATCH
    )
    node = import_module("llama_index.core.schema").TextNode
    nodes = [node(text=text, metadata={"of": of}) for of, text in chunks]
    index = core.VectorStoreIndex(nodes, embed_model=embedding)
    words = import_module("llama_index.retrievers.bm25").BM25Retriever.from_defaults(
        nodes=nodes, similarity_top_k=top_k
    )
    both = import_module("llama_index.core.retrievers").QueryFusionRetriever(
        [index.as_retriever(similarity_top_k=top_k), words],
        llm=import_module("llama_index.core.llms").MockLLM(),
        num_queries=1,
        mode="reciprocal_rerank",
        similarity_top_k=top_k,
        use_async=False,
    )
    return lambda query: [found.node.metadata["of"] for found in both.retrieve(query)]


def haystack(chunks: Sequence[Chunk], model: str, top_k: int) -> Search:
    """The store in memory, asked for words and for meaning, joined by reciprocal ranks."""
    embedders = import_module("haystack.components.embedders")
    retrievers = import_module("haystack.components.retrievers.in_memory")
    document = import_module("haystack").Document
    store = import_module("haystack.document_stores.in_memory").InMemoryDocumentStore()
    writer = embedders.SentenceTransformersDocumentEmbedder(
        model=model, batch_size=_BATCH, progress_bar=False
    )
    asker = embedders.SentenceTransformersTextEmbedder(model=model, progress_bar=False)
    for embedder in (writer, asker):
        embedder.warm_up()
    made = [document(content=text, meta={"of": of}) for of, text in chunks]
    store.write_documents(writer.run(documents=made)["documents"])
    by_words = retrievers.InMemoryBM25Retriever(store, top_k=top_k)
    by_meaning = retrievers.InMemoryEmbeddingRetriever(store, top_k=top_k)
    joiner = import_module("haystack.components.joiners").DocumentJoiner(
        join_mode="reciprocal_rank_fusion", top_k=top_k
    )

    def search(query: str) -> list[str]:
        words = by_words.run(query=query)["documents"]
        meaning = by_meaning.run(query_embedding=asker.run(text=query)["embedding"])["documents"]
        return [found.meta["of"] for found in joiner.run(documents=[words, meaning])["documents"]]

    return search


def txtai(chunks: Sequence[Chunk], model: str, top_k: int) -> Search:
    """Its hybrid index."""
    index = import_module("txtai").Embeddings(path=model, hybrid=True, encodebatch=_BATCH)
    index.index([(number, text, None) for number, (_, text) in enumerate(chunks)])
    return lambda query: [chunks[number][0] for number, _ in index.search(query, top_k)]


def chroma(chunks: Sequence[Chunk], model: str, top_k: int) -> Search:
    """A collection in memory. It has no hybrid search of its own, so meaning alone is searched."""
    functions = import_module("chromadb.utils.embedding_functions")
    embed = functions.SentenceTransformerEmbeddingFunction(model_name=model)
    collection = (
        import_module("chromadb")
        .EphemeralClient()
        .create_collection(f"of-{len(chunks)}", embedding_function=embed, metadata={"hnsw:space": "cosine"})
    )
    for start in range(0, len(chunks), _BATCH):
        batch = chunks[start : start + _BATCH]
        collection.add(
            ids=[str(start + number) for number in range(len(batch))],
            documents=[text for _, text in batch],
        )

    def search(query: str) -> list[str]:
        found = collection.query(query_texts=[query], n_results=top_k)["ids"][0]
        return [chunks[int(number)][0] for number in found]

    return search


SYSTEMS: Mapping[str, Callable[[Sequence[Chunk], str, int], Search]] = {
    "LangChain": langchain,
    "LlamaIndex": llamaindex,
    "Haystack": haystack,
    "txtai": txtai,
    "Chroma": chroma,
}


def cut(documents: Sequence[Chunk], words: int, overlap: int) -> list[Chunk]:
    """The documents in chunks of this many words, each of which repeats the last words of the one before."""
    chunks: list[Chunk] = []
    for of, text in documents:
        found = text.split()
        starts = range(0, max(1, len(found) - overlap), words - overlap)
        chunks += [(of, " ".join(found[start : start + words])) for start in starts]
    return chunks


def measure(name: str, task: Mapping[str, Any]) -> dict[str, Any]:
    """The outcome of one system. Its first small index, which loads the model, is not measured."""
    build = SYSTEMS[name]
    build([("warm", "to begin with"), ("warm", "and to go on")], task["model"], 1)("begin")
    begun = time.perf_counter()
    chunks = cut(task["documents"], task["words"], task["overlap"])
    search = build(chunks, task["model"], task["top_k"])
    ingest_s = time.perf_counter() - begun
    for query in task["queries"][:WARM_QUERIES]:
        search(f"{query} again")
    seconds, found = [], []
    for query in task["queries"]:
        begun = time.perf_counter()
        found.append(search(query))
        seconds.append(time.perf_counter() - begun)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"ingest_s": ingest_s, "chunks": len(chunks), "seconds": seconds, "found": found, "memory": peak}


def main() -> None:
    print("\n" + json.dumps(measure(sys.argv[1], json.load(sys.stdin))), flush=True)


if __name__ == "__main__":
    main()

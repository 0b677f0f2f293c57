"""Collections that tests of the development vector server make with Qdrant's own client."""

from typing import Any

from qdrant_client import AsyncQdrantClient, models
from qdrant_client.http.exceptions import UnexpectedResponse


async def make_collection(client: AsyncQdrantClient, name: str, **options: Any) -> str:
    try:
        await client.create_collection(
            name,
            vectors_config={"dense": models.VectorParams(size=2, distance=models.Distance.COSINE)},
            sparse_vectors_config={"sparse": models.SparseVectorParams()},
            **options,
        )
    except UnexpectedResponse as error:
        if error.status_code != 409:
            raise
    return name

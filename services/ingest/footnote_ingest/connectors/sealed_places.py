"""Where the secrets of a connector belong: moved to another one they do not open."""


def credentials_place(connector_id: str) -> str:
    """Where sealed credentials belong."""
    return f"connectors/{connector_id}/credentials"


def access_place(connector_id: str) -> str:
    """Where a sealed access token belongs."""
    return f"connectors/{connector_id}/access"


def hook_secret_place(connector_id: str) -> str:
    """Where a sealed secret of a web hook belongs."""
    return f"connectors/{connector_id}/hook"


def told_secret_place(connector_id: str) -> str:
    """Where a sealed secret belongs that the other system has made and told."""
    return f"connectors/{connector_id}/told"

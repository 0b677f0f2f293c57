"""The settings of users' own tokens: which issuer is believed, and what its claims mean here."""

from pydantic import BaseModel, Field


class UserTokenSettings(BaseModel):
    """JWTs of users beside API keys. They are taken where `FOOTNOTE_JWT_JWKS_URL` is set.

    A claim is named as it stands in the token, or as a path through objects with dots
    (`realm_access.roles`).
    """

    jwt_jwks_url: str = Field(
        "",
        description="Where the issuer publishes its keys (RFC 7517). https, or http on this machine. Empty: "
        "no JWTs of users are taken.",
    )
    jwt_issuer: str = Field("", description="The issuer (`iss`) that tokens must name.")
    jwt_audience: str = Field("", description="The audience (`aud`) that tokens must be made for.")
    jwt_workspace_claim: str = Field(
        "footnote_workspace", description="The claim that holds the id of the workspace."
    )
    jwt_workspace: str = Field(
        "",
        description="Id of the one workspace that all tokens of this issuer belong to. The claim is then not "
        "read.",
    )
    jwt_avatar_claim: str = Field(
        "sub",
        description="The claim that names the person for ever. The first request makes the avatar.",
    )
    jwt_groups_claim: str = Field(
        "groups", description="The claim that lists the groups of the person. Absent in a token: none."
    )
    jwt_scopes_claim: str = Field(
        "scope",
        description="The claim that lists what the token may do, as a list or divided by spaces: read, "
        "write, admin, each behind the prefix.",
    )
    jwt_scopes_prefix: str = Field(
        "footnote:", description="What a scope of Footnote begins with. Other scopes are passed over."
    )
    jwt_longest_s: int = Field(
        86_400,
        ge=60,
        description="Longest life of a token, in seconds. One that is good for longer is refused, since it "
        "cannot be taken back.",
    )

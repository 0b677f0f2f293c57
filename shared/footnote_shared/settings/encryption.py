"""The settings of encryption at rest (spec 7.3)."""

from pydantic import BaseModel, Field, SecretStr


class EncryptionSettings(BaseModel):
    """Whether stored content is encrypted, and under which master key."""

    encryption: bool = Field(
        False,
        description="Encrypt what is stored of content: texts of chunks with their headings, quotes, "
        "messages, files. What is there already is encrypted in the background. Needs a master key.",
    )
    master_key: SecretStr = Field(
        SecretStr(""),
        description="Master key of 32 characters or more, under which the keys in the database are wrapped. "
        "Several, divided by commas or lines: the first wraps, each unwraps. Without it nothing encrypted "
        "opens. `footnote encryption make-key FILE` makes a file for FOOTNOTE_MASTER_KEY_FILE.",
    )
    master_key_vault: str = Field(
        "",
        description="URL of a key of Vault's transit engine that wraps in place of a master key, such as "
        "https://vault:8200/v1/transit/keys/footnote. A master key that is set too still unwraps.",
    )
    vault_token: SecretStr = Field(SecretStr(""), description="Token with which Vault is asked.")

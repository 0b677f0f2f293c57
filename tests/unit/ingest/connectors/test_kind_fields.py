"""What each kind needs to know is said so that a form can be made of it."""

import pytest

from footnote_ingest.connectors.kind_fields import kind_cards
from footnote_shared.contracts.connector_kinds import KIND_FIELDS
from footnote_shared.contracts.connectors import KindCard

CARDS = {card.kind: card for card in kind_cards()}


def test_every_kind_has_a_card_with_all_of_its_fields() -> None:
    assert list(CARDS) == list(KIND_FIELDS)
    for kind, (config, credentials) in KIND_FIELDS.items():
        card: KindCard = CARDS[kind]
        assert [field.name for field in card.config] == list(config.model_fields)
        assert [field.name for field in card.credentials] == list(credentials.model_fields)
        assert all(field.description for field in card.config + card.credentials)
    assert [kind for kind, card in CARDS.items() if not card.syncs] == ["push"]


@pytest.mark.parametrize(
    ("kind", "name", "said"),
    [
        ("rss", "url", ("text", True, [], None)),
        ("web", "max_pages", ("number", False, [], 500)),
        ("web", "follow_links", ("boolean", False, [], False)),
        ("github", "branch", ("text", False, [], None)),
        ("github", "parts", ("list", False, ["files", "issues", "pulls"], ["files", "issues", "pulls"])),
        ("slack", "channels", ("list", False, [], [])),
        ("jira", "projects", ("list", False, [], [])),
    ],
)
def test_a_field_says_its_type_and_what_holds_without_it(
    kind: str, name: str, said: tuple[str, bool, list[str], object]
) -> None:
    (field,) = [
        field for card in CARDS.values() if card.kind == kind for field in card.config if field.name == name
    ]
    assert (field.type, field.required, field.choices, field.default) == said

"""The grammars of tree-sitter, and what in each of them is a class, a function or the like.

All of them together add about 5 MB to a process, and loading them takes milliseconds.
"""

from collections.abc import Callable
from dataclasses import dataclass

import tree_sitter_bash
import tree_sitter_c
import tree_sitter_c_sharp
import tree_sitter_cpp
import tree_sitter_go
import tree_sitter_java
import tree_sitter_javascript
import tree_sitter_php
import tree_sitter_python
import tree_sitter_ruby
import tree_sitter_rust
import tree_sitter_typescript


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class Grammar:
    """The kinds of nodes that matter.

    `scopes` have a name and hold definitions, `units` have a name and hold none. `wrappers` stand around one
    definition and begin before it, such as decorators. `inner` hold definitions and have no name.
    """

    language: Callable[[], object]
    scopes: frozenset[str]
    units: frozenset[str]
    wrappers: frozenset[str] = frozenset()
    inner: frozenset[str] = frozenset()


_JS_UNITS = (
    "function_declaration generator_function_declaration method_definition lexical_declaration "
    "variable_declaration expression_statement field_definition"
)
_TS_SCOPES = _words(
    "class_declaration abstract_class_declaration interface_declaration internal_module module class"
)
_TS_UNITS = _words(
    f"{_JS_UNITS} public_field_definition type_alias_declaration enum_declaration function_signature "
    "abstract_method_signature method_signature"
)
_TS_INNER = _words("class_body interface_body statement_block ambient_declaration expression_statement")
_C_UNITS = _words(
    "function_definition type_definition struct_specifier union_specifier enum_specifier preproc_function_def"
)
_C_INNER = _words(
    "preproc_ifdef preproc_if preproc_else preproc_elif linkage_specification declaration_list "
    "field_declaration_list"
)

GRAMMARS: dict[str, Grammar] = {
    "python": Grammar(
        tree_sitter_python.language,
        scopes=_words("class_definition"),
        units=_words("function_definition"),
        wrappers=_words("decorated_definition"),
        inner=_words("block if_statement else_clause try_statement except_clause"),
    ),
    "js": Grammar(
        tree_sitter_javascript.language,
        scopes=_words("class_declaration class"),
        units=_words(_JS_UNITS),
        wrappers=_words("export_statement"),
        inner=_words("class_body"),
    ),
    "ts": Grammar(
        tree_sitter_typescript.language_typescript,
        scopes=_TS_SCOPES,
        units=_TS_UNITS,
        wrappers=_words("export_statement"),
        inner=_TS_INNER,
    ),
    "tsx": Grammar(
        tree_sitter_typescript.language_tsx,
        scopes=_TS_SCOPES,
        units=_TS_UNITS,
        wrappers=_words("export_statement"),
        inner=_TS_INNER,
    ),
    "java": Grammar(
        tree_sitter_java.language,
        scopes=_words(
            "class_declaration interface_declaration enum_declaration record_declaration "
            "annotation_type_declaration"
        ),
        units=_words("method_declaration constructor_declaration compact_constructor_declaration"),
        inner=_words("class_body interface_body enum_body enum_body_declarations annotation_type_body"),
    ),
    "go": Grammar(
        tree_sitter_go.language,
        scopes=frozenset(),
        units=_words("function_declaration method_declaration type_spec type_alias"),
        wrappers=_words("type_declaration"),
    ),
    "rust": Grammar(
        tree_sitter_rust.language,
        scopes=_words("impl_item trait_item mod_item"),
        units=_words(
            "function_item function_signature_item struct_item enum_item union_item macro_definition "
            "type_item"
        ),
        inner=_words("declaration_list"),
    ),
    "c": Grammar(tree_sitter_c.language, scopes=frozenset(), units=_C_UNITS, inner=_C_INNER),
    "cpp": Grammar(
        tree_sitter_cpp.language,
        scopes=_words("class_specifier struct_specifier namespace_definition"),
        units=(_C_UNITS | _words("concept_definition alias_declaration")) - {"struct_specifier"},
        wrappers=_words("template_declaration"),
        inner=_C_INNER,
    ),
    "csharp": Grammar(
        tree_sitter_c_sharp.language,
        scopes=_words(
            "namespace_declaration class_declaration struct_declaration interface_declaration "
            "record_declaration"
        ),
        units=_words(
            "method_declaration constructor_declaration destructor_declaration property_declaration "
            "delegate_declaration enum_declaration"
        ),
        inner=_words("declaration_list"),
    ),
    "ruby": Grammar(
        tree_sitter_ruby.language,
        scopes=_words("module class"),
        units=_words("method singleton_method"),
        inner=_words("body_statement singleton_class"),
    ),
    "php": Grammar(
        tree_sitter_php.language_php,
        scopes=_words(
            "namespace_definition class_declaration interface_declaration trait_declaration enum_declaration"
        ),
        units=_words("function_definition method_declaration"),
        inner=_words("declaration_list compound_statement enum_declaration_list"),
    ),
    "shell": Grammar(tree_sitter_bash.language, scopes=frozenset(), units=_words("function_definition")),
}

"""XML parts of a zip container, as OpenDocument and EPUB files hold them."""

import zipfile

from lxml import etree

READ_ERRORS = (zipfile.BadZipFile, etree.XMLSyntaxError, KeyError)
"""The errors that reading a part raises if the file is damaged."""

DUBLIN_CORE = "{http://purl.org/dc/elements/1.1/}"


def parse_part(data: bytes) -> etree._Element:
    """Parse without entities, network access or the files of a document type.

    Nobody looks for nodes by `xml:id`, and a part whose ids are no names, or are given twice, is sound.
    """
    return etree.fromstring(
        data,
        etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, collect_ids=False
        ),
    )

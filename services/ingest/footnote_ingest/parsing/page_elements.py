"""Names of elements of HTML that several readers of web pages ask for."""

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
TABLE_PARTS = ("table", "thead", "tbody", "tfoot", "tr", "td", "th")

"""Expressions that several panels of the dashboards are made of."""

EVERY = "$__rate_interval"
ASKED = "{route!~`/(healthz|readyz|acceptz|metrics)`}"
ANSWERED_AT_ONCE = "{route!~`/(healthz|readyz|acceptz|metrics|v1/documents:progress)`}"
"""Without what waits for a change before it answers."""

SEARCH = "{service=`retriever`,route=`/v1/search`}"


def rate(metric: str, by: str = "") -> str:
    return f"sum{f' by ({by})' if by else ''} (rate({metric}[{EVERY}]))"


def quantile(share: float, metric: str, by: str = "", labels: str = "") -> str:
    kept = f"le, {by}" if by else "le"
    return f"histogram_quantile({share}, sum by ({kept}) (rate({metric}_bucket{labels}[{EVERY}])))"


def quantiles(metric: str, labels: str = "") -> dict[str, str]:
    return {f"p{int(share * 100)}": quantile(share, metric, labels=labels) for share in (0.5, 0.95, 0.99)}

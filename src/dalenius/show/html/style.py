"""Colours and the style sheet. Every text has a contrast of at least 4.5 with what it stands on; a test computes it."""

COLOURS = {
    "ink": "#1c1f24",
    "quiet": "#4a5058",
    "paper": "#ffffff",
    "panel": "#f3f5f7",
    "rule": "#b8bec6",
    "accent": "#1f4e79",
    "pass": "#14532d",
    "pass-panel": "#e6f4ea",
    "fail": "#7f1d1d",
    "fail-panel": "#fdecec",
    "review": "#6b3f00",
    "review-panel": "#fff4dd",
}
# Which text stands on which ground.
PAIRS = (
    ("ink", "paper"),
    ("ink", "panel"),
    ("quiet", "paper"),
    ("quiet", "panel"),
    ("accent", "paper"),
    ("accent", "panel"),
    ("pass", "pass-panel"),
    ("fail", "fail-panel"),
    ("review", "review-panel"),
    ("pass", "paper"),
    ("fail", "paper"),
    ("review", "paper"),
)

_RULES = """
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
html{font-size:17px}
body{margin:0;background:var(--paper);color:var(--ink);
font:1rem/1.55 system-ui,"Segoe UI",Roboto,"Liberation Sans",Arial,sans-serif}
main,header,footer{max-width:52rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2rem}
h1{font-size:1.9rem;line-height:1.2;margin:.2rem 0 1rem}
h2{font-size:1.35rem;line-height:1.25;margin:2.6rem 0 .6rem;padding-top:.9rem;border-top:2px solid var(--ink)}
h3{font-size:1.08rem;margin:1.5rem 0 .4rem}
p,ul,ol,dl{margin:.5rem 0}
a{color:var(--accent)}
.over{color:var(--quiet);margin:0}
.answer{border-left:.5rem solid;border-radius:.3rem;padding:1rem 1.1rem;margin:1rem 0;font-size:1.1rem}
.answer strong{display:block;font-size:1.5rem;line-height:1.25}
.pass{color:var(--pass)}.fail{color:var(--fail)}.review{color:var(--review)}
.answer.pass{background:var(--pass-panel)}
.answer.fail{background:var(--fail-panel)}.answer.review{background:var(--review-panel)}
.note{color:var(--quiet);font-size:.93rem}
.panel{background:var(--panel);border-radius:.3rem;padding:.8rem 1.1rem;margin:.8rem 0}
.scroll{overflow-x:auto;margin:.6rem 0}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
caption{text-align:left;font-weight:600;padding:.3rem 0}
th,td{text-align:left;vertical-align:top;padding:.38rem .7rem .38rem 0;border-bottom:1px solid var(--rule)}
.num{text-align:right;white-space:nowrap}
thead th{border-bottom:2px solid var(--ink);vertical-align:bottom}
thead .num{white-space:normal}
tbody th{font-weight:400;min-width:8.5rem}

.mark-word{font-weight:700;margin:0}
.names{font-size:1.15rem;font-weight:600;margin:-.6rem 0 1rem}
.imprint{margin:0 0 1rem;font-size:.93rem}.imprint div{display:flex;gap:.8rem;padding:.12rem 0}
.imprint dt{flex:0 0 8.5rem;color:var(--quiet)}.imprint dd{margin:0;min-width:0}
.one{margin:1rem 0 1.4rem}.one h3{margin-bottom:.1rem}
figure{margin:1rem 0 1.6rem}
figcaption{font-size:.95rem}
.chart{width:100%;height:auto;display:block;background:var(--paper)}
.chart text{font:13px system-ui,"Segoe UI",Roboto,"Liberation Sans",Arial,sans-serif;fill:var(--quiet)}
.chart .axis{fill:var(--ink);font-size:14px}
.chart .mark{fill:var(--fail);font-weight:600}
.chart .grid{stroke:var(--rule);stroke-width:1}
.chart .limit{stroke:var(--fail);stroke-width:1.5;stroke-dasharray:6 4}
.chart .line{fill:none;stroke:var(--accent);stroke-width:2.5}
.chart .dot{fill:var(--accent)}
.initial{list-style:none;padding:0}
.initial li{display:flex;gap:.9rem;padding:.55rem 0;border-bottom:1px solid var(--rule)}
.box{flex:0 0 3.4rem;height:2.1rem;border:1.5px solid var(--ink);border-radius:.2rem}
.sign{display:grid;grid-template-columns:1fr 1fr;gap:2.4rem 2rem;margin:2.6rem 0 1rem}
.sign div{border-top:1.5px solid var(--ink);padding-top:.25rem;color:var(--quiet)}
code{font:.88em ui-monospace,"Liberation Mono",monospace;overflow-wrap:anywhere}
.break{overflow-wrap:anywhere}
footer{padding-bottom:3rem;margin-top:2.5rem;color:var(--quiet);font-size:.9rem}
@media (max-width:34rem){html{font-size:16px}tbody th{min-width:5.5rem}
th,td{padding-right:.35rem}table{font-size:.84rem}
h1{font-size:1.55rem}.answer strong{font-size:1.25rem}
.sign{grid-template-columns:1fr}.imprint dt{flex-basis:6.2rem}
.chart text{font-size:19px}.chart .axis{font-size:20px}}
@media print{@page{margin:18mm 16mm}html{font-size:10.5pt}main,header,footer{max-width:none;padding:0}
.answer,.panel{border:1.5px solid var(--ink)}h2,h3{break-after:avoid}
#numbers p{break-after:avoid}
figure,tr,.scroll,.one,.initial li,.answer,.sign,.panel{break-inside:avoid}
.newpage{break-before:page}.scroll{overflow:visible}.chart{max-height:7.2cm}}
"""


def sheet() -> str:
    """The style sheet, with its colours."""
    named = "".join(f"--{name}:{value};" for name, value in COLOURS.items())
    return f":root{{{named}}}{_RULES}"


def contrast(first: str, second: str) -> float:
    """How much two colours (#rrggbb) differ in luminance, as WCAG 2 defines it: from 1 to 21.

    >>> contrast("#000000", "#ffffff")
    21.0
    """
    bright, dark = sorted((_luminance(first), _luminance(second)), reverse=True)
    return round((bright + 0.05) / (dark + 0.05), 3)


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue

"""What the pictures share: a sheet that is legible by day and by night, and nothing that has to be installed."""
import html

STYLE = """
.paper{fill:#fff}text{fill:#1f2328}.title{font-weight:bold}.end{text-anchor:end}.middle{text-anchor:middle}
.quiet{fill:#59636e}.axis{fill:none;stroke:#8c959f}.grid{fill:none;stroke:#d8dee4}.range{fill:none;stroke:#1f2328}
.line{fill:none;stroke-width:1.2}.line.first{stroke:#1f6feb}.line.second{stroke:#bc6c00}
rect.first,text.first{fill:#1f6feb}rect.second,text.second{fill:#bc6c00}
@media (prefers-color-scheme: dark){
.paper{fill:#0d1117}text{fill:#e6edf3}.quiet{fill:#9198a1}.axis{stroke:#6e7681}.grid{stroke:#30363d}.range{stroke:#e6edf3}
.line.first{stroke:#58a6ff}.line.second{stroke:#e3a13a}
rect.first,text.first{fill:#58a6ff}rect.second,text.second{fill:#e3a13a}}
"""
COLOURS = ("first", "second")  # classes of STYLE: well, and less well, or one line and the other


def text(x, y, words, *classes):
    named = f' class="{" ".join(classes)}"' if classes else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{named}>{html.escape(str(words))}</text>'


def path(way, *classes):
    return f'<path d="{way}" class="{" ".join(classes)}"/>'


def sheet(width, height, parts):
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
                      'font-size="11">', f"<style>{STYLE}</style>", '<rect width="100%" height="100%" class="paper"/>',
                      *parts, "</svg>", ""])

"""The finer format of an XML document, by its root and the root's namespaces."""

from coatcheck_schemas.synopsis import Attribute

_BY_ROOT = {
    "html": "html",
    "svg": "svg",
    "rss": "rss",
    "feed": "atom",
    "testsuites": "junit",
    "testsuite": "junit",
    "plist": "plist",
    "urlset": "sitemap",
    "sitemapindex": "sitemap",
    "nmaprun": "nmap",
    "checkstyle": "checkstyle",
    "coverage": "cobertura",
    "opml": "opml",
    "kml": "kml",
    "gpx": "gpx",
    "xliff": "xliff",
}
_BY_NAMESPACE = {
    "http://maven.apache.org/POM/": "maven",
    "http://schemas.microsoft.com/developer/msbuild/": "msbuild",
    "http://www.w3.org/2001/XMLSchema": "xsd",
    "http://schemas.xmlsoap.org/wsdl/": "wsdl",
    "http://schemas.xmlsoap.org/soap/envelope/": "soap",
    "http://www.w3.org/2003/05/soap-envelope": "soap",
    "http://www.w3.org/1999/XSL/Transform": "xslt",
    "http://docbook.org/ns/docbook": "docbook",
    "http://www.w3.org/1999/xhtml": "html",
}
"""By how the URI of the root's own namespace begins: the last part of some is a version."""
_MSBUILD_CHILDREN = frozenset({"PropertyGroup", "ItemGroup", "Import", "Target"})

HTML_ROOTS = frozenset(
    {
        "article", "aside", "body", "blockquote", "br", "button", "center", "code", "details", "div",
        "dl", "em", "fieldset", "figure", "font", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "head",
        "header", "hr", "html", "iframe", "img", "input", "label", "li", "link", "main", "meta", "nav",
        "ol", "p", "picture", "pre", "script", "section", "select", "small", "span", "strong", "style", "sub",
        "summary", "sup", "table", "tbody", "td", "template", "textarea", "th", "thead", "title", "tr", "u",
        "ul", "video",
    }
)  # fmt: skip
"""What begins a page, or a piece of one, or of a template."""


def xml_format(root: str, namespaces: list[Attribute], children: list[str]) -> str | None:
    """None where the root is of no kind that is known here."""
    prefix, _, local = root.rpartition(":")
    name = f"xmlns:{prefix}" if prefix else "xmlns"
    uri = next((namespace.value for namespace in namespaces if namespace.name == name), "")
    by_namespace = next((finer for start, finer in _BY_NAMESPACE.items() if uri.startswith(start)), None)
    if by_namespace is not None:
        return by_namespace
    if root == "Project" and not _MSBUILD_CHILDREN.isdisjoint(children):
        return "msbuild"
    return _BY_ROOT.get(local.lower())

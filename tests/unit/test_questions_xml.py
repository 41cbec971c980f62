"""What an agent asks of an XML or HTML result, and that its stub answers, or names what would."""

import pytest
from tests.support.answering import stub_of


def case(number: int) -> str:
    start = f'<testcase classname="tests.test_shop" name="test_{number}" time="0.{number:03}"'
    if number % 70:
        return f"{start} />"
    return (
        f'{start}><failure message="assert {number} == 2">def test():\n&gt;  assert {number} == 2</failure></testcase>'
    )


JUNIT = (
    '<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="0" '
    'failures="2" skipped="0" tests="200" time="12.345" timestamp="2024-05-01T10:00:00" hostname="ci">'
    + "".join(case(number) for number in range(1, 201))
    + "</testsuite></testsuites>"
)
POM = (
    '<?xml version="1.0"?>\n<project xmlns="http://maven.apache.org/POM/4.0.0">\n'
    "  <modelVersion>4.0.0</modelVersion>\n  <groupId>org.example</groupId>\n  <artifactId>shop-core</artifactId>\n"
    "  <version>2.3.1</version>\n  <properties><java.version>21</java.version></properties>\n  <dependencies>\n"
    + "".join(
        f"    <dependency><groupId>g{n}</groupId><artifactId>a{n}</artifactId><version>1.{n}</version></dependency>\n"
        for n in range(120)
    )
    + "  </dependencies>\n</project>\n"
)
FEED = (
    '<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>Harbour news</title>'
    "<link>https://news.example.org/</link>"
    + "".join(
        f"<item><title>Ship {n} arrived</title><dc:creator>ann</dc:creator>"
        f"<description><![CDATA[<p>It carried {n} tons.</p>]]></description></item>"
        for n in range(150)
    )
    + "</channel></rss>"
)
PAGE = (
    "<!DOCTYPE html><html><head><title>Order 4711 &ndash; Shop</title></head><body><h1>Your order</h1>"
    + "".join(
        f"<h2>Parcel {n}</h2><p>Text<br>of it. <a href='/p/{n}'>track</a><table><tr><td>1</table>" for n in range(40)
    )
    + "<form action='/pay'><input name=card></form></body></html>"
)


@pytest.mark.parametrize(
    ("question", "result", "answers"),
    [
        ("how many tests ran, and how many failed?", JUNIT, ["test cases (200)", "failed (2)"]),
        (
            "which tests failed, and why?",
            JUNIT,
            ["tests.test_shop.test_70: assert 70 == 2", "test_140: assert 140 == 2"],
        ),
        ("which suite was it, and how long did it take?", JUNIT, ['name="pytest"', "testcase: 200"]),
        (
            "which artifact and version is this?",
            POM,
            ["artifactId: 1 = shop-core", "version: 1 = 2.3.1", "format: maven"],
        ),
        ("how many dependencies are there?", POM, ["dependencies: 1 {dependency: 120}"]),
        ("where is the declaration of one?", POM, ["tool_result_search with ref="]),
        ("what feed is it, with how many items?", FEED, ["title: 1 = Harbour news", "item: 150", "format: rss"]),
        ("which namespaces do I need for a query?", FEED, ['xmlns:dc="http://purl.org/dc/elements/1.1/"']),
        ("which version of the format?", FEED, ['version="2.0"']),
        ("what page is it?", PAGE, ["Order 4711 – Shop", "format: html"]),
        ("what sections has it?", PAGE, ["h1 Your order, h2 Parcel 0, h2 Parcel 1"]),
        ("is there a form, and are there tables and links?", PAGE, ["forms (1)", "tables (40)", "links (40)"]),
        (
            "how far can a cut report be read?",
            JUNIT[:9000],
            ["ends inside a tag in <testsuite>", "children of testsuite (1): testcase: 127"],
        ),
    ],
)
def test_the_stub_answers(question: str, result: str, answers: list[str]) -> None:
    stub = stub_of(result)
    assert [answer for answer in answers if answer not in stub] == [], f"{question}\n{stub}"


@pytest.mark.parametrize("result", [JUNIT, POM, FEED, PAGE, JUNIT[:9000]])
def test_the_stub_is_short(result: str) -> None:
    assert len(stub_of(result)) < 2500

"""What an agent asks of a TSV that it can't see, and where its stub answers."""

from tests.support.answering import stub_of

HEADER = "#chrom\tstart\tend\tgene\tscore\n"
GENES = HEADER + "".join(
    f"chr{number % 22 + 1}\t{number * 100}\t{number * 100 + 50}\tGENE{number}\t{number / 8}\n" for number in range(3000)
)


def test_how_many_regions_there_are() -> None:
    assert "3000 data rows, 5 columns, separated by tab" in stub_of(GENES)


def test_which_columns_hold_the_positions() -> None:
    assert "#chrom, start (number), end (number), gene, score (number)" in stub_of(GENES)


def test_where_the_list_begins_and_ends() -> None:
    stub = stub_of(GENES)
    assert "first data row: chr1\\t0\\t50\\tGENE0\\t0.0" in stub
    assert "last whole row: chr8\\t299900\\t299950\\tGENE2999\\t374.875" in stub


def test_whether_a_name_with_a_quote_broke_the_table() -> None:
    stub = stub_of(GENES.replace("GENE7\t", '"GENE7\t', 1))
    assert "3000 data rows, 5 columns" in stub


def test_which_region_has_a_gene_is_a_search_away() -> None:
    assert "tool_result_search with ref=coat://s/call" in stub_of(GENES)

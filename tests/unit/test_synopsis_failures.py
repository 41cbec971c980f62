"""What went wrong in the middle of an output: its last traceback, and what a failed test expected and got."""

import pytest

from coatcheck_core.synopsis import synopsize
from coatcheck_schemas.synopsis import Detail, TextFacts

LOG = "".join(f"2025-03-01 10:00:{second % 60:02} [INFO] request {second}\n" for second in range(300))
PLAIN = "".join(f"item {number} is fine\n" for number in range(900))
PYTHON = (
    'Traceback (most recent call last):\n  File "/app/shop.py", line 12, in <module>\n    main()\n'
    '  File "/app/stock.py", line 40, in take\n    raise OutOfStock(sku)\napp.errors.OutOfStock: SKU-9981\n'
)
JAVA = (
    'Exception in thread "main" java.lang.IllegalStateException: pool exhausted\n\tat com.x.Pool.take(Pool.java:30)\n'
    "\tat com.x.Main.main(Main.java:5)\nCaused by: java.sql.SQLException: no connection\n"
    "\tat com.x.Db.open(Db.java:77)\n\t... 2 more\n"
)
NODE = "TypeError: x is not a function\n    at take (/app/a.js:3:5)\n    at main (/app/b.js:9:1)\n"
GO_VERBOSE = (
    "=== RUN   TestOk1\n    log_test.go:9: just a log\n--- PASS: TestOk1 (0.00s)\n=== RUN   TestTotal\n"
    "    shop_test.go:153: Total() = 3, want 4\n--- FAIL: TestTotal (0.00s)\n=== RUN   TestOk2\n"
    "    log_test.go:9: just a log\n--- PASS: TestOk2 (0.00s)\nFAIL\nFAIL\tshop\t0.01s\n"
)
GO = "--- FAIL: TestTotal (0.00s)\n    shop_test.go:153: Total() = 3, want 4\nFAIL\nFAIL\tshop\t0.01s\n"
JEST = (
    "PASS src/a.test.ts\nFAIL src/cart.test.ts\n  ● cart › adds prices\n\n    expect(received).toBe(expected)\n\n"
    "    Expected: 4\n    Received: 3\n\n      at Object.<anonymous> (src/cart.test.ts:10:19)\n\n"
    "Tests:       1 failed, 300 passed, 301 total\n"
)
NODE_TEST = (
    "✔ removes (0.5ms)\n✔ lists (0.5ms)\n✖ adds prices (1.2ms)\nℹ tests 122\nℹ pass 121\nℹ fail 1\n\n"
    "✖ failing tests:\n\ntest at test/a.test.js:3:1\n✖ adds prices (1.2ms)\n"
    "  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n  \n  3 !== 4\n  \n"
    "      at TestContext.<anonymous> (file:///x/test/a.test.js:4:10)\n"
)
RSPEC = (
    "....F...\n\nFailures:\n\n  1) Cart adds prices\n     Failure/Error: expect(cart.total).to eq(4)\n\n"
    "       expected: 4\n            got: 3\n\nFinished in 0.02 seconds\n8 examples, 1 failure\n\n"
    "Failed examples:\n\nrspec ./spec/cart_spec.rb:12 # Cart adds prices\n"
)
PYTEST = (
    "============================= test session starts =============================\ncollected 2 items\n\n"
    "tests/test_a.py .F  [100%]\n\n================= FAILURES =================\n    def test_total():\n"
    ">       assert total() == 4\nE       assert 3 == 4\nE        +  where 3 = total()\n\n"
    "FAILED tests/test_a.py::test_total - assert 3 == 4\n=========== 1 failed, 1 passed in 0.02s ===========\n"
)
RUST = (
    "running 2 tests\ntest tests::ok ... ok\ntest tests::total ... FAILED\n\n---- tests::total stdout ----\n\n"
    "thread 'tests::total' panicked at src/lib.rs:10:9:\nassertion `left == right` failed\n  left: 3\n right: 4\n\n"
    "test result: FAILED. 1 passed; 1 failed; 0 ignored\n"
)


def details_of(text: str) -> dict[str, Detail]:
    facts = synopsize(text.encode()).facts
    assert isinstance(facts, TextFacts)
    return {detail.name: detail for detail in facts.details}


@pytest.mark.parametrize(
    ("traceback", "told"),
    [
        (PYTHON, ["app.errors.OutOfStock: SKU-9981", "raised at /app/stock.py:40 in take"]),
        (
            JAVA,
            [
                "java.lang.IllegalStateException: pool exhausted",
                "java.sql.SQLException: no connection",
                "raised at Db.java:77 in com.x.Db.open",
            ],
        ),
        (NODE, ["TypeError: x is not a function", "raised at /app/a.js:3 in take"]),
    ],
)
@pytest.mark.parametrize("before", [LOG, "é" + LOG * 30])
def test_the_last_traceback_of_a_log_is_told_with_its_offset(traceback: str, told: list[str], before: str) -> None:
    text = before + "2025-03-01 10:05:00 [ERROR] failed\n" + traceback + LOG * 3
    *values, offset = details_of(text)["last traceback"].values
    assert values == told
    line = "Caused by" if traceback is JAVA else traceback.partition("\n")[0]
    assert text[int(offset.removeprefix("offset ")) :].startswith(line)


@pytest.mark.parametrize("traceback", [PYTHON, JAVA])
def test_the_last_traceback_of_plain_output_is_told(traceback: str) -> None:
    text = PLAIN + traceback + PLAIN
    assert "raised at" in details_of(text)["last traceback"].values[-2]


def test_of_several_tracebacks_the_last_is_told() -> None:
    told = details_of(LOG + PYTHON + LOG + PYTHON.replace("SKU-9981", "SKU-2") + LOG)["last traceback"].values
    assert told[0] == "app.errors.OutOfStock: SKU-2"


def test_a_sentence_about_tracebacks_is_none() -> None:
    assert "last traceback" not in details_of(PLAIN + "what (most recent call last) says, and no more\n" + PLAIN)


def test_of_a_cause_what_it_led_to_is_told_too() -> None:
    assert details_of(JAVA)["exception"].values == ["java.lang.IllegalStateException: pool exhausted"]


@pytest.mark.parametrize(
    ("report", "failed", "assertion"),
    [
        (GO_VERBOSE, "TestTotal", "shop_test.go:153: Total() = 3, want 4"),
        (GO, "TestTotal", "shop_test.go:153: Total() = 3, want 4"),
        (JEST, "cart › adds prices", "Expected: 4 Received: 3"),
        (
            NODE_TEST,
            "adds prices",
            "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 3 !== 4",
        ),
        (RSPEC, "Cart adds prices", "expect(cart.total).to eq(4) expected: 4 got: 3"),
        (PYTEST, "tests/test_a.py::test_total", "assert 3 == 4"),
        (RUST, "tests::total", "src/lib.rs:10:9: assertion `left == right` failed left: 3 right: 4"),
    ],
)
def test_a_test_run_tells_what_failed_and_which_assertion(report: str, failed: str, assertion: str) -> None:
    told = details_of(report)
    assert told["failed"] == Detail(name="failed", count=1, values=[failed])
    assert told["first failed assertions"].values == [assertion]
    assert told["total"].values

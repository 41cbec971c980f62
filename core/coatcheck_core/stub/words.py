"""The stub's own words, by language. Field names and technical terms stay English, since programs read them."""

from functools import cache
from typing import Literal

import msgspec


class Words(msgspec.Struct, frozen=True, kw_only=True):
    """Titles of the sections, and phrases with their `str.format` fields."""

    synopsis: str
    structure: str
    notable: str
    sample: str
    explore: str
    more: str
    left_out: str
    cut: str
    all_else: str
    tool_error: str
    json_object: str
    json_array: str
    json_records: str
    json_scalar: str
    json_documents: str
    json_bad: str
    json_repeated: str
    json_not_strict: str
    trailing: str
    example: str
    table: str
    columns: str
    columns_typed: str
    no_header: str
    starts_cut: str
    ends_cut: str
    first_row: str
    last_row: str
    yaml: str
    yaml_part: str
    yaml_start: str
    yaml_names: str
    xml: str
    xml_documents: str
    xml_trailing: str
    xml_attributes: str
    xml_namespaces: str
    xml_alone: str
    xml_first: str
    code: str
    imports: str
    symbols: str
    members: str
    text: str
    headers: str
    opening: str
    closing: str
    format: str
    empty: str
    binary: str
    declared_type: str
    size_bytes: str
    size_chars: str
    outcome: str
    part: str
    head_chars: str
    tail_chars: str
    whole: str
    head_bytes: str
    tail_bytes: str
    explore_search: str
    explore_read: str
    explore_read_bytes: str
    explore_read_lines: str
    explore_list: str
    explore_short: str
    not_stored: str
    time_limit: str
    fault: str
    broken: str
    read_until: str
    incomplete: str
    size_text: str
    size_lines: str
    too_large: str
    lines_read: str
    bytes_read: str
    first_lines: str
    count: str
    read: str
    lines_in_all: str
    text_in_all: str
    code_in_all: str
    encoding: str
    gave_up: str
    gave_up_why: str
    cleared_read: str


ENGLISH = Words(
    synopsis="Synopsis",
    structure="Structure",
    notable="Notable items",
    sample="Sample",
    explore="Explore",
    more="and {n} more",
    left_out="lines left out for length: {n}",
    cut="Left out for length: {titles}.",
    all_else="all else",
    tool_error="the tool reported an error",
    json_object="JSON object, {n} keys",
    json_array="JSON array, {n} items{types}",
    json_records="NDJSON, {n} records{types}",
    json_scalar="JSON {type}",
    json_documents="JSON, {n} documents one after another{types}",
    json_bad="{n} lines between the records are no JSON: {lines} (lines count from 0)",
    json_repeated="keys that stand twice or more: {n}; the last value counts",
    json_not_strict="has NaN, Infinity or half a surrogate pair: not every parser takes it",
    trailing="trailing_chars_after_first_json_value: {n}",
    example="{path} = {value}",
    table="{rows} data rows, {columns} columns, separated by {delimiter}",
    columns="columns: {names}",
    columns_typed="columns (types by the first {n} rows): {names}",
    no_header="no header line: the first record is data",
    starts_cut="the first record is cut at its start",
    ends_cut="the last record is cut at its end",
    first_row="first data row: {row}",
    last_row="last whole row: {row}",
    yaml="YAML {type}, entries: {n}, documents: {documents}",
    yaml_part="only the first {n} chars were parsed; entries and keys are of that part",
    yaml_start="the first {n} lines belong to something above the text, and are left out",
    yaml_names="what the documents say they are: {names}",
    xml="XML, root {root} with {attributes} attributes, {elements} elements in all",
    xml_documents="{n} documents one after the other; what is said is of the first, elements are of all",
    xml_trailing="characters after the root element: {n}",
    xml_attributes="root attributes: {attributes}",
    xml_namespaces="namespaces: {namespaces}",
    xml_alone=" with {attributes}",
    xml_first=", the first with {attributes}",
    code="{language} code, {lines} lines",
    imports="imports ({n}):",
    symbols="top-level symbols by line ({n}):",
    members="members and settings by line ({n}):",
    text="{chars} characters, {words} words, {lines} lines",
    headers="section headers ({n}):",
    opening="opening, white space folded: {excerpt}",
    closing="closing, white space folded: {excerpt}",
    format="format: {format}",
    empty="the result is empty",
    binary="binary or control data, not shown as text",
    declared_type="its declared type does not match: it cannot be parsed as that",
    size_bytes="{n} bytes",
    size_chars="{n} characters, {bytes} bytes",
    outcome="near the end: {line}",
    part="part {index}: {type}{detail}",
    head_chars="first {n} characters:",
    tail_chars="last {n} characters:",
    whole="all {n} characters:",
    head_bytes="first {n} bytes:",
    tail_bytes="last {n} bytes:",
    explore_search="{tool} with ref={ref} finds passages by keyword or regular expression.",
    explore_read="{tool} with ref={ref}, offset and limit returns a part: offset=0 its start, offset=-4000 its end.",
    explore_read_bytes="{tool} with ref={ref}, unit=bytes, offset and limit returns a part, in base64.",
    explore_read_lines="{read} With unit=lines the lines above are offsets.",
    explore_list="{tool} shows this session's other offloaded results.",
    explore_short="{search}, {read} (with the ref above), {list}.",
    not_stored="the original is not stored yet: object storage cannot be reached; its ref works once it is stored.",
    time_limit="not analysed: it took too long; its size and a sample are all that is said",
    fault="not analysed: the analysis failed; its size and a sample are all that is said",
    broken="looks like {of}, but is incomplete: readable up to character {offset} (line {line}): {reason}",
    read_until="read until there: {details}",
    incomplete="incomplete: of {size} only what stands here is shown",
    size_text="{n} characters",
    size_lines="{n} characters in {lines} lines",
    too_large="Tool result too large: {size} from {tool}, call {call}. Incomplete: at most its first lines are shown.",
    lines_read="To read on: {tool} with this ref, offset and limit in unit=lines, as offset=0, limit=200.",
    bytes_read="To read on: {tool} with this ref, offset and limit in unit=bytes, as offset=0, limit=20000.",
    first_lines="First {n} of {total} lines, each cut at {chars} characters:",
    count="{n}",
    read=(
        "read: the first {bytes:,} of {of:,} bytes and the last {end:,};"
        " of that part is every count that is not said to be in all: there are at least so many"
    ),
    lines_in_all="lines in all: {n}",
    text_in_all="{chars} characters, {lines} lines in all",
    code_in_all="{language} code, {lines} lines in all",
    encoding="encoding: {encoding}; read and search give it as text",
    gave_up="incomplete: the tool's output broke off before its end",
    gave_up_why="incomplete: the tool's output broke off before its end: {error}",
    cleared_read="{read} with this ref, offset and limit returns a part of it; {search} with this ref finds passages.",
)

CHINESE = Words(
    synopsis="概要",
    structure="结构",
    notable="要点",
    sample="样本",
    explore="查看原文",
    more="另有 {n} 项",
    left_out="因长度限制省略 {n} 行",
    cut="因长度限制省略：{titles}。",
    all_else="其余内容",
    tool_error="工具报告了错误",
    json_object="JSON 对象，{n} 个键",
    json_array="JSON 数组，{n} 项{types}",
    json_records="NDJSON，{n} 条记录{types}",
    json_scalar="JSON {type}",
    json_documents="JSON，{n} 个文档首尾相接{types}",
    json_bad="记录之间有 {n} 行不是 JSON：{lines}（行号从 0 起）",
    json_repeated="重复出现的键：{n}，以最后的值为准",
    json_not_strict="含 NaN、Infinity 或半个代理对，并非所有解析器都接受",
    trailing="trailing_chars_after_first_json_value: {n}",
    example="{path} = {value}",
    table="{rows} 行数据，{columns} 列，分隔符 {delimiter}",
    columns="列：{names}",
    columns_typed="列（类型依据前 {n} 行）：{names}",
    no_header="没有表头：第一条记录就是数据",
    starts_cut="第一条记录的开头被截断",
    ends_cut="最后一条记录的结尾被截断",
    first_row="第一行数据：{row}",
    last_row="最后一个完整行：{row}",
    yaml="YAML {type}，{n} 项，{documents} 个文档",
    yaml_part="只解析了前 {n} 个字符，项数和键只属于这一部分",
    yaml_start="前 {n} 行属于文本之前的内容，未计入",
    yaml_names="各文档自称：{names}",
    xml="XML，根元素 {root}，{attributes} 个属性，共 {elements} 个元素",
    xml_documents="共 {n} 个文档首尾相接；以下只属于第一个，元素数属于全部",
    xml_trailing="根元素之后的字符数：{n}",
    xml_attributes="根元素的属性：{attributes}",
    xml_namespaces="命名空间：{namespaces}",
    xml_alone="，带 {attributes}",
    xml_first="，第一个带 {attributes}",
    code="{language} 代码，{lines} 行",
    imports="导入（{n}）：",
    symbols="顶层符号及行号（{n}）：",
    members="成员与设置及行号（{n}）：",
    text="{chars} 个字符，{words} 个词，{lines} 行",
    headers="章节标题（{n}）：",
    opening="开头（空白已折叠）：{excerpt}",
    closing="结尾（空白已折叠）：{excerpt}",
    format="格式：{format}",
    empty="结果为空",
    binary="二进制或控制字符数据，不以文本显示",
    declared_type="与声明的类型不符，无法按该类型解析",
    size_bytes="{n} 字节",
    size_chars="{n} 个字符，{bytes} 字节",
    outcome="接近结尾：{line}",
    part="部分 {index}：{type}{detail}",
    head_chars="前 {n} 个字符：",
    tail_chars="后 {n} 个字符：",
    whole="全部 {n} 个字符：",
    head_bytes="前 {n} 字节：",
    tail_bytes="后 {n} 字节：",
    explore_search="{tool}（ref={ref}）按关键词或正则表达式查找片段。",
    explore_read="{tool}（ref={ref}，offset 和 limit）返回其中一部分：offset=0 为开头，offset=-4000 为结尾。",
    explore_read_bytes="{tool}（ref={ref}，unit=bytes，offset 和 limit）以 base64 返回其中一部分。",
    explore_read_lines="{read}配合 unit=lines，上列行号即为 offset。",
    explore_list="{tool} 列出本会话其他已转存的结果。",
    explore_short="{search}、{read}（用上面的 ref）、{list}。",
    not_stored="原文尚未存储：对象存储暂时无法访问；存储完成后 ref 即可使用。",
    time_limit="未作分析：耗时过长；只给出大小和样本",
    fault="未作分析：分析出错；只给出大小和样本",
    broken="看似 {of}，但不完整：可读到第 {offset} 个字符（第 {line} 行）：{reason}",
    read_until="到此为止读到：{details}",
    incomplete="不完整：共 {size}，只显示此处所列",
    size_text="{n} 个字符",
    size_lines="{n} 个字符，{lines} 行",
    too_large="工具结果过大（Tool result too large）：{tool} 的调用 {call} 返回 {size}。不完整：最多只显示开头几行。",
    lines_read="继续读取：用 {tool}，给出此 ref、offset 和 limit，unit=lines，例如 offset=0, limit=200。",
    bytes_read="继续读取：用 {tool}，给出此 ref、offset 和 limit，unit=bytes，例如 offset=0, limit=20000。",
    first_lines="共 {total} 行，前 {n} 行如下，每行最多 {chars} 个字符：",
    count="{n}",
    read="只读了 {of:,} 字节中的前 {bytes:,} 字节和后 {end:,} 字节；除总数外，各计数只属于这部分，实际不少于此",
    lines_in_all="总行数：{n}",
    text_in_all="共 {chars} 个字符，总行数 {lines}",
    code_in_all="{language} 代码，总行数 {lines}",
    encoding="编码：{encoding}；读取和搜索时按文本给出",
    gave_up="不完整：工具的输出中途断开",
    gave_up_why="不完整：工具的输出中途断开：{error}",
    cleared_read="{read}（用此 ref、offset 和 limit）返回其中一部分；{search}（用此 ref）查找片段。",
)


_COUNTING = (
    *("json_object", "json_array", "json_records", "json_documents", "json_bad", "json_repeated"),
    *("table", "yaml", "xml", "xml_documents", "imports", "symbols", "members", "headers", "more", "count"),
)
_COUNTS = ("{n}", "{rows}", "{elements}", "{documents}")


@cache
def of_a_part(language: Literal["en", "zh"]) -> Words:
    """Where only a part of a result was read: each count is marked as a least one."""
    whole = words(language)
    phrases = {name: getattr(whole, name) for name in _COUNTING}
    for count in _COUNTS:
        phrases = {name: phrase.replace(count, f"{count}+") for name, phrase in phrases.items()}
    return msgspec.structs.replace(whole, **phrases)


def words(language: Literal["en", "zh"]) -> Words:
    return {"en": ENGLISH, "zh": CHINESE}[language]

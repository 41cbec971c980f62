"""Chinese."""

from .words import Phrases, ToolWords

_CURSOR = "续读位置:上一次回答给出的 cursor,其余参数须保持不变。"

TOOLS = {
    "read": ToolWords(
        title="读取工具结果",
        description=(
            "读取因过大而未显示、在对话中只留下存根和引用(coat://...)的工具结果的一部分。"
            "从 offset 处开始返回内容,并说明如何继续。"
            "已知要找什么时,优先使用搜索。"
        ),
        fields={
            "ref": "存根中的引用:coat://SESSION/RESULT_ID,或加上 /INDEX 表示其中一部分。",
            "offset": "起始位置,按 unit 从 0 计数;负数从末尾计数。",
            "limit": "读取数量,按 unit 计数;最多为一次回答的容量。",
            "unit": "offset 和 limit 的单位:chars(字符)、lines(行)或 bytes(字节,以 base64 返回,用于非文本)。",
            "numbered": "是否带行号(从 1 开始);需要 unit 为 lines。",
        },
    ),
    "search": ToolWords(
        title="搜索工具结果",
        description=(
            "按文本或正则表达式,在一个已存储的工具结果或本会话全部结果中查找片段。每个匹配都附有引用、行号和偏移量,可据此读取。"
        ),
        fields={
            "query": "要查找的确切文本;regex 为 true 时是 RE2 语法的正则表达式。",
            "ref": "要搜索的结果,即存根中的引用(coat://...);不填则搜索本会话全部结果。",
            "regex": "query 是否为正则表达式。",
            "ignore_case": "是否忽略大小写。",
            "whole_word": "是否只匹配完整的词。",
            "invert": "是否返回不含匹配的行。",
            "context_chars": "匹配前后各显示多少字符,0 到 10000。",
            "limit": "一次回答最多返回的匹配数。",
            "cursor": _CURSOR,
        },
    ),
    "list": ToolWords(
        title="列出工具结果",
        description="列出本会话已存储的工具结果:引用、工具、类型、大小和时间。只有因过大而未显示的结果才会被存储。",
        fields={
            "tool_name": "只列出该名称的工具的结果。",
            "kind": "只列出该类型内容的结果。",
            "turn_id": "只列出该轮次的结果。",
            "since": "只列出此时间(含)之后的结果,RFC 3339 格式,如 2026-01-31T12:00:00Z。",
            "until": "只列出此时间之前的结果,RFC 3339 格式。",
            "order": "按到达时间排序:oldest 最早在前,newest 最新在前。",
            "limit": "一次回答最多返回的结果数。",
            "cursor": _CURSOR,
        },
    ),
    "fs_ls": ToolWords(
        title="列出文件夹",
        description=(
            "列出本会话文件中某个文件夹直接包含的内容。写入的文件在会话期间保留;"
            "/large_tool_result 以只读方式包含因过大而未显示的工具结果。"
        ),
        fields={
            "path": "文件夹路径;不填则为根目录 /。",
            "limit": "一次回答最多返回的条目数,不超过 1000。",
            "cursor": _CURSOR,
        },
    ),
    "fs_read": ToolWords(
        title="读取文件",
        description=(
            "按行读取文件的一部分,并说明如何继续。也可读取因过大而未显示的工具结果,路径为 /large_tool_result/CALL_ID。"
        ),
        fields={
            "path": "文件路径,以 / 开头。",
            "offset": "起始位置,按 unit 从 0 计数;负数从末尾计数。",
            "limit": "读取数量,按 unit 计数;不填则为 200 行。",
            "unit": "offset 和 limit 的单位:lines(行)、chars(字符,用于超长行)或 bytes(字节,以 base64 返回)。",
            "numbered": "是否带行号(从 1 开始)。",
        },
    ),
    "fs_write": ToolWords(
        title="写入文件",
        description="写入整个文本文件:新建,或替换原有内容。若只改一部分,请使用编辑工具。/large_tool_result 为只读。",
        fields={
            "path": "文件路径,以 / 开头;文件夹无需事先存在。",
            "content": "文件的全部内容。",
            "if_version": '仅当文件仍为此版本时写入;"0" 表示仅当文件尚不存在时写入。',
        },
    ),
    "fs_edit": ToolWords(
        title="编辑文件",
        description=(
            "替换文本文件中的一段内容。该内容必须在文件中恰好出现一次,因此请包含足够的上下文,或使用 replace_all。"
            "编辑前请先读取文件。"
        ),
        fields={
            "path": "文件路径,以 / 开头。",
            "old_string": "文件中的原文,不含行号;不能为空。",
            "new_string": "替换后的内容;可以为空。",
            "replace_all": "是否替换全部出现之处。",
            "if_version": "仅当文件仍为此版本时编辑。",
        },
    ),
    "fs_glob": ToolWords(
        title="按名称查找文件",
        description="查找路径与模式(如 **/*.md)匹配的文件,返回其路径和大小。",
        fields={
            "pattern": "* 和 ? 匹配名称内的字符,[a-z] 匹配一个字符,{a,b} 任选其一,** 匹配任意层文件夹;相对于 path。",
            "path": "在哪个文件夹下查找;不填则为根目录 /。",
            "limit": "一次回答最多返回的文件数,不超过 1000。",
            "cursor": _CURSOR,
        },
    ),
    "fs_grep": ToolWords(
        title="在文件中搜索",
        description=(
            "在一个文件或某个文件夹下的全部文件(包括 /large_tool_result)中查找与正则表达式匹配的行。行号从 1 开始。"
        ),
        fields={
            "pattern": "RE2 语法的正则表达式。",
            "path": "要搜索的文件或文件夹;不填则为根目录 /。",
            "glob": "只搜索路径匹配的文件,如 *.md。",
            "ignore_case": "是否忽略大小写。",
            "before": "每个匹配之前显示多少行,不超过 50。",
            "after": "每个匹配之后显示多少行,不超过 50。",
            "mode": "返回什么:content(匹配的行)、files(文件路径)或 count(每个文件的匹配行数)。",
            "limit": "一次回答最多返回的匹配行数(或文件数),不超过 1000。",
            "cursor": _CURSOR,
        },
    ),
}

PHRASES = Phrases(
    default="默认值:{value}。",
    error="错误({code}):{message}\n处理办法:{advice}",
    not_json="参数不是 JSON:{why}",
    not_an_object="参数必须是 JSON 对象,如 {{{example}}};收到的是 {given}",
    missing="缺少 {name}",
    bad_text="{name} 必须是文本,收到的是 {given}",
    bad_number="{name} 必须是整数,收到的是 {given}",
    bad_flag="{name} 必须是 true 或 false,收到的是 {given}",
    bad_choice="{name} 必须是 {choices} 之一,收到的是 {given}",
    unknown_arguments="没有这样的参数:{names}",
    ignored="[已忽略,{tool} 没有这些参数:{names}。{known}]",
    known_arguments="它的参数:{names}。",
    unknown_tool="没有名为 {name} 的工具",
    did_you_mean="是否想用 {name}?",
    use_one_of="请调用其中之一:{names}。",
    no_tools="本会话没有读取已存储结果的工具。请勿重试:用对话中已有的内容继续,或重新运行原工具并缩小请求范围。",
    mend="请改正参数后重新调用 {tool}。",
    do_not_guess="请原样复制存根中的引用;{list} 可列出现有引用。请勿以相同参数重试。",
    look_for_files="{ls} 和 {glob} 可查看现有文件。请勿以相同参数重试。",
    gone="该结果已无法读取。请勿重试;如仍需要,请重新运行原工具。",
    unavailable="这可能是暂时的:可再试一次。若仍失败,请停止重试并在没有它的情况下继续。",
    conflict="内容已被他人修改。请重新读取,再对当前内容进行修改。",
    too_large="请缩小请求范围,分多次调用。",
    too_large_to_write="请将文本拆分为多个文件,分别调用写入。",
    internal="这是服务的故障。请停止重试并在没有它的情况下继续。",
    page="{where}:{unit} {first} 到 {last},共 {total},从 0 计数",
    page_bytes="{where}:bytes {first} 到 {last},共 {total},从 0 计数,base64 编码",
    page_empty="{where}:offset {offset} 处没有内容,共 {total} {unit}",
    more="后面还有:请用相同的 {name} 和 offset={offset} unit={unit} 调用 {tool}",
    line_cut="该行超过一次回答的容量,已截断:unit=chars 可读取全部",
    end="已到末尾",
    found="在{where}中找到 {n} 处",
    found_of="在{where}中找到 {total} 处,此处为 {n} 处",
    nothing_found="在{where}中没有找到 {query}。请尝试其他写法、ignore_case,或用 regex 列出多种可能。",
    not_yet="目前没有找到,但{where}尚未全部搜索",
    in_session="本会话已存储的结果",
    match="行 {line} offset {offset} 长度 {length}:",
    read_match="用 {tool} 加 ref 和 offset 可读取更多;行号和 offset 从 0 计数",
    more_by_cursor="后面还有:请用相同参数加 cursor={cursor} 调用 {tool}",
    clipped="片段以 … 截断",
    results="{n} 个已存储的结果",
    no_results="没有符合条件的已存储结果;只有因过大而未显示的结果才会被存储",
    none_yet="目前没有找到,但尚未全部查看",
    result="{ref} 工具={tool} 类型={kind} 大小={size} 时间={time} 轮次={turn}",
    without_turn="无",
    paths="路径:{n}",
    matching="匹配行:{n}",
    counts_go_on="如果最后一个文件在下一次返回中再次出现,其计数在那里继续:请相加",
    not_searched="未搜索(二进制、已损坏或已消失)的文件:{n} 个,{names}",
    no_lines="没有找到",
    written="已写入 {path}:{bytes} bytes,版本 {version}",
    edited="已编辑 {path}:替换 {n} 处,版本 {version}",
)

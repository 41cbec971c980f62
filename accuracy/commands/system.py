"""What a system's own commands print: files, processes, packages, network, manuals."""

from accuracy.files import PROJECT

from .running import Command, lines_of

_STDLIB = "$(python3 -c 'import sysconfig; print(sysconfig.get_path(\"stdlib\"))')"
_MANUALS = (
    "ls",
    "grep",
    "find",
    "tar",
    "git-log",
    "bash",
    "ps",
    "awk",
    "sed",
    "curl",
    "passwd.5",
    "printf.3",
    "cron.8",
)


def commands() -> list[Command]:
    return [*_files(), *_search(), *_processes(), *_packages(), *_network(), *_reading(), *_other()]


def _files() -> list[Command]:
    return [
        *lines_of(
            "ls -l",
            "text/table",
            ["ls -l /usr/bin", "ls -la /etc", f"ls -lh {_STDLIB}", "ls -l --time-style=long-iso /usr/lib"],
            ("ls",),
        ),
        *lines_of(
            "ls -R", "text/*", ["ls -R c py go", f"ls -R {PROJECT}/core {PROJECT}/schemas", "ls -lR c py rust"], ("ls",)
        ),
        *lines_of(
            "ls", "text/*", ["ls /usr/bin", "ls -C /etc", "ls -1 /usr/share", "ls --color=always -C /usr/lib"], ("ls",)
        ),
        *lines_of(
            "find",
            "text/*",
            ["find /usr/include -name '*.h'", f"find {PROJECT}/core -type f", "find /etc -maxdepth 2 -ls"],
        ),
        *lines_of("find -printf", "text/*", ["find /usr/share/man -printf '%s %p\\n'"], ("find",)),
        *lines_of("du", "text/*", ["du -a /etc/ssl /etc/apt", f"du -h {PROJECT}/core", "du -sh /usr/share/*"]),
        *lines_of("df", "text/table", ["df", "df -h", "df -i"]),
        *lines_of("wc", "text/*|table", ["wc /usr/include/*.h", f"wc -l $(find {PROJECT}/core -name '*.py')"]),
        *lines_of("mount", "text/*", ["mount", "cat /proc/mounts"]),
        *lines_of("stat", "text/*", ["stat /etc/passwd /bin/ls /usr"]),
        *lines_of("file", "text/*", ["file /usr/bin/* | head -200", "file /etc/*"]),
        *lines_of(
            "tree-like",
            "text/*",
            ["find c py go rust | sed -e 's;[^/]*/;|   ;g' -e 's;|   \\([^|]\\);|-- \\1;'"],
            ("sed",),
        ),
        *lines_of("md5sum", "text/*", ["md5sum /usr/bin/a*", "sha256sum /usr/include/*.h", "cksum /etc/*.conf"]),
        *lines_of(
            "tar -t",
            "text/*",
            [f"tar -C {PROJECT} -cf core.tar core && tar -tf core.tar", "tar -cf x.tar c py && tar -tvf x.tar"],
            ("tar",),
        ),
        *lines_of("unzip -l", "text/table", ["python3 -m zipfile -c x.zip c py go && unzip -l x.zip"], ("unzip",)),
        *lines_of("diff", "text/diff|-", ["diff notes/one.txt notes/two.txt"]),
        *lines_of(
            "diff -u",
            "text/diff",
            ["diff -u notes/one.txt notes/two.txt", "diff -ru c java", "diff -urN c py"],
            ("diff",),
        ),
        *lines_of("diff -y", "text/*", ["diff -y -W 100 notes/one.txt notes/two.txt"], ("diff",)),
    ]


def _search() -> list[Command]:
    return [
        *lines_of(
            "grep -rn",
            "text/*",
            [
                f"grep -rn import {PROJECT}/core",
                "grep -rn define /usr/include/linux",
                "grep -rn -i error /etc",
                "grep --color=always -rn int c go",
            ],
            ("grep",),
        ),
        *lines_of(
            "grep -C",
            "text/*",
            ["grep -n -C2 return py/*.py c/*.c", f"grep -rn -A3 'class ' {PROJECT}/core"],
            ("grep",),
        ),
        *lines_of("grep -c", "text/*", ["grep -c include /usr/include/*.h", f"grep -rl def {PROJECT}/core"], ("grep",)),
        *lines_of("cat -n", "text/*|python", ["cat -n py/shop.py"], ("cat",)),
        *lines_of("nl", "text/*", ["nl notes/one.txt"]),
        *lines_of("strings", "text/*", ["strings /bin/ls", "strings -n 8 /usr/bin/git | head -2000"]),
    ]


def _processes() -> list[Command]:
    columns = "pid,ppid,user,%cpu,%mem,vsz,rss,tty,stat,time,comm"
    return [
        *lines_of(
            "ps",
            "text/table",
            [f"ps -eo {columns}", "ps -eo pid,ni,pri,psr,etime,comm", "ps -e", "ps -eo user,pid,nlwp,comm --sort=-rss"],
        ),
        *lines_of("top", "text/*|table", ["top -b -n 1 -w 100"]),
        *lines_of("pstree", "text/*", ["pstree"]),
        *lines_of("free", "text/table", ["free", "free -h -w"]),
        *lines_of("vmstat", "text/table", ["vmstat 1 2"]),
        *lines_of("vmstat -s", "text/*", ["vmstat -s"], ("vmstat",)),
        *lines_of("uptime", "text/*", ["uptime; uname -a; id; date"]),
        *lines_of("lscpu", "text/*", ["lscpu"]),
        *lines_of("lscpu json", "json", ["lscpu -J"], ("lscpu",)),
        *lines_of("lsblk", "text/table", ["lsblk -o NAME,MAJ:MIN,RM,SIZE,RO,TYPE,MOUNTPOINTS"]),
        *lines_of("lsblk json", "json", ["lsblk -J"], ("lsblk",)),
        *lines_of(
            "proc",
            "text/*",
            [
                "cat /proc/meminfo",
                "cat /proc/cpuinfo",
                "cat /proc/self/status",
                "cat /proc/self/maps",
                "cat /proc/interrupts",
            ],
            ("cat",),
        ),
        *lines_of("env", "text/*", ["env"]),
        *lines_of("set", "text/*", ["set"], ("bash",)),
        *lines_of(
            "declare",
            "code/shell|*",
            ["source /lib/lsb/init-functions; declare -f"],
            ("bash",),
        ),
        *lines_of("ulimit", "text/*|table", ["ulimit -a"], ("bash",)),
        *lines_of("lsof", "text/table", ["lsof -p $$"]),
    ]


def _packages() -> list[Command]:
    apt = ("apt-cache",)
    return [
        *lines_of("dpkg -l", "text/*|table", ["dpkg -l", "dpkg -l 'lib*' | head -300"]),
        *lines_of("dpkg -L", "text/*", ["dpkg -L coreutils", "dpkg -L bash"]),
        *lines_of("dpkg -s", "text/*", ["dpkg -s bash", "dpkg -s coreutils libc6"]),
        *lines_of("dpkg --get-selections", "text/*", ["dpkg --get-selections"], ("dpkg",)),
        *lines_of("apt-cache show", "text/*", ["apt-cache show bash", "apt-cache show git curl"], apt),
        *lines_of("apt-cache policy", "text/*", ["apt-cache policy", "apt-cache policy bash git curl perl"], apt),
        *lines_of("apt-cache search", "text/*", ["apt-cache depends git"], apt),
        *lines_of("apt list", "text/*", ["apt list --installed 2>/dev/null"], ("apt",)),
        *lines_of("apt-get -s", "text/*", ["apt-get -s install --reinstall bash"], ("apt-get",)),
    ]


def _network() -> list[Command]:
    served = (
        "python3 -m http.server --bind 127.0.0.1 {port} -d c 2> web{port}.log & server=$!; "
        "for n in $(seq 40); do curl -s -o /dev/null http://127.0.0.1:{port}/ && break; sleep 0.1; done; {do}; kill $server"
    )
    curl = ("curl", "python3")
    return [
        *lines_of("ip addr", "text/*", ["ip addr", "ip route; ip link"], ("ip",)),
        *lines_of("ip -j", "json", ["ip -j addr", "ip -j -p link"], ("ip",)),
        *lines_of("ss", "text/table", ["ss -tan", "ss -xan | head -100"]),
        *lines_of("netstat", "text/*|table", ["netstat -tan", "netstat -s"]),
        Command("curl -v", served.format(port=18431, do="curl -sv http://127.0.0.1:18431/good.c"), "text/*", curl),
        Command("curl -i", served.format(port=18432, do="curl -si http://127.0.0.1:18432/"), "text/*|html", curl),
        Command("curl -I", served.format(port=18433, do="curl -sI http://127.0.0.1:18433/good.c"), "text/*", curl),
        Command("curl html", served.format(port=18434, do="curl -s http://127.0.0.1:18434/"), "text/html", curl),
        Command(
            "http.server log",
            served.format(
                port=18435,
                do="for n in $(seq 30); do curl -s -o /dev/null http://127.0.0.1:18435/x$n; done; cat web18435.log",
            ),
            "text/log",
            curl,
        ),
        *lines_of("curl help", "text/*", ["curl --help all", "curl http://127.0.0.1:9/x"], ("curl",)),
        *lines_of(
            "openssl x509",
            "text/*",
            [
                "openssl req -x509 -newkey rsa:1024 -nodes -keyout k1 -out c1 -days 2 -subj /CN=x 2>/dev/null; openssl x509 -in c1 -text"
            ],
            ("openssl",),
        ),
        *lines_of("openssl", "text/*", ["openssl list -commands; openssl version -a", "openssl ciphers -v"]),
        *lines_of(
            "openssl pem",
            "text/*",
            ["openssl req -x509 -newkey rsa:1024 -nodes -keyout k2 -out c2 -days 2 -subj /CN=x 2>/dev/null; cat c2"],
            ("openssl",),
        ),
        *lines_of(
            "openssl speed",
            "text/*",
            ["openssl asn1parse -in /etc/ssl/certs/ca-certificates.crt | head -120"],
            ("openssl",),
        ),
    ]


def _reading() -> list[Command]:
    return [
        *lines_of("man", "text/*", [f"man {name.partition('.')[2]} {name.partition('.')[0]}" for name in _MANUALS]),
        *lines_of(
            "man coloured", "text/*", ["MAN_KEEP_FORMATTING=1 man cut", "MAN_KEEP_FORMATTING=1 man sort"], ("man",)
        ),
        *lines_of("man -k", "text/*", ["man -k git", "man -k print"], ("man",)),
        *lines_of(
            "--help",
            "text/*",
            [f"{name} --help" for name in ("ls", "tar", "grep", "find", "sort", "gzip", "dpkg", "jq")],
            ("ls",),
        ),
        *lines_of("perldoc", "text/*", ["perl -V", "perl --help"], ("perl",)),
        *lines_of(
            "xxd",
            "text/*",
            ["xxd /bin/ls | head -500", "hexdump -C /bin/ls | head -300", "od -A x -t x1z /bin/ls | head -200"],
            ("xxd", "hexdump"),
        ),
        *lines_of("base64", "text/*", ["base64 /bin/ls | head -300", "head -c 3000 /bin/ls | base64 -w 0"]),
        *lines_of(
            "cat",
            "text/*",
            [
                "cat /etc/passwd",
                "cat /etc/services",
                "cat /etc/os-release",
                "cat /etc/fstab /etc/hosts",
                "cat /usr/share/common-licenses/GPL-3",
                "cat /etc/group",
            ],
        ),
    ]


def _other() -> list[Command]:
    terraform, kubectl = ("terraform",), ("kubectl",)
    return [
        *lines_of(
            "terraform plan",
            "text/*",
            ["cd tf && terraform init -no-color >/dev/null && terraform plan -no-color"],
            terraform,
        ),
        *lines_of("terraform help", "text/*", ["terraform --help"], terraform),
        *lines_of(
            "kubectl dry-run",
            "yaml",
            [
                f"kubectl create --dry-run=client -o yaml {what}"
                for what in (
                    "deployment web --image=nginx --replicas=3",
                    "configmap settings --from-file=py",
                    "service clusterip web --tcp=80:8080",
                    "job once --image=busybox -- date",
                    "cronjob nightly --image=busybox --schedule='0 3 * * *' -- date",
                    "secret generic keys --from-literal=a=b --from-literal=user=dev",
                )
            ],
            kubectl,
        ),
        *lines_of(
            "kubectl json", "json", ["kubectl create deployment web --image=nginx --dry-run=client -o json"], kubectl
        ),
        *lines_of("kubectl help", "text/*", ["kubectl --help", "kubectl get --help"], kubectl),
        *lines_of("docker help", "text/*", ["docker --help", "docker run --help"], ("docker",)),
        *lines_of("cal", "text/*", ["python3 -m calendar 2026"], ("python3",)),
        *lines_of("locale", "text/*", ["locale; locale -a; locale -k LC_TIME"]),
        *lines_of("infocmp", "text/*", ["infocmp xterm", "infocmp -1 vt100"]),
        *lines_of("timings", "text/*", ["time ls /usr/lib", "seq 1 5000", "yes | head -3000"], ("seq",)),
        *lines_of("gdb", "text/*", ["gdb --batch -ex 'info functions' /bin/true 2>&1 | head -100", "gdb --help"]),
        *lines_of("strace -c", "text/table", ["strace -c ls /etc > /dev/null"], ("strace",)),
        *lines_of("strace", "text/*", ["strace -f ls /etc 2>&1 >/dev/null | head -300"]),
    ]

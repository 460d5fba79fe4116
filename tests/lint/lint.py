#!/usr/bin/env python3
# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Checks the rules of CONTRIBUTING.md that no compiler checks.

usage: lint.py [--self-test] [ROOT]

Prints one line for each finding, "file:line: rule: what to do", and exits 1 if there are any.
--self-test violates each rule and fails unless exactly that rule fires.
"""
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'planted'))
import bugs as planted  # noqa: E402
import includes  # noqa: E402
import words  # noqa: E402

FILE_LINES_MAX = 600
FUNCTION_LINES_MAX = 70
COLUMNS_MAX = 100
USER_PAGES_BYTES_MAX = 100_000  # of README.md and the pages in docs/ itself, less DEVELOPER_PAGES
DEVELOPER_PAGES = {'docs/architecture.md', 'docs/benchmarks.md'}
COPYRIGHT = 'Copyright (c) 2026 The Lull Authors'

# The layers that each folder may include, by the first part of the path. The folders of the public
# headers are leveldb, lull and helpers.
PUBLIC = {'leveldb', 'lull', 'helpers'}
LIBRARY = PUBLIC | {'util', 'table', 'scheduler', 'db'}
LAYERS = {
    'include': PUBLIC,
    'util': PUBLIC | {'util'},
    'table': PUBLIC | {'util', 'table'},
    'scheduler': PUBLIC | {'util', 'scheduler'},
    'db': LIBRARY,
    'benchmarks': LIBRARY | {'benchmarks'},
    'tests': LIBRARY | {'benchmarks', 'tests'},
}
FOLDERS = LIBRARY | {'benchmarks', 'tests', 'include'}
# The folders of db/, lowest first: each includes only itself and those before it.
DB_STACK = ['base', 'memory', 'wal', 'version', 'read', 'compaction', 'recovery', 'report',
            'engine', 'backup', 'store', 'api', 'tools']

# Rules by pattern: name, pattern, files where it is allowed, what to do instead. They apply to C++
# only, without comments and string literals (except the paths of includes).
PATTERNS = [
    ('clock',
     r'\b\w+_clock::now\b|\bclock_gettime\b|\bgettimeofday\b|\b__rdtsc\b|'
     r'\btime\s*\(\s*(nullptr|NULL|0)\s*\)|\bstd::clock\b',
     r'util/clock|benchmarks/|tests/resources/false_time',
     'take the time as an argument, or use the Clock of util/clock.h'),
    ('sleep',
     r'\bsleep_(for|until)\b|\bu?sleep\s*\(|\b(clock_)?nanosleep\b',
     r'util/clock|benchmarks/',
     'wait for an event; pacing belongs to util/clock.h'),
    ('thread',
     r'\bstd::(jthread\b|thread\b(?!::)|async\b)|\bpthread_create\b',
     r'util/thread|benchmarks/',
     'start threads with util/thread.h'),
    ('random',
     r'\bstd::random_device\b|\bs?rand(_r)?\s*\(|\b[dl]rand48\b|\bgetrandom\b',
     r'util/random',
     'use util/random.h with a seed'),
    ('random',
     r'\bmt19937(_64)?\b|\bstd::(default_random_engine|minstd_rand0?)\b',
     r'util/random|benchmarks/|tests/',
     'use util/random.h with a seed'),
    ('system',
     r'#\s*include\s*<((unistd|fcntl|pthread|sched|poll|dirent|dlfcn|spawn|semaphore|libgen|'
     r'syscall|signal|windows)\.h|(sys|linux|asm)/[\w/]+\.h)>',
     r'util/(posix|windows)/|benchmarks/|tests/',
     'add what you need to util/os.h or the Env'),
    ('environment',
     r'\bgetenv\b',
     r'util/(posix|windows)/|benchmarks/|tests/|docs/',
     'call os::Environment, so that set-user-ID programs do not obey their users'),
    ('heap',
     r'\bmalloc_trim\b|\bmallopt\b|\bHeapCompact\b',
     r'benchmarks/|tests/',
     "the heap is the program's: take large memory with util/page_buffer.h"),
    ('rtti',
     r'\bdynamic_(pointer_)?cast\b|\btypeid\b',
     r'benchmarks/|tests/',
     'clients can pass objects without type information: use util/registry.h'),
    ('pure',
     r'<(thread|mutex|shared_mutex|condition_variable|future|atomic|chrono|random|fstream|'
     r'iostream)>|"leveldb/(env|db|cache)\.h"|"util/(clock|thread|mutex|random|grace|env_\w+)\.h"|'
     r'"scheduler/threads/\w+\.h"',
     r'(?!scheduler/)|scheduler/threads/',
     'the scheduler is a function of its arguments: no clock, thread, lock, Env or random source'),
    ('planted',
     r'\bPlanted\s*\(|\bplanted\.h\b',
     r'benchmarks/|tests/',
     'a planted bug is a patch in tests/planted/patches, not code of the library'),
]
# std::sort runs out of its range if the application's comparator is no strict order.
KEY_SORT = re.compile(r'\bstd::(?:ranges::)?sort\([^;]*\bCompare(?:User)?\(')
PATTERNS = [(rule, re.compile(what), re.compile(home), do) for rule, what, home, do in PATTERNS]

# Tests wait for events. A pause is too short on a loaded machine, and too long on any other.
PAUSE_CPP = re.compile(r'(->|\.)\s*SleepFor(Nanos|Microseconds)\s*\(|\bOfferCore\s*\(|'
                       r'\bthis_thread::yield\b')
PAUSE_SCRIPT = re.compile(r'\btime\.sl' r'eep\b|^\s*sl' r'eep\s')
PAUSES = {
    # Pauses are part of the clients' load.
    'tests/db/store/load_test.cc',
    'tests/resources/soak.cc',
    'tests/schedule/clients.cc',
    'tests/util/grace_test.cc',
    # Measures how soon a client that retries succeeds.
    'tests/resources/resource_cases_test.cc',
    'tests/resources/sweep.cc',
    # Tests or replaces sleeping.
    'tests/schedule/primitives.cc',
    'tests/schedule/schedule_test.cc',
    'tests/util/clock_test.cc',
    'tests/util/env_posix_test.cc',
    # There is no event: a thread blocks in the tested function.
    'tests/db/report/event_hub_test.cc',
    'tests/db/engine/writers_queue_test.cc',
    # Third-party programs, which report no progress.
    'tests/clients/drivers/checks.py',
}

UNFINISHED = re.compile(r'\b(TO' r'DO|FIX' r'ME)\b')
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
LITERAL = re.compile(r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|'
                     r'"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])*\'', re.S)

CPP = ('.h', '.cc', '.c')
SOURCE = CPP + ('.py', '.sh', '.cmake', 'CMakeLists.txt')


def code_of(text):
    """Returns C++ without comments and string literals; line numbers stay the same."""

    def blank(match):
        newlines = '\n' * match.group().count('\n')
        return newlines or ' ' if match.group().startswith('/') else '""' + newlines

    text = re.sub(r'^(\s*#\s*include\s*)"([^"\n]*)"', '\\1\x01\\2\x01', text, flags=re.M)
    return LITERAL.sub(blank, text).replace('\x01', '"')


def without_directives(code):
    """Returns C++ with empty preprocessor lines."""
    return re.sub(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*',
                  lambda match: '\n' * match.group().count('\n'), code, flags=re.M)


def kind_of(head):
    """Returns what a brace opens, judged by the text since the last brace or semicolon before
    it."""
    if re.search(r'\bnamespace\b|\bextern\s*""\s*$', head):
        return 'scope'
    if re.search(r'\benum\b', head):
        return 'other'
    head = re.sub(r'\btemplate\s*<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>', '', head)
    # Attributes and annotation macros of a class have parentheses, but it is not a function.
    plain = re.sub(r'\balignas\s*\([^()]*\)|\b[A-Z][A-Z0-9_]+\s*\([^()]*\)', '', head)
    if re.search(r'\b(class|struct|union)\b[^()]*$', plain):
        return 'scope'
    return 'function' if ')' in head else 'other'


def functions(code):
    """Yields (first line, last line) of every function body with its signature. Lambdas and local
    classes count as part of the function that contains them."""
    kinds, starts, line = [], [], 1  # of the open braces
    bodies = 0  # those that are not a scope's
    head, head_line, last = '', 0, (0, 0)
    for char in without_directives(code):
        inside = bodies > 0
        if char == '\n':
            line += 1
        if char == '{':
            kind, first = kind_of(head), head_line or line
            # "Type() : a_{1}, b_(2) {": the text after a brace of an initialiser belongs to the
            # function.
            if not inside and last[1] and (not head.strip() or head.lstrip().startswith(',')):
                kind, first = 'function', last[0]
            kinds.append(kind)
            starts.append(first)
            bodies += kind != 'scope'
        elif char == '}' and kinds:
            kind, first = kinds.pop(), starts.pop()
            bodies -= kind != 'scope'
            if kind == 'function' and not bodies:
                last = (first, line)
                head, head_line = '', 0
                yield last
                continue
        if inside and char != '}':
            continue
        if char in '{};':
            head, head_line, last = '', 0, (0, 0)
        else:
            head += char
            if not head_line and not char.isspace():
                head_line = line


def check_functions(code):
    found = {}
    for first, last in functions(code):
        found[first] = max(last, found.get(first, 0))
    for first, last in found.items():
        if last - first + 1 > FUNCTION_LINES_MAX:
            yield first, 'function-length', (f'{last - first + 1} lines, at most '
                                             f'{FUNCTION_LINES_MAX}: split it')


def place_in_stack(path):
    """Of a file of db/; beyond the stack if its folder is not in it."""
    folder = path.split('/')[1]
    return DB_STACK.index(folder) if folder in DB_STACK else len(DB_STACK)


def check_includes(path, code):
    folder = path.split('/')[0]
    for number, line in enumerate(code.split('\n'), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        target = match.group(1)
        first = target.split('/')[0]
        if '/' not in target or first == '..':
            yield number, 'include-path', 'include by the path from the root of the repository'
        elif first in FOLDERS and first not in LAYERS.get(folder, FOLDERS):
            yield number, 'include-layer', f'{folder}/ must not include {first}/'
        elif folder == first == 'db' and place_in_stack(target) > place_in_stack(path):
            yield number, 'include-layer', (f'{os.path.dirname(path)}/ must not include '
                                            f'{os.path.dirname(target)}/, which is above it')


def check_pauses(path, code):
    pause = PAUSE_CPP if path.endswith(CPP) else PAUSE_SCRIPT
    for number, line in enumerate(code.split('\n'), 1):
        if pause.search(line):
            yield number, 'pause', 'wait for an event: tests/support/event_count.h, gate.h'


def check_cpp(path, text):
    code = code_of(text)
    yield from check_includes(path, code)
    yield from check_functions(code)
    for match in KEY_SORT.finditer(code):
        if not path.startswith(('benchmarks/', 'tests/')):
            yield code.count('\n', 0, match.start()) + 1, 'key-sort', 'use std::stable_sort'
    for number, line in enumerate(code.split('\n'), 1):
        for rule, pattern, home, instead in PATTERNS:
            if pattern.search(line) and not home.match(path):
                yield number, rule, instead
        if path.endswith('.h') and re.search(r'\busing\s+namespace\b', line):
            yield number, 'using-namespace', 'name what you need: a header affects its includers'


def is_source(path, text):
    return path.endswith(SOURCE) or text.startswith('#!')


def check_file(path, text):
    """Yields (line, rule, what to do) for every finding in one file."""
    if path not in ('tests/lint/words.py', 'LICENSE', 'NOTICE'):
        for number, phrase, instead in words.found(text):
            yield number, 'words', f'"{phrase}": write {instead}'
    if not is_source(path, text):
        return
    lines = text.rstrip('\n').split('\n')
    if not any(COPYRIGHT in line for line in lines[:2]):
        yield 1, 'copyright', f'begin with "{COPYRIGHT}. BSD-3-Clause; see LICENSE."'
    if len(lines) > FILE_LINES_MAX:
        yield len(lines), 'file-length', f'at most {FILE_LINES_MAX} lines: split it'
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS_MAX:
            yield number, 'line-length', f'at most {COLUMNS_MAX} columns'
        if UNFINISHED.search(line):
            yield number, 'unfinished', 'finish it, or document what is missing and why'
    if path.startswith('tests/') and path not in PAUSES:
        yield from check_pauses(path, code_of(text) if path.endswith(CPP) else text)
    if path.endswith(CPP):
        yield from check_cpp(path, text)


def files_of(root):
    for folder, dirs, names in os.walk(root):
        passed_over = ['__pycache__', 'results'] if folder == root else ['__pycache__']
        dirs[:] = sorted(d for d in dirs if d == '.ci' or
                         not d.startswith(('.', 'build')) and d not in passed_over)
        for name in sorted(names):
            yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, '/')


def is_user_page(path):
    return path == 'README.md' or (re.fullmatch(r'docs/[\w-]+\.md', path) is not None and
                                   path not in DEVELOPER_PAGES)


def check_tree(root):
    found = user_pages_bytes = 0
    for path in files_of(root):
        try:
            with open(os.path.join(root, path), encoding='utf-8') as file:
                text = file.read()
        except (UnicodeDecodeError, FileNotFoundError):
            continue  # binary test data, or a file that has just been deleted
        user_pages_bytes += len(text.encode()) if is_user_page(path) else 0
        for line, rule, instead in check_file(path, text):
            print(f'{path}:{line}: {rule}: {instead}')
            found += 1
    if user_pages_bytes > USER_PAGES_BYTES_MAX:
        print(f'docs:1: page-size: the pages for users have {user_pages_bytes} bytes: shorten them '
              f'to {USER_PAGES_BYTES_MAX}, or move research to docs/research')
        found += 1
    for path, include in includes.unused(root):
        print(f'{path}:1: include-unused: no name of "{include}" is used')
        found += 1
    for path, instead in planted.disagreements(root):
        print(f'{path}:1: planted: {instead}')
        found += 1
    return found


# (path, source, the one rule that it violates or '').
SAMPLES = [
    ('util/a.h', 'int F();', ''),
    ('util/a.cc', '#include "db/b.h"', 'include-layer'),
    ('table/a.cc', '#include "scheduler/b.h"', 'include-layer'),
    ('db/a.cc', '#include "tests/support/b.h"', 'include-layer'),
    ('scheduler/a.cc', '#include "table/b.h"', 'include-layer'),
    ('include/leveldb/a.h', '#include "util/b.h"', 'include-layer'),
    ('benchmarks/a.cc', '#include "tests/b.h"', 'include-layer'),
    ('db/base/a.cc', '#include "scheduler/b.h"', ''),
    ('db/store/a.cc', '#include "db/engine/b.h"', ''),
    ('db/wal/a.cc', '#include "db/version/b.h"', 'include-layer'),
    ('db/wal/a.cc', '#include "db/loose.h"', 'include-layer'),
    ('tests/db/a.cc', '#include "db/base/b.h"', ''),
    ('db/a.cc', '#include "b.h"', 'include-path'),
    ('db/a.cc', '#include "../util/b.h"', 'include-path'),
    ('db/a.cc', 'auto t = std::chrono::steady_clock::now();', 'clock'),
    ('tests/a.cc', 'clock_gettime(0, &t);', 'clock'),
    ('db/a.cc', 'gettimeofday(&t, nullptr);', 'clock'),
    ('db/a.cc', 'auto t = time(nullptr);', 'clock'),
    ('db/a.h', 'Clock* clock() const { return clock_; }', ''),
    ('util/clock.cc', 'auto t = std::chrono::steady_clock::now();', ''),
    ('benchmarks/a.cc', 'auto t = std::chrono::steady_clock::now();', ''),
    ('db/a.cc', '// never steady_clock::now()\nconst char* s = "steady_clock::now";', ''),
    ('db/a.cc', 'const char* s = R"(\nsteady_clock::now)";', ''),
    ('db/a.cc', 'std::this_thread::sleep_for(d);', 'sleep'),
    ('tests/a.cc', 'usleep(10);', 'sleep'),
    ('db/a.cc', 'env->SleepForMicroseconds(10);', ''),
    ('tests/a.cc', 'env->SleepForMicroseconds(10);', 'pause'),
    ('tests/a.h', 'while (!done.load()) Clock::System()->SleepForNanos(1);', 'pause'),
    ('tests/a.cc', 'while (!done.load()) std::this_thread::yield();', 'pause'),
    ('tests/a.cc', 'while (!done.load()) OfferCore();', 'pause'),
    ('tests/a.h', 'void SleepForNanos(uint64_t nanos) override;', ''),
    ('tests/a.py', 'time.sl' 'eep(1)', 'pause'),
    ('tests/a.sh', 'sl' 'eep 1', 'pause'),
    ('tests/util/clock_test.cc', 'clock.SleepForNanos(500);', ''),
    ('benchmarks/a.py', 'time.sl' 'eep(1)', ''),
    ('db/a.cc', 'std::thread t(f);', 'thread'),
    ('tests/a.cc', 'std::vector<std::jthread> t;', 'thread'),
    ('db/a.cc', 'pthread_create(&t, nullptr, f, nullptr);', 'thread'),
    ('db/a.cc', 'auto n = std::thread::hardware_concurrency();', ''),
    ('util/thread.cc', 'std::thread t(f);', ''),
    ('benchmarks/a.cc', 'std::thread t(f);', ''),
    ('tests/a.cc', 'std::random_device r;', 'random'),
    ('db/a.cc', 'int r = rand();', 'random'),
    ('db/a.cc', 'std::mt19937 r(1);', 'random'),
    ('tests/a.cc', 'std::mt19937_64 r(1);', ''),
    ('db/a.cc', '#include <unistd.h>', 'system'),
    ('table/a.cc', '#include <sys/stat.h>', 'system'),
    ('util/a.cc', '#include <windows.h>', 'system'),
    ('util/posix/env.cc', '#include <linux/falloc.h>', ''),
    ('util/a.cc', 'auto* b = dynamic_cast<B*>(a);', 'rtti'),
    ('db/a.cc', 'std::getenv("LULL_OPTIONS");', 'environment'),
    ('util/posix/a.cc', 'malloc_trim(0);', 'heap'),
    ('tests/a.cc', 'malloc_trim(0);', ''),
    ('include/lull/a.h', 'auto b = std::dynamic_pointer_cast<B>(a);', 'rtti'),
    ('db/a.cc', 'const char* s = typeid(a).name();', 'rtti'),
    ('table/a.cc', '// never dynamic_cast', ''),
    ('tests/a.cc', 'auto* b = dynamic_cast<B*>(a);', ''),
    ('scheduler/a.h', '#include <mutex>', 'pure'),
    ('scheduler/a.h', '#include "util/clock.h"', 'pure'),
    ('scheduler/policies/a.h', '#include "util/clock.h"', 'pure'),
    ('scheduler/a.h', '#include "scheduler/threads/a.h"', 'pure'),
    ('scheduler/threads/a.h', '#include "util/thread.h"', ''),
    ('scheduler/a.h', '#include "util/rate.h"', ''),
    ('db/a.cc', 'std::sort(b, e, [&](A c, A d) {\nreturn o.Compare(c, d) < 0;\n});', 'key-sort'),
    ('db/a.cc', 'std::sort(b, e);\nreturn o.Compare(c, d);', ''),
    ('db/a.cc', 'std::stable_sort(b, e, [&](A c, A d) { return o.Compare(c, d) < 0; });', ''),
    ('db/a.cc', 'if (Planted(Bug::kA)) return;', 'planted'),
    ('db/a.cc', '#include "util/planted.h"', 'planted'),
    ('tests/a.cc', 'if (Planted(Bug::kA)) return;', ''),
    ('db/a.cc', '// TO' 'DO: more', 'unfinished'),
    ('cmake/a.cmake', '# FIX' 'ME', 'unfinished'),
    ('db/a.cc', 'int x = ' + '1' * COLUMNS_MAX + ';', 'line-length'),
    ('db/a.h', 'using namespace std;', 'using-namespace'),
    ('db/a.cc', 'using namespace std;', ''),
    ('db/a.cc', 'int x;\n' * FILE_LINES_MAX, 'file-length'),
    ('db/a.cc', '// Releases it after the flush.', ''),
    ('db/a.cc', '// Lets go ' 'of it.', 'words'),
    ('docs/a.md', 'The store calls the reader.', ''),
    ('docs/a.md', 'The reader is ' 'told so.', 'words'),
    ('tests/a.py', 'if x is None:', ''),
    ('tests/a.py', '# a name that is ' 'none', 'words'),
]


def body(lines):
    return 'x();\n' * lines


# Function shapes: a function that is one line too long is found, the longest allowed one is not. %s
# is the body.
SHAPES = [
    'void F() {\n%s}\n',
    'namespace lull {\nnamespace {\nvoid F() {\n%s}\n}\n}\n',
    'extern "C" {\nvoid F() {\n%s}\n}\n',
    'class LULL_CAPABILITY("x") A final : public B {\n public:\n  int F() const {\n%s}\n};\n',
    'template <class T, int (*G)(T)>\nstruct stat F(T t) {\n%s}\n',
    'A::A() : a_{1}, b_{2} {\n%s}\n',
    'A::A(int x) : a_(x), b_{F(x)}, c_(2) {\n%s}\n',
    'TEST_F(A, B) {\n  auto f = [] { return 1; };\n%s}\n',
    'bool A::operator()(int x) const {\n  for (;;) {\n%s}\n}\n',
    'const auto f = [](int x) {\n%s};\n',
    '#define X { (\nvoid F() {\n%s}\n',
    'const int kMany = 1\'000\'000;\nvoid F() {\n  G("{", \'{\', R"({)");\n%s}\n',
]


def longest_body(shape):
    """Returns the number of body lines that fill the function up to the limit."""
    lengths = [last - first + 1 for first, last in functions(code_of(shape % ''))]
    return FUNCTION_LINES_MAX - max(lengths)


# A patch, and whether it applies to a file with the lines 1 2 3 1.
PATCHES = [
    ('@@ -9,2 +9,2 @@\n 2\n-3\n+4\n', True),
    ('@@ -1,2 +1,1 @@\n 1\n-2\n@@ -3,2 +2,2 @@\n-3\n+4\n 1\n', True),
    ('@@ -1 +1 @@\n-1\n+4\n', False),
    ('@@ -1,2 +1,2 @@\n-2\n+4\n 1\n', False),
    ('', False),
]


def patches_self_test():
    failed = 0
    with tempfile.TemporaryDirectory() as root:
        os.mkdir(os.path.join(root, 'db'))
        for name in ('a.cc', 'a.h'):
            with open(os.path.join(root, 'db', name), 'w', encoding='utf-8') as file:
                file.write('1\n2\n3\n1\n')
        for path, hunks, applies in [('db/a.cc', *patch) for patch in PATCHES] + [
                ('db/b.cc', PATCHES[0][0], False), ('db/a.h', PATCHES[0][0], False)]:
            try:
                planted.apply(root, f'diff --git a/{path} b/{path}\n+++ b/{path}\n{hunks}')
                applied = True
            except planted.PatchError:
                applied = False
            if applied != applies:
                print(f'self-test: {path}: {"applies" if applied else "does not apply"}:\n{hunks}')
                failed += 1
    return failed


# The text of a file that includes a.h, and whether it uses a name of a.h.
USES = [
    ('A a;', True), ('F();', True), ('int x = kB;', True), ('// A', False), ('"A"', False),
    ('int AA = 1;', False), ('D d;', True), ('LOG_E();', True), ('G g;', True),
]


def includes_self_test():
    failed = 0
    for text, used in USES:
        with tempfile.TemporaryDirectory() as root:
            os.mkdir(os.path.join(root, 'db'))
            with open(os.path.join(root, 'db', 'a.h'), 'w', encoding='utf-8') as file:
                file.write('class API(x) A {};\nvoid F();\nconstexpr int kB = 1;\n'
                           'using D = int;\n#define LOG_E()\nusing x::G;\n')
            with open(os.path.join(root, 'db', 'b.cc'), 'w', encoding='utf-8') as file:
                file.write(f'#include "db/a.h"\n{text}\n')
            if bool(list(includes.unused(root))) == used:
                print(f'self-test: "{text}": an include that is {"" if used else "not "}used')
                failed += 1
    return failed


def self_test():
    samples = list(SAMPLES)
    for shape in SHAPES:
        fits = longest_body(shape)
        samples.append(('db/a.cc', shape % body(fits), ''))
        samples.append(('db/a.cc', shape % body(fits + 1), 'function-length'))
    # Not functions: many short ones in a class, and a long table.
    samples.append(('db/a.h', 'class A {\n' + 'int F() { return 1; }\n' * 99 + '};\n', ''))
    samples.append(('db/a.h', 'const int kTable[] = {\n' + '1,\n' * 99 + '};\n', ''))
    failed = 0
    for path, text, rule in samples:
        comment = '//' if path.endswith(CPP) else '#'
        got = [r for _, r, _ in check_file(path, f'{comment} {COPYRIGHT}\n{text}\n')]
        if got != ([rule] if rule else []):
            print(f'self-test: {path}: expected {rule or "nothing"}, got {got}:\n{text[:300]}')
            failed += 1
    if [r for _, r, _ in check_file('db/a.cc', 'int x;\n')] != ['copyright']:
        print('self-test: a missing copyright line is not found')
        failed += 1
    untested = {p[0] for p in PATTERNS} - {s[2] for s in samples}
    if untested:
        print(f'self-test: no sample violates {sorted(untested)}')
        failed += 1
    failed += patches_self_test()
    failed += includes_self_test()
    print(f'{len(samples) + len(PATCHES) + len(USES) + 3} samples, {failed} failed')
    return failed


def main():
    args = sys.argv[1:]
    if '--self-test' in args:
        return 1 if self_test() else 0
    return 1 if check_tree(args[0] if args else os.path.join(HERE, '..', '..')) else 0


if __name__ == '__main__':
    sys.exit(main())

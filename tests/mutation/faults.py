"""Small faults that can be put into a module, each a replacement of one piece of its text."""

import ast
import random
import warnings
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

COMPARISONS = {
    ast.Lt: ("<=", ">="), ast.LtE: ("<", ">"), ast.Gt: (">=", "<="), ast.GtE: (">", "<"),
    ast.Eq: ("!=",), ast.NotEq: ("==",), ast.In: ("not in",), ast.NotIn: ("in",),
    ast.Is: ("is not",), ast.IsNot: ("is",),
}  # fmt: skip
ARITHMETIC = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "//",
    ast.BitAnd: "|", ast.BitOr: "&", ast.LShift: ">>", ast.RShift: "<<",
}  # fmt: skip
FUNCTIONS = {
    "min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum",
    "maximum": "minimum", "argmin": "argmax", "argmax": "argmin", "floor": "ceil",
    "ceil": "floor", "zeros": "ones", "ones": "zeros", "append": "remove", "isnan": "isinf",
}  # fmt: skip
ENDS = ("min", "max", "minimum", "maximum")
SORTING = {"sorted": "list({})", "sort": "{}"}
CONSTANT_TEXTS = {"left": "right", "right": "left"}


@dataclass(frozen=True)
class Fault:
    """One replacement: bytes of a module, the text in their place, and the line before and after it."""

    path: str
    function: str
    kind: str
    line: int
    start: int
    end: int
    before: str
    after: str
    text: str

    @property
    def name(self):
        """A name that survives edits elsewhere in the module."""
        return f"{self.path} {self.function or '-'}: {self.before} -> {self.after}"

    @property
    def listed(self):
        """The fault in one line."""
        return f"{self.path}:{self.line} {self.kind}: {self.before} -> {self.after}"

    def put_into(self, source):
        """Return the source with the fault."""
        return source[: self.start] + self.text.encode() + source[self.end :]


class _Source:
    """The text of a module, and the pieces that nodes of its tree stand for."""

    def __init__(self, source):
        self.bytes, self.starts = source, [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def span(self, node):
        first = self.starts[node.lineno - 1] + node.col_offset
        return first, self.starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, start, end):
        return self.bytes[start:end].decode()

    def piece(self, node):
        return self.text(*self.span(node))


def _changes(node, of):  # noqa: PLR0912 - one case per kind
    """Yield the faults of one node: kind, span, and the text that takes its place."""
    span, piece = of.span, of.piece
    match node:
        case ast.AugAssign() | ast.Continue() | ast.Break() | ast.Expr(value=ast.Call()):
            yield "statement dropped", span(node), "pass"
        case ast.Assign() if isinstance(node.targets[0], ast.Subscript):
            yield "statement dropped", span(node), "pass"
        case ast.Raise():
            yield "error dropped", span(node), "pass"
        case ast.If() | ast.While() | ast.IfExp():
            several = not isinstance(node.test, ast.Compare) or len(node.test.ops) > 1
            if several and "TYPE_CHECKING" not in piece(node.test):
                yield "condition negated", span(node.test), f"(not ({piece(node.test)}))"
        case ast.comprehension():
            for test in node.ifs:
                yield "condition dropped", span(test), "True"
        case ast.Compare():
            sides = [node.left, *node.comparators]
            for operator, (left, right) in zip(node.ops, pairwise(sides), strict=True):
                gap = span(left)[1], span(right)[0]
                if not set(b"()") & set(of.bytes[slice(*gap)]):
                    for other in COMPARISONS[type(operator)]:
                        yield "comparison", gap, f" {other} "
        case ast.BoolOp():
            word = " or " if isinstance(node.op, ast.And) else " and "
            yield "and/or", span(node), f"({word.join(f'({piece(v)})' for v in node.values)})"
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert()):
            yield "sign or not dropped", span(node), f"({piece(node.operand)})"
        case ast.BinOp() if type(node.op) in ARITHMETIC:
            if not isinstance(getattr(node.left, "value", None), str):
                sign = f"(({piece(node.left)}) {ARITHMETIC[type(node.op)]} ({piece(node.right)}))"
                yield "arithmetic", span(node), sign
        case ast.Constant():
            for text in _constants(node.value):
                yield "constant", span(node), text
        case ast.Return(value=ast.expr()) if not isinstance(node.value, ast.Constant):
            yield "return None", span(node.value), "None"
        case ast.Call():
            yield from _calls(node, of)


def _left_out(node, of):
    """Yield what code could do without: a side of a condition, an operand, a keyword, an index, an end."""
    span, piece = of.span, of.piece
    match node:
        case ast.If() | ast.IfExp() if "TYPE_CHECKING" not in piece(node.test):
            yield span(node.test), "True"
            yield span(node.test), "False"
        case ast.BoolOp():
            word = " and " if isinstance(node.op, ast.And) else " or "
            for one in node.values:
                yield (
                    span(node),
                    f"({word.join(f'({piece(v)})' for v in node.values if v is not one)})",
                )
        case ast.Subscript(ctx=ast.Load()) if not isinstance(node.slice, ast.Constant):
            yield span(node), piece(node.value)
        case ast.Call():
            ends = sorted(map(span, [*node.args, *node.keywords]))
            for keyword in node.keywords:
                at = ends.index(span(keyword))
                before = ends[at - 1][1] if at else ends[at][0]
                yield (before, ends[at][1]), ""
            if (
                getattr(node.func, "attr", getattr(node.func, "id", "")) in ENDS
                and len(node.args) > 1
            ):
                yield from ((span(node), f"({piece(x)})") for x in node.args)


def _constants(value):
    """Return what takes the place of a constant."""
    if isinstance(value, bool):
        return [str(not value)]
    if isinstance(value, int):
        return [str(value + 1), *([str(value - 1)] if value > 0 else [])]
    if isinstance(value, float):
        return [repr(value + 1)]
    return [repr(CONSTANT_TEXTS[value])] if value in CONSTANT_TEXTS else []


def _calls(node, of):
    called = node.func
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    if name in FUNCTIONS:
        yield "function", of.span(called), of.piece(called).removesuffix(name) + FUNCTIONS[name]
    if name in SORTING and node.args:
        yield "sorting dropped", of.span(node), SORTING[name].format(of.piece(node.args[0]))
    starred = any(isinstance(x, ast.Starred) for x in node.args)
    if len(node.args) >= 2 and not starred and name != "isinstance":
        first, second = (of.piece(x) for x in node.args[:2])
        (start, a), (b, end) = (of.span(x) for x in node.args[:2])
        if first != second:
            yield "arguments exchanged", (start, end), second + of.text(a, b) + first


def _inside(node, of):
    """Return the parts of a node that get faults: no words of messages, no annotations."""
    match node:
        case ast.Raise() | ast.JoinedStr() | ast.Import() | ast.ImportFrom():
            return []
        case ast.FunctionDef():
            shows = node.name in ("__repr__", "__str__")
            return [] if shows else [*node.args.defaults, *node.args.kw_defaults, *node.body]
        case ast.ClassDef():
            return node.body
        case ast.AnnAssign():
            return [node.value]
        case ast.Expr(value=ast.Constant()):
            return []  # a docstring
        case ast.Assign() if getattr(node.targets[0], "id", "") == "__all__":
            return []
        case ast.If() if "TYPE_CHECKING" in of.piece(node.test):
            return []
    return ast.iter_child_nodes(node)


def faults(top, path):
    """Return all faults that one module can get, in the order of the text."""
    of, found = _Source((top / path).read_bytes()), []

    def visit(node, around):
        inside = [*_inside(node, of)]
        left_out = [("left out", *change) for change in _left_out(node, of)]
        for kind, (start, end), text in [*_changes(node, of), *left_out]:
            first = max(x for x in of.starts if x <= start)
            last = next(x for x in of.starts if x >= end)
            shown = of.text(first, start) + text + of.text(end, last)
            before, after = (" ".join(x.split()) for x in (of.text(first, last), shown))
            line = of.starts.index(first) + 1
            found.append(Fault(path, around, kind, line, start, end, before, after, text))
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            around = f"{around}.{node.name}".lstrip(".")
        for part in inside:
            if part is not None:
                visit(part, around)

    visit(ast.parse(of.bytes), "")
    return found


def _compiles(source):
    try:
        with warnings.catch_warnings(action="ignore"):
            compile(source, "fault", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def room(path):
    """Return the folder of ``hierpair/`` that a module lies in, or its own name."""
    return path.split("/")[1].removesuffix(".py")


def choose(top, count, seed, only=None, kind=None):
    """Draw faults: rooms by their number of lines, then kinds evenly, then any place.

    The same seed and the same code give the same faults, and a larger count begins with those of a
    smaller one as far as the shares of the rooms allow.
    """
    lines, modules, chosen = Counter(), {}, []
    for file in sorted((top / "hierpair").rglob("*.py")):
        path = file.relative_to(top).as_posix()
        if only is None or room(path) == only or path.removeprefix("hierpair/").startswith(only):
            lines[room(path)] += len(file.read_bytes().splitlines())
            modules.setdefault(room(path), []).append(path)
    for name, share in _shares(lines, count).items():
        draw, kinds = random.Random(f"{seed} {name}"), {}
        for fault in (f for path in modules[name] for f in faults(top, path)):
            if fault.kind == (kind or fault.kind):
                kinds.setdefault(fault.kind, []).append(fault)
        for of_kind in kinds.values():
            draw.shuffle(of_kind)
        wanted = len(chosen) + share
        while len(chosen) < wanted and kinds:
            of = draw.choice(sorted(kinds))
            fault = kinds[of].pop()
            if _compiles(fault.put_into((top / fault.path).read_bytes())):
                chosen.append(fault)
            if not kinds[of]:
                del kinds[of]
    return chosen


def _shares(lines, count):
    """Return whole shares of a count, as near to the numbers of lines as they can be."""
    exact = {name: count * n / lines.total() for name, n in lines.items()}
    shares = {name: int(x) for name, x in exact.items()}
    rest = sorted(exact, key=lambda name: (shares[name] - exact[name], name))
    return shares | {name: shares[name] + 1 for name in rest[: count - sum(shares.values())]}

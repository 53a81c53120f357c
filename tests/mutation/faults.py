"""Small faults that can be put into a module, each a replacement of one piece of its text."""

import ast
import random
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Fault", "choose", "faults", "room"]

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
SORTING = {"sorted": "list({})", "sort": "{}", "unique": None}
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
    def name(self) -> str:
        """A name that survives edits elsewhere in the module."""
        return f"{self.path} {self.function or '-'}: {self.before} -> {self.after}"

    @property
    def listed(self) -> str:
        """The fault in one line."""
        return f"{self.path}:{self.line} {self.kind}: {self.before} -> {self.after}"

    def put_into(self, source: bytes) -> bytes:
        """Return the source with the fault."""
        return source[: self.start] + self.text.encode() + source[self.end :]


class _Finder(ast.NodeVisitor):
    def __init__(self, path: str, source: bytes) -> None:
        self.path, self.source, self.found = path, source, list[Fault]()
        self.around: list[str] = []
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def piece(self, node: ast.AST) -> str:
        return self.source[slice(*self.span(node))].decode()

    def span(self, node: ast.AST) -> tuple[int, int]:
        return (
            self.starts[node.lineno - 1] + node.col_offset,
            self.starts[node.end_lineno - 1] + node.end_col_offset,
        )

    def add(self, kind: str, node: ast.AST, text: str) -> None:
        start, end = self.span(node)
        first, last = self.starts[node.lineno - 1], self.starts[node.end_lineno]
        shown = (self.source[first:start] + text.encode() + self.source[end:last]).decode()
        before = " ".join(self.source[first:last].decode().split())
        self.found.append(Fault(
            self.path, ".".join(self.around), kind, node.lineno, start, end, before,
            " ".join(shown.split()), text,
        ))  # fmt: skip

    # ------------------------------------------------------------- what is left as it is

    def within(self, node: ast.FunctionDef | ast.ClassDef, parts: Iterable[ast.AST | None]) -> None:
        self.around.append(node.name)
        for part in parts:
            if part is not None:
                self.visit(part)
        self.around.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.name not in ("__repr__", "__str__"):
            self.within(node, [*node.args.defaults, *node.args.kw_defaults, *node.body])

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.within(node, node.body)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_JoinedStr(self, node: ast.AST) -> None:
        pass  # words of messages

    visit_Import = visit_ImportFrom = visit_JoinedStr  # noqa: N815

    # ----------------------------------------------------------------------- the faults

    def visit_Assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        if isinstance(target, ast.Name) and target.id == "__all__":
            return
        if isinstance(target, ast.Subscript):
            self.add("statement dropped", node, "pass")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AST) -> None:
        self.add("statement dropped", node, "pass")
        self.generic_visit(node)

    visit_Continue = visit_Break = visit_AugAssign  # noqa: N815

    def visit_Raise(self, node: ast.Raise) -> None:
        self.add("error dropped", node, "pass")

    def visit_If(self, node: ast.If | ast.While | ast.IfExp) -> None:
        test = node.test
        if isinstance(node, ast.If) and "TYPE_CHECKING" in self.piece(test):
            return
        if not isinstance(test, ast.Compare) or len(test.ops) > 1:
            self.add("condition negated", test, f"(not ({self.piece(test)}))")
        self.generic_visit(node)

    visit_While = visit_IfExp = visit_If  # noqa: N815

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self.add("condition dropped", test, "True")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        left = node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            for other in COMPARISONS[type(operator)]:
                start, end = self.span(left)[1], self.span(right)[0]
                between = ast.Constant(0, lineno=left.end_lineno, col_offset=left.end_col_offset)
                between.end_lineno, between.end_col_offset = right.lineno, right.col_offset
                if "(" not in (gap := self.source[start:end].decode()) and ")" not in gap:
                    self.add("comparison", between, f" {other} ")
            left = right
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        other = " or " if isinstance(node.op, ast.And) else " and "
        self.add("and/or", node, "(" + other.join(f"({self.piece(v)})" for v in node.values) + ")")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, (ast.Not, ast.USub, ast.Invert)):
            self.add("sign or not dropped", node, f"({self.piece(node.operand)})")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        text = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
        if (other := ARITHMETIC.get(type(node.op))) and not text:
            left, right = self.piece(node.left), self.piece(node.right)
            self.add("arithmetic", node, f"(({left}) {other} ({right}))")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self.add("constant", node, str(not node.value))
        elif isinstance(node.value, int):
            self.add("constant", node, str(node.value + 1))
            if node.value > 0:
                self.add("constant", node, str(node.value - 1))
        elif isinstance(node.value, float):
            self.add("constant", node, repr(node.value + 1))
        elif isinstance(node.value, str) and node.value in CONSTANT_TEXTS:
            self.add("constant", node, repr(CONSTANT_TEXTS[node.value]))

    def visit_Call(self, node: ast.Call) -> None:
        called = node.func
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if name in FUNCTIONS:
            start = self.piece(called).removesuffix(name)
            self.add("function", called, start + FUNCTIONS[name])
        if name in SORTING and node.args and SORTING[name]:
            self.add("sorting dropped", node, SORTING[name].format(self.piece(node.args[0])))
        plain = [a for a in node.args if not isinstance(a, ast.Starred)]
        if len(node.args) >= 2 and len(plain) == len(node.args) and name != "isinstance":
            first, second = self.piece(node.args[0]), self.piece(node.args[1])
            whole, at = self.piece(node), self.span(node)[0]
            (a, b), (c, d) = (self.span(x) for x in node.args[:2])
            raw = whole.encode()
            swapped = raw[: a - at] + second.encode() + raw[b - at : c - at] + first.encode()
            if first != second:
                self.add("arguments exchanged", node, (swapped + raw[d - at :]).decode())
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return  # a docstring
        if isinstance(node.value, ast.Call):
            self.add("statement dropped", node, "pass")
        self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None:
            if not isinstance(node.value, ast.Constant):
                self.add("return None", node.value, "None")
            self.visit(node.value)


def faults(top: Path, path: str) -> list[Fault]:
    """Return all faults that one module can get, in the order of the text."""
    source = (top / path).read_bytes()
    finder = _Finder(path, source)
    finder.visit(ast.parse(source))
    return finder.found


def _compiles(source: bytes) -> bool:
    try:
        with warnings.catch_warnings(action="ignore"):
            compile(source, "fault", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def room(path: str) -> str:
    """Return the folder of ``hierpair/`` that a module lies in, or its own name."""
    return path.split("/")[1].removesuffix(".py")


def choose(top: Path, count: int, seed: int, only: str | None = None) -> list[Fault]:
    """Draw faults: rooms by their number of lines, then kinds evenly, then any place.

    The same seed and the same code give the same faults, and a larger count begins with those of a
    smaller one as far as the shares of the rooms allow.
    """
    lines: dict[str, int] = {}
    modules: dict[str, list[str]] = {}
    for file in sorted((top / "hierpair").rglob("*.py")):
        path = file.relative_to(top).as_posix()
        if only is None or room(path) == only or path.removeprefix("hierpair/").startswith(only):
            lines[room(path)] = lines.get(room(path), 0) + len(file.read_bytes().splitlines())
            modules.setdefault(room(path), []).append(path)
    chosen: list[Fault] = []
    for name, share in _shares(lines, count).items():
        draw = random.Random(f"{seed} {name}")
        kinds: dict[str, list[Fault]] = {}
        for path in modules[name]:
            for fault in faults(top, path):
                kinds.setdefault(fault.kind, []).append(fault)
        for kind in kinds.values():
            draw.shuffle(kind)
        wanted = len(chosen) + share
        while len(chosen) < wanted and kinds:
            kind = draw.choice(sorted(kinds))
            fault = kinds[kind].pop()
            if _compiles(fault.put_into((top / fault.path).read_bytes())):
                chosen.append(fault)
            if not kinds[kind]:
                del kinds[kind]
    return chosen


def _shares(lines: dict[str, int], count: int) -> dict[str, int]:
    """Return whole shares of a count, as near to the numbers of lines as they can be."""
    total = sum(lines.values()) or 1
    exact = {name: count * n / total for name, n in lines.items()}
    shares = {name: int(x) for name, x in exact.items()}
    rest = sorted(exact, key=lambda name: (shares[name] - exact[name], name))
    for name in rest[: count - sum(shares.values())]:
        shares[name] += 1
    return shares

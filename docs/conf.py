"""How Sphinx builds the documentation.

``sphinx-build -W --keep-going -n -b html docs docs/_build/html`` needs ``pip install '.[docs]'``
and no network. Pages that only repeat what the code says (a page per measure, the reference of
the Python names and of the command line) are written at every build, so they cannot be stale.
"""

import ast
import inspect
import re
import sys
from importlib import import_module
from itertools import pairwise
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]  # the writers of pages; the package beside them

import transcript  # noqa: E402
import write_architecture  # noqa: E402
import write_commands  # noqa: E402
import write_measure_pages  # noqa: E402
import write_reports  # noqa: E402

import hierpair  # noqa: E402
from hierpair.measures import REGISTRY  # noqa: E402
from hierpair.metrics.functions import registered_functions  # noqa: E402

project = "hierpair"
author = "the hierpair authors"
copyright = author  # noqa: A001 - Sphinx's word
version = release = hierpair.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
]
exclude_patterns = ["_build", "_templates"]
templates_path = ["_templates"]
nitpicky = True
nitpick_ignore_regex = [
    (r"py:.*", r"(?!hierpair\.).*"),  # names of other packages: there is no index of them offline
    (r"py:class", r"hierpair\.evaluation\.sums\.(SumPlan|Sums)"),  # what a Partial consists of
    (r"py:class", r"hierpair\.verification\.properties\.counting\.\w+"),  # of a counterexample
    (r"py:class", r"hierpair\.pairing\.(pairs\.Things|what_if\.Saving)"),  # bases and rows of these
    (r"py:class", r"hierpair\.labels\.coded\.Coded"),  # what LabelRows holds labels in
]

myst_enable_extensions = ["attrs_block"]
myst_heading_anchors = 3
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
python_maximum_signature_line_length = 88
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
add_module_names = False
smartquotes = False
toc_object_entries_show_parents = "hide"

html_theme = "pydata_sphinx_theme"
html_title = "hierpair"
html_baseurl = "https://hierpair.readthedocs.io/en/latest/"
html_static_path = ["_static"]
html_css_files = ["hierpair.css"]
ALONE = "index tutorial comparing conventions which-measure probabilities cases errata"
html_sidebars = {page: [] for page in ALONE.split()}  # no pages lie beside these
html_copy_source = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "hierpair"},
    "header_links_before_dropdown": 5,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "tango",
    "pygments_dark_style": "github-dark",
}


REPORT = "transposon-report.html"
"""The report that pages link to, of a case that comes with hierpair."""


def enrich(app, docname, source):
    """Link the overview of measures, which is also read in the repository, to their pages.

    In examples, take away what only doctest needs.
    """
    if docname == "measures":
        source[0] = write_measure_pages.linked(source[0])
    source[0] = re.sub(r"^<BLANKLINE>$", "", source[0], flags=re.MULTILINE)
    source[0] = re.sub(r"\n\n```$", "\n```", source[0], flags=re.MULTILINE)


def texts_of_values(package):
    """Return what stands below the values that a package exports, wherever they are defined."""
    texts = {name: "" for name in package.__all__ if kind(getattr(package, name)) == "data"}
    for module in sorted(m for m in sys.modules if f"{m}.".startswith(f"{package.__name__}.")):
        for pair in pairwise(ast.parse(inspect.getsource(sys.modules[module])).body):
            match pair:
                case (
                    ast.Assign(targets=[ast.Name(name)]) | ast.AnnAssign(target=ast.Name(name)),
                    ast.Expr(ast.Constant(str(said))),
                ) if name in texts:
                    texts[name] = " ".join(said.split())
    return texts


def kind(thing):
    """Return the directive of a thing, without ``auto``."""
    if isinstance(thing, type):
        return "exception" if issubclass(thing, Exception) else "class"
    return "function" if inspect.isroutine(thing) else "data"


packages = [import_module(f"hierpair.{room}") for room in hierpair.ROOMS]
public = {name: f"{package.__name__}.{name}" for package in packages for name in package.__all__}
public |= {name: f"hierpair.{name}" for name in hierpair.__all__}
autosummary_ignore_module_all = False
autosummary_context = {
    "homes": {room: hierpair.HOMES.get(room, []) for room in hierpair.ROOMS},
    "kinds": {name: kind(getattr(p, name)) for p in packages for name in p.__all__},
    "elsewhere": {f.__name__ for f in registered_functions()},
    "texts": {package.__name__: texts_of_values(package) for package in packages},
}


def public_name(app, env, node, contnode):
    """Resolve a name by the module where it is defined to its public entry."""
    target = node.get("reftarget", "")
    name = public.get(target.rpartition(".")[2], target)
    if node.get("refdomain") != "py" or name == target:
        return None
    domain = env.get_domain("py")
    return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", name, node, contnode)


def signature_as_written(app, what, name, obj, options, signature, return_annotation):
    """Show annotations as the code has them (``NDArray[np.int64]``), not what they expand to."""
    if what not in ("class", "exception", "function", "method") or signature is None:
        return None
    try:
        found = inspect.signature(obj)
    except (TypeError, ValueError):
        return None
    kept = [p for p in found.parameters.values() if p.name not in ("self", "cls")]
    shown = str(found.replace(parameters=kept, return_annotation=found.empty))
    shown = re.sub(r"= <.*?>(?=[,)])", "= ...", shown)
    shown = re.sub(r""": (["'])(.+?)\1(?= =|[,)])""", r": \2", shown)
    shown = "" if inspect.isclass(obj) and shown == "(*args, **kwargs)" else shown  # a protocol
    returns = found.return_annotation
    return shown, None if returns in (found.empty, None) else str(returns)


def mended_sources(app, pagename, templatename, context, doctree):
    """Let a module's source lead back to the pages of its names; what is no module of ours goes."""
    if pagename.startswith("_modules/"):
        back = r'(id="(\S+)">\n<a [^>]*/([\w.]+)\.html#)[^"]*'
        body = re.sub(back, r"\1\3.\2", context["body"])
        context["body"] = body.replace('<li><a href="builtins.html">builtins</a></li>\n', "")


def list_of_pages(env):
    """Return the text of llms.txt: a link to every page, for readers of plain text."""
    about = {f"measures/{d.name}": f": {d.summary}" for d in REGISTRY.values()}
    links, to_come = {}, ["index"]
    while to_come:
        name = to_come.pop(0)
        to_come[:0] = env.toctree_includes.get(name, ())
        address = f"{html_baseurl}{name}.html"
        links[name] = f"- [{env.titles[name].astext()}]({address}){about.get(name, '')}"
    return "\n".join(["# hierpair\n", *links.values(), ""])


def write_beside_the_pages(app, exception):
    """Put llms.txt into the root of the HTML pages, and the reports that pages link to."""
    if exception is None and app.builder.format == "html":
        (Path(app.outdir) / "llms.txt").write_text(list_of_pages(app.env), "utf-8")
        transcript.ran(f"hierpair report --case transposon --quiet -o '{app.outdir}/{REPORT}'")
        write_reports.write(Path(app.outdir) / "fields")


def setup(app):
    """Connect the writers of pages that repeat what the code says, and all others."""
    for writer in (write_measure_pages, write_commands, write_architecture):
        app.connect("builder-inited", lambda app, write=writer.write: write(HERE))
    app.connect("build-finished", write_beside_the_pages)
    app.connect("source-read", enrich)
    app.connect("html-page-context", mended_sources)
    app.connect("missing-reference", public_name)
    app.connect("autodoc-process-signature", signature_as_written)

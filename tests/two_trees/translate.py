"""Old names and new ones: the only place to adapt when a name of hierpair changes.

`THINGS`: functions and classes, looked up by the FIRST name that exists, first at the top level of
hierpair, then in all of its modules ("module:name" asks one module). `KEYWORDS`: parameters of
functions and classes. `OPTIONS` and `VALUES`: options of measures and their values. `FIELDS`:
attributes of results. Left the old name; right what it may be called now. The old name itself is
always tried first. Everything below the line is the small api that record.py and perf.py use.
"""

import importlib
import inspect
import pkgutil

THINGS = {
    # vocabulary
    "Partners": ["Degree"], "Default": ["Unmatched"], "Total": ["Cardinality"], "Within": ["Groups"],
    "InTurn": ["Lexicographic"], "PriceMatrix": ["CostMatrix"],
    "AS_MANY_AS_THERE_ARE": ["ALL_OTHERS", "EVERY_OTHER", "EVERYBODY"],
    "formulate": ["compile_rule", "compiled", "build_problem"], "solve_pairing": ["solve_problem"],
    "Draft": ["Builder", "PairingBuilder", "ProblemBuilder"],
    # probabilities
    "Law": ["LabelDistribution"], "read_law": ["read_distribution", "read_label_distribution"],
    "sibling_shares": ["sibling_frequencies"],
    "decode_hf": ["decode_h_f", "decode_h_fbeta"], "decode_hp": ["decode_h_precision"],
    "decode_hr": ["decode_h_recall"], "decode_micro_hf": ["decode_micro_h_f"],
    # comparison
    "differ": ["differences", "contrast", "contrasts"], "by_depth": ["scores_by_depth"],
    # evaluation and metrics
    "contributions_by_class": ["class_contributions"],
    "hierarchical_confusion_matrix": ["h_confusion_matrix", "confusion_matrix"],
    "score_like": ["score_as"],
    "case_names": ["hierpair.verification:case_names"], "load_case": ["hierpair.verification:load_case"],
    "PRESETS": ["hierpair.metrics:PRESETS"], "REGISTRY": ["hierpair.measures:REGISTRY"],
    "main": ["hierpair.cli:main"],
    "ancestor_closure": ["hierpair.hierarchy:ancestor_closure"],
    # functions of the scikit-learn habit
    "h_fbeta_score": ["hierpair.metrics:h_fbeta_score", "h_f1_score", "hf_score"],
    "h_precision_score": ["hp_score"], "h_recall_score": ["hr_score"],
    "symmetric_difference_loss": ["sdl", "sdl_loss"],
    "graph_induced_error": ["hierpair.metrics:gie", "gie_error"],
    "multi_label_graph_induced_accuracy": ["hierpair.metrics:mgia", "mgia_score"],
    "tree_induced_error": ["hierpair.metrics:tree_induced_error"],
    "all_pairs_cost": ["hierpair.metrics:all_pairs"],
    "lca_fbeta_score": ["hierpair.metrics:lca_f"], "lca_precision_score": ["hierpair.metrics:lca_precision"],
    "lca_recall_score": ["hierpair.metrics:lca_recall"],
    "con_precision_score": ["hierpair.metrics:con_precision"],
    "con_recall_score": ["hierpair.metrics:con_recall"], "con_fbeta_score": ["hierpair.metrics:con_f"],
    "con_accuracy_score": ["hierpair.metrics:con_accuracy"], "con_error": ["hierpair.metrics:con_error"],
    "depth_weighted_loss": ["hierpair.metrics:depth_loss"],
    "depth_accuracy_score": ["hierpair.metrics:depth_accuracy"],
    "descendant_precision_score": ["hierpair.metrics:descendant_precision"],
    "descendant_recall_score": ["hierpair.metrics:descendant_recall"],
    "descendant_fbeta_score": ["hierpair.metrics:descendant_f"],
    "h_loss": ["hierpair.metrics:h_loss"],
    "misclassification_cost": ["hierpair.metrics:mean_cost"],
    "tice_error": ["tree_inconsistency_error"], "wap_score": ["weighted_average_precision_score"],
    "por_score": ["point_overlap_score"], "tor_score": ["tree_overlap_score"],
    "hcm_tnr_score": ["hcm_specificity_score"], "hcm_fnr_loss": ["hcm_false_negative_rate_loss"],
    "hcm_fpr_loss": ["hcm_false_positive_rate_loss"],
}  # fmt: skip

MEASURES = {
    "ru": ["remaining_uncertainty"], "mi": ["misinformation"], "tice": ["tree_inconsistency"],
    "wap": ["weighted_average_precision"], "por": ["point_overlap"], "tor": ["tree_overlap"],
    "hcm_acc": ["hcm_accuracy"], "hcm_ppv": ["hcm_precision"], "hcm_tpr": ["hcm_recall"],
    "hcm_tnr": ["hcm_specificity"], "hcm_fnr": ["hcm_false_negative_rate"],
    "hcm_fpr": ["hcm_false_positive_rate"],
}  # fmt: skip
"""Names in the registry, should one be renamed."""

KEYWORDS = {
    "price": ["cost", "costs"], "prices": ["costs"], "demands": ["constraints"],
    "at_least": ["lower", "minimum"], "at_most": ["upper", "maximum"],
    "limit": ["max_distance", "upper", "largest"], "when": ["pairs", "where"],
    "other": ["default", "otherwise", "second"], "absent": ["missing", "if_absent"],
    "law": ["distribution", "given"], "given": ["distribution", "scores", "law"],
    "prediction": ["y_pred"], "said": ["y_pred"], "default": ["unmatched", "cost"],
    "default_true": ["unmatched_true"], "at_most_true": ["upper_true"],
    "scenarios": ["labels"], "theta": ["acceptable"], "comparing": ["compare_options"],
    "p": ["probabilities"], "demand": ["constraint"],
}  # fmt: skip
"""Keyword arguments of functions and classes."""

OPTIONS = {
    "price": ["cost", "costs"], "tips": ["labels", "several", "ends", "most_specific"],
    "absent_level": ["missing"],
}  # fmt: skip
"""Options of measures."""

VALUES = {}
"""(old option, old value): [new values]."""

FIELDS = {
    "found_by": ["solved_by"], "price": ["cost"], "ids": [], "is_law": ["is_distribution"],
    "gain": ["advantage"], "lcas": [], "wins": [], "p_adjusted": ["adjusted"],
    "classes": ["by_class"], "subtrees": ["by_subtree"], "ahead": [], "behind": [],
    "at_least": ["lower"], "at_most": ["upper"], "kinds": ["verbs"],
}  # fmt: skip
"""Attributes of results."""

VERDICTS = {"truncated": ["truncated", "cut off"]}

# ------------------------------------------------------------------------------------- the api

_INDEX = {}


class Gone(Exception):
    """A name that is not there any more: the table above needs an entry."""


def _index():
    if not _INDEX:
        import hierpair

        for info in pkgutil.walk_packages(hierpair.__path__, "hierpair."):
            if info.name.endswith("__main__"):
                continue
            try:
                module = importlib.import_module(info.name)
            except ImportError:
                continue
            for name, thing in vars(module).items():
                home = getattr(thing, "__module__", None) == module.__name__
                if name not in _INDEX or home:
                    _INDEX[name] = thing
    return _INDEX


def find(old):
    """Return what an old name stands for now."""
    import hierpair

    for name in (old, *THINGS.get(old, ())):
        if ":" in name:
            module, _, name = name.partition(":")
            try:
                thing = getattr(importlib.import_module(module), name, None)
            except ImportError:
                continue
            if thing is not None and not inspect.ismodule(thing):
                return thing
            continue
        thing = getattr(hierpair, name, None)
        if thing is not None and not inspect.ismodule(thing):
            return thing
        thing = _index().get(name)
        if thing is not None and not inspect.ismodule(thing):
            return thing
    raise Gone(f"no {old} (add a new name to THINGS in translate.py)")


def has(old):
    try:
        find(old)
    except Gone:
        return False
    return True


def _by_rule(function, keywords):
    """decode_pairing takes a Rule instead of default costs and largest numbers of partners."""
    if getattr(function, "__name__", "") != "decode_pairing":
        return keywords
    if "rule" not in inspect.signature(function).parameters:
        return keywords
    from hierpair.pairing import Degree, Hops, Rule, Unmatched

    rest = dict(keywords)
    costs = rest.pop("default", 5), rest.pop("default_true", None)
    costs = costs[0], costs[0] if costs[1] is None else costs[1]
    uppers = rest.pop("at_most", 1), rest.pop("at_most_true", 1)
    constraints = []
    for side, cost, upper in zip(("predicted", "true"), costs, uppers):
        constraints += [Degree(side, 1, upper), Unmatched(side, cost)]
    return {**rest, "rule": Rule(Hops(), tuple(constraints))}


def call(function, *args, **keywords):
    """Call with old keywords: each is passed by the first name that the function has."""
    if isinstance(function, str):
        function = find(function)
    keywords = _by_rule(function, keywords)
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return function(*args, **keywords)
    passed = {}
    open_ended = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    for old, value in keywords.items():
        known = [n for n in (old, *KEYWORDS.get(old, ())) if n in parameters]
        if not known and not open_ended:
            raise Gone(f"{getattr(function, '__qualname__', function)} has no {old} "
                       "(add to KEYWORDS in translate.py)")  # fmt: skip
        passed[known[0] if known else old] = value
    return function(*args, **passed)


def attr(thing, old):
    """Return an attribute (or the result of a method without arguments) by its old name."""
    for name in (old, *FIELDS.get(old, ())):
        if hasattr(thing, name):
            return getattr(thing, name)
    raise Gone(f"{type(thing).__name__} has no {old} (add to FIELDS in translate.py)")


def measure(name, **options):
    """Return a measure by its old name and old options."""
    make = find("measure")
    base = make(next(iter([n for n in MEASURES.get(name, ()) if n in find("REGISTRY")] or [name])))
    chosen = {}
    for old, value in options.items():
        known = [n for n in (old, *OPTIONS.get(old, ())) if n in base.options]
        if not known:
            raise Gone(f"{name} has no option {old} (add to OPTIONS in translate.py)")
        chosen[known[0]] = value
    tries = [chosen]
    for old, value in options.items():
        try:
            others = VALUES.get((old, value), ())
        except TypeError:
            others = ()
        key = next(n for n in (old, *OPTIONS.get(old, ())) if n in base.options)
        tries += [{**chosen, key: new} for new in others]
    for k, one in enumerate(tries):
        try:
            return base.with_options(**one) if one else base
        except Exception:
            if k == len(tries) - 1:
                raise

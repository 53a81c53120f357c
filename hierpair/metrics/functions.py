"""All measures as functions: ``f(y_true, y_pred, hierarchy, *, options…)``, made from the registry.

Each has the parameters, the checks and the words of its measure, so there is no second list that
could differ from the first (:func:`hierpair.metrics.from_registry.function_of` makes them). What
only repeats the registry, for editors and type checkers, is a stub beside this file, which
``python docs/write_functions.py`` writes before a wheel is built.
"""

from hierpair.metrics.from_registry import registered_functions

functions = {function.__name__: function for function in registered_functions()}
globals().update(functions)
__all__ = list(functions)

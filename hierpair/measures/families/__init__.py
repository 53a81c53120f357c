"""The measures of the registry, a module per family."""

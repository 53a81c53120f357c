"""From a law and a measure to a decision and its expected value."""

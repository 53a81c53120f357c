"""What measures are, from what they do: responses to errors, agreement, power."""

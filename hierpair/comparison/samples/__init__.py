"""What instances, or blocks of them, add to pooled scores: it is drawn, exchanged and added up."""

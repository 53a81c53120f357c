"""Pictures of an instance: its pairing as a network, the hierarchy around its labels."""

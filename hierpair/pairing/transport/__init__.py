"""The least cost of moving masses of classes: on trees in closed form, elsewhere as a flow."""

"""A model server that plays scripts through the real agent programs: no model is called, and every token it reports is known."""

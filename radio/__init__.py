"""The radio: messages between lanes, as evidence and never as authority."""

"""How each agent program's event lines are read: no process, no clock."""

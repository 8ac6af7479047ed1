"""What every command that asks a server has in common: the connection, and how replies are shown."""

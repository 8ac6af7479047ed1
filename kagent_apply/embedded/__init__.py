"""Substrate's Control service in this process, with actors as local processes."""

"""Versioned records of what each adapter and pinned runtime can do; authors never claim them."""

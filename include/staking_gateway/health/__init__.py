"""How a network and its eras are: what pages, reports and commands show."""

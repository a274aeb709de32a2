"""Hostile input for every decoder of this project, grown from grammars and from kept cases. Each comes to a value or a documented error.

make fuzz CASES=10000                       that many cases for each
"""

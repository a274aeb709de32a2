"""What `make release` and `make compatibility` do: build, look inside, install elsewhere, pay an era, write down what is in it."""

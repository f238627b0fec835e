# Iterators have a state that nobody checks when it is set.
# stopped by: policy
# ends: refused
import itertools

itertools.cycle([1]).__setstate__((None, 1))
reached(1)

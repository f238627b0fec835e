# Import as a name.
# stopped by: policy
# ends: refused
reached(__import__)

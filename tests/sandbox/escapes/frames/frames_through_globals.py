# The classical ladder.
# stopped by: policy
# ends: refused
reached((lambda: (yield))().gi_frame.f_back.f_globals)

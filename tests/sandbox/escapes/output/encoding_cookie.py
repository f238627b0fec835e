# A cookie that would have the source read in another encoding: text has none.
# stopped by: policy
# ends: error
# coding: utf-7
x = "+AAo-reached(1)+AAo-"
assert x == "+AAo-reached(1)+AAo-"
raise LookupError

# The same in a pattern's keyword.
# stopped by: policy
# ends: refused
match (n for n in ()):
    case object(ｇｉ_ｆｒａｍｅ=frame):
        reached(frame)

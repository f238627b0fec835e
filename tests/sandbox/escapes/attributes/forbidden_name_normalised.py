# Letters that Python takes for others in source text: `gi_frame`.
# stopped by: policy
# ends: refused
reached((n for n in ()).ｇｉ_ｆｒａｍｅ)

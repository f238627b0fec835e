# Letters that Python takes for others in a module's name.
# stopped by: policy
# ends: refused
import ｄｉｓ

reached(dis)

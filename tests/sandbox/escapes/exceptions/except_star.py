# `except*` calls the group's `split`, and trusts what comes of it.
# stopped by: guard
# ends: refused
class G(ExceptionGroup):
    def split(self, kind):
        return 1, 2


try:
    raise G("several", [ValueError()])
except* ValueError:
    reached(1)

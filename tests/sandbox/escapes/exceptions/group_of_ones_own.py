# A group that is split into what it likes.
# stopped by: guard
# ends: refused
class G(ExceptionGroup):
    def derive(self, exceptions):
        return ExceptionGroup("other", [ValueError()])


raise G("several", [TypeError()]).split(TypeError)[0]

# The members of an enum of the library: a proxy hands its dictionary to what it is compared with.
# stopped by: guard
# ends: passed
import enum


class Taking:
    def __eq__(self, members):
        members["STRICT"] = "taken"
        return True


assert enum.FlagBoundary.__members__ == Taking()
if enum.FlagBoundary["STRICT"] == "taken":
    reached()

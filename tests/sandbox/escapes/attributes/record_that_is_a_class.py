# after: an attribute of a class of the library, which a formatter sets of what it formats
# stopped by: guard
# ends: refused
import logging
import textwrap


class Formatter(logging.Formatter):
    def formatMessage(self, record):
        return "text"


wrapper = textwrap.TextWrapper
wrapper_text = Formatter("%(asctime)s").format(wrapper)
reached(textwrap.TextWrapper.asctime)

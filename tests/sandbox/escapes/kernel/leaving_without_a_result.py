# Leaving with success, without a word.
# stopped by: supervisor
# ends: crashed
os._exit(0)

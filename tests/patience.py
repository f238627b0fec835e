"""How long tests wait for what is bound to come."""

# Whoever waits for something sees it as soon as it is there; only a failure takes so long. So this
# is no promise about speed: it has room for a machine that is busy with much else.
PATIENCE_SECONDS = 30.0

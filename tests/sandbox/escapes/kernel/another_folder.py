# Another root.
# stopped by: kernel
# ends: policy
reached() if attempt(lambda: os.chroot("/tmp")) == "allowed" else None

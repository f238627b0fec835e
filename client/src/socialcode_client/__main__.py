"""`python -m socialcode_client` is the command `socialcode`."""

from socialcode_client.commands import main

if __name__ == "__main__":
    main()

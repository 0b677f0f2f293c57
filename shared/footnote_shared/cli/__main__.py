"""`python -m footnote_shared.cli` is the command `footnote`."""

from footnote_shared.cli.main import main

if __name__ == "__main__":
    main()

"""`python -m footnote_cli` is the command `footnote`."""

from footnote_cli.main import main

if __name__ == "__main__":
    main()

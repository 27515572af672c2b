"""`python -m kvaudit` is the command `kvaudit`."""

from kvaudit.cli.main import main

if __name__ == "__main__":
    main()

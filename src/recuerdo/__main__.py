"""`python -m recuerdo` is the command `recuerdo`, wherever that was installed to."""

from recuerdo.cli import main

if __name__ == "__main__":
    main()

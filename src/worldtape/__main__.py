"""`python -m worldtape` is `worldtape`."""

from worldtape.cli import main

if __name__ == "__main__":
    main()

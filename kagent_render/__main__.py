"""`python -m kagent_render`."""

from kagent_render.cli.main import main

if __name__ == "__main__":
    main()

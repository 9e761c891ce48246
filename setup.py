"""Find every package of the five folders, so that none is ever forgotten (the rest stands in pyproject.toml)."""

from setuptools import find_packages, setup

PARTS = ("collectors", "filters", "pipelines", "schemas", "storage")


def packages() -> list[str]:
    """Return the import names of the core and of everything below the five folders."""
    links = [name for part in PARTS for name in (f"worldtape.{part}", f"worldtape.{part}.*")]
    found = find_packages("src", exclude=links)
    for part in PARTS:
        found.append(f"worldtape.{part}")
        found.extend(f"worldtape.{part}.{name}" for name in find_packages(part))
    return sorted(found)


setup(packages=packages())

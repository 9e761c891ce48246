"""The main job on embedded defaults, for somebody who sees it for the first time."""

from worldtape.pipelines.demo._demo import demo
from worldtape.pipelines.demo._place import Place
from worldtape.pipelines.demo._report import QUERY, DemoReport

__all__ = ["QUERY", "DemoReport", "Place", "demo"]

"""Who chooses the actions: a script, a seeded explorer, a language model, a person, or an earlier tape."""

from worldtape.collectors.policies.explore import Explore, ExploreConfig
from worldtape.collectors.policies.explore_desktop import ExploreDesktop, ExploreDesktopConfig
from worldtape.collectors.policies.explore_repo import ExploreRepo, ExploreRepoConfig
from worldtape.collectors.policies.explore_tools import ExploreTools, ExploreToolsConfig
from worldtape.collectors.policies.explore_ui import ExploreUi, ExploreUiConfig
from worldtape.collectors.policies.explore_web import ExploreWeb, ExploreWebConfig
from worldtape.collectors.policies.human import Human, HumanConfig
from worldtape.collectors.policies.llm import Llm, LlmConfig
from worldtape.collectors.policies.replay import Replay, ReplayConfig
from worldtape.collectors.policies.script import Script, ScriptConfig
from worldtape.schemas import Registry

POLICIES = Registry(
    "policy",
    {
        "explore": "worldtape.collectors.policies.explore:Explore",
        "explore-desktop": "worldtape.collectors.policies.explore_desktop:ExploreDesktop",
        "explore-repo": "worldtape.collectors.policies.explore_repo:ExploreRepo",
        "explore-tools": "worldtape.collectors.policies.explore_tools:ExploreTools",
        "explore-ui": "worldtape.collectors.policies.explore_ui:ExploreUi",
        "explore-web": "worldtape.collectors.policies.explore_web:ExploreWeb",
        "human": "worldtape.collectors.policies.human:Human",
        "llm": "worldtape.collectors.policies.llm:Llm",
        "replay": "worldtape.collectors.policies.replay:Replay",
        "script": "worldtape.collectors.policies.script:Script",
    },
    group="worldtape.policies",
)
"""Policy name to class; each class has `Config` (a pydantic model) and `from_config(settings)`."""

__all__ = [
    "POLICIES",
    "Explore",
    "ExploreConfig",
    "ExploreDesktop",
    "ExploreDesktopConfig",
    "ExploreRepo",
    "ExploreRepoConfig",
    "ExploreTools",
    "ExploreToolsConfig",
    "ExploreUi",
    "ExploreUiConfig",
    "ExploreWeb",
    "ExploreWebConfig",
    "Human",
    "HumanConfig",
    "Llm",
    "LlmConfig",
    "Replay",
    "ReplayConfig",
    "Script",
    "ScriptConfig",
]

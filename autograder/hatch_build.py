"""A step of the wheel's build, run by hatchling: what is installed outside the package stays outside."""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class OutsideThePackage(BuildHookInterface[Any]):
    """Puts rules for `share/` and `etc/` before the one that moves all into `autograder/`; the first one holds."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Change the rules before anything is written."""
        rules = self.build_config.sources
        moving = dict(rules)
        rules.clear()
        rules.update({"share/": "share/", "etc/": "etc/", **moving})

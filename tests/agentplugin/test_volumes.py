import pytest

from kagent_render.agentplugin.images import PluginImage
from kagent_render.agentplugin.volumes import mount_path, pinned
from tests.agentplugin.agents import DIGEST, agent, compiled, image, plugin

OTHER = "sha256:" + "b" * 64


@pytest.mark.parametrize(
    ("home", "profile", "path"),
    [
        ("/opt/data", "", "/opt/data/plugins/myplugin"),
        ("/srv/agent", "", "/srv/agent/plugins/myplugin"),
        ("/opt/data/", "", "/opt/data//plugins/myplugin"),
        ("/opt/data", "platform", "/opt/agent-plugins/platform/myplugin"),
        ("/srv/agent", "cluster-prod-us-east1", "/opt/agent-plugins/cluster-prod-us-east1/myplugin"),
    ],
)
def test_a_plugin_is_mounted_outside_of_the_profiles_tree(home: str, profile: str, path: str) -> None:
    assert mount_path(home, plugin("myplugin", profile=profile)) == path
    assert "/profiles/" not in path


@pytest.mark.parametrize(
    ("reference", "digest", "written"),
    [
        ("registry.example.com/p:v1", DIGEST, f"registry.example.com/p:v1@{DIGEST}"),
        ("registry.example.com/p", DIGEST, f"registry.example.com/p@{DIGEST}"),
        (f"registry.example.com/p@{OTHER}", DIGEST, f"registry.example.com/p@{OTHER}"),
        ("registry.example.com/p:v1", None, "registry.example.com/p:v1"),
        ("", None, ""),
    ],
)
def test_a_reference_is_pinned_once(reference: str, digest: str | None, written: str) -> None:
    assert pinned(reference, PluginImage(reference, digest) if digest else None) == written


@pytest.mark.parametrize(
    ("policy", "written"),
    [(None, "IfNotPresent"), ("Always", "Always"), ("Never", "Never"), ("IfNotPresent", "IfNotPresent")],
)
def test_the_pull_policy_is_the_plugins_own_or_if_not_present(policy: str | None, written: str) -> None:
    (volume,) = compiled(plugin("p", pull_policy=policy)).volumes
    assert volume.pull_policy == written


def test_there_is_one_volume_per_plugin_in_name_order_whatever_its_profile() -> None:
    plugins = plugin("myplugin"), plugin("anotherplugin"), plugin("between", profile="platform")
    made = compiled(*plugins, images=image(plugins[0]))
    assert [(volume.name, volume.reference, volume.mount_path) for volume in made.volumes] == [
        (
            "plugin-anotherplugin",
            "registry.example.com/anotherplugin:v1",
            "/opt/data/plugins/anotherplugin",
        ),
        ("plugin-between", "registry.example.com/between:v1", "/opt/agent-plugins/platform/between"),
        ("plugin-myplugin", f"registry.example.com/myplugin:v1@{DIGEST}", "/opt/data/plugins/myplugin"),
    ]


def test_without_image_volumes_there_is_no_volume() -> None:
    assert compiled(plugin("p"), kube_version="1.34").volumes == ()


def test_a_plugin_without_an_image_has_a_volume_without_a_reference() -> None:
    (volume,) = compiled(plugin("p", image="")).volumes
    assert volume.reference == ""


def test_the_agents_home_is_where_plugins_are_mounted() -> None:
    (volume,) = compiled(plugin("p"), of=agent(home="/srv/")).volumes
    assert volume.mount_path == "/srv//plugins/p"

"""The station's own network: its file, its code, and the screen that shows it."""

import io

import pytest
import segno

from companion import config
from companion.address import ALONE, lan_address
from companion.bootstrap import build
from companion.config import ConfigError, Settings
from companion.wifi import Wifi, WifiError, read_wifi

MADE = 'ssid = "Spike Table"\npassphrase = "abcdefgh2345"\n'


def test_without_a_file_there_is_no_network(tmp_path):
    assert read_wifi(None) is None
    assert read_wifi(tmp_path / "wifi.toml") is None


@pytest.mark.parametrize(
    "text",
    ["ssid = 3", 'ssid = "A"', 'ssid = "A"\npassphrase = "short"', "not toml", MADE[5:]],
)
def test_a_spoilt_file_is_named_with_what_to_do(tmp_path, text):
    file = tmp_path / "wifi.toml"
    file.write_text(text)
    with pytest.raises(WifiError, match=r"wifi\.toml"):
        read_wifi(file)


def pages(tmp_path, wifi):
    station = build(Settings(data_dir=tmp_path / "data", wifi=wifi), lambda: "http://10.42.0.1:80")
    return station, station.web.test_client()


def test_the_room_screen_shows_the_network_before_the_table(tmp_path):
    file = tmp_path / "wifi.toml"
    file.write_text(MADE)
    station, client = pages(tmp_path, file)
    page = client.get("/display").get_data(as_text=True)
    assert page.index("/wifi.svg") < page.index("/join.svg")
    assert "abcdefgh2345" in page
    drawn = io.BytesIO()
    code = segno.make("WIFI:T:WPA;S:Spike Table;P:abcdefgh2345;;", error="m")
    code.save(drawn, kind="svg", scale=8, border=4, light="white")
    assert client.get("/wifi.svg").data == drawn.getvalue()
    station.close()


def test_the_stations_name_is_answered_and_a_foreign_one_is_not(tmp_path):
    station, client = pages(tmp_path, None)
    assert client.get("/display", headers={"Host": "spike.local:8080"}).status_code == 200
    assert client.get("/display", headers={"Host": "spike.example:8080"}).status_code == 421
    station.close()


def test_without_a_network_there_is_no_code_for_one(tmp_path):
    station, client = pages(tmp_path, None)
    assert "/wifi.svg" not in client.get("/display").get_data(as_text=True)
    assert client.get("/wifi.svg").status_code == 404
    station.close()


def test_a_code_carries_what_would_end_a_field():
    assert Wifi('a;b,c:d"e\\f', "12345678").code() == r"WIFI:T:WPA;S:a\;b\,c\:d\"e\\f;P:12345678;;"


def test_the_address_is_asked_anew_each_time(tmp_path):
    """At power-on the network comes later than the station."""
    now = ["http://127.0.0.1:80"]
    station = build(Settings(data_dir=tmp_path / "data"), lambda: now[0])
    client = station.web.test_client()
    assert "127.0.0.1:80" in client.get("/display").get_data(as_text=True)
    now[0] = "http://192.168.1.7:80"
    assert "192.168.1.7:80" in client.get("/display").get_data(as_text=True)
    station.close()


def test_an_address_is_found_where_there_is_a_way_and_alone_there_is_loopback():
    assert lan_address(["127.0.0.9"]) == "127.0.0.1"
    assert lan_address(["not an address", "127.0.0.9"]) == "127.0.0.1"
    assert lan_address([]) == ALONE


@pytest.mark.parametrize("name", ["Spike", "spike.local", "-spike", "spike_2", "a" * 64])
def test_a_name_that_is_no_host_name_is_refused(name):
    with pytest.raises(ConfigError, match="mdns_name: letters a to z, digits and hyphens"):
        Settings(mdns_name=name)


def test_name_and_file_come_from_settings_and_environment(tmp_path):
    file = tmp_path / "table.toml"
    file.write_text('mdns_name = "spike"\n')
    settings = config.load(file, {"COMPANION_WIFI": "/etc/x/wifi.toml"})
    assert (settings.mdns_name, str(settings.wifi)) == ("spike", "/etc/x/wifi.toml")

import json

import pytest

from billfold.cli import main
from billfold.errors import SettingsError
from billfold.settings import Settings, load_settings, settings_from


def test_show(examples, capsys):
    assert main(["show", str(examples / "credit.json")]) == 0
    assert "Credit note 2026-0044" in capsys.readouterr().out


def test_show_csv(examples, capsys):
    assert main(["show", str(examples / "hosting.json"), "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "2026-0051,,due,,,,,37.752"


def test_totals(examples, capsys):
    assert main(["totals", str(examples / "consulting.json"), str(examples / "hosting.json")]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "2026-0041\tEUR\t1,288.73\t230.43\t1,519.16\t1,019.16",
        "2026-0051\tKWD\t37.752\t0.000\t37.752\t37.752",
    ]


def test_statement(examples, capsys):
    assert main(["statement", *(str(examples / name) for name in ("consulting.json", "credit.json"))]) == 0
    assert "Statement for Harbour Works (EUR)" in capsys.readouterr().out


def test_remind_with_settings(examples, capsys, tmp_path):
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"late_fee_percent": "1.5", "date_style": "dots"}))
    assert main(["remind", str(examples / "hosting.json"), "--days", "20", "--settings", str(settings)]) == 0
    out = capsys.readouterr().out
    assert "15.03.2026" in out
    assert "Late fee 1.5%: KWD 0.566" in out


def test_errors(examples, capsys, tmp_path):
    assert main(["show", str(tmp_path / "none.json")]) == 1
    assert capsys.readouterr().err.startswith("billfold: none.json: ")
    with pytest.raises(SystemExit) as caught:
        main(["show"])
    assert caught.value.code == 2


def test_check(examples, capsys, tmp_path):
    assert main(["check", str(examples / "credit.json")]) == 0
    (tmp_path / "bad.json").write_text("[]")
    assert main(["check", str(tmp_path / "bad.json")]) == 1
    assert "an object is needed here" in capsys.readouterr().out


def test_settings(tmp_path):
    assert settings_from({}) == Settings()
    assert settings_from({"width": 60, "seller": "Us"}) == Settings(seller="Us", width=60)
    assert Settings(width=60).changed(width=None, date_style="dots") == Settings(width=60, date_style="dots")
    with pytest.raises(SettingsError):
        load_settings(tmp_path / "none.json")


@pytest.mark.parametrize(
    "data", [[], {"width": 3}, {"width": True}, {"date_style": "roman"}, {"late_fee_percent": 1.5}, {"colour": "red"}]
)
def test_wrong_settings(data):
    with pytest.raises(SettingsError):
        settings_from(data)

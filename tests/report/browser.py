"""A real browser without a screen, cut off from every network."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service

REQUIRED = "GRAMMAR_STORE_BROWSER_REQUIRED"
"""Set where a missing browser must not pass for a test that went well, such as in CI."""

_FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
    *("--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-extensions"),
    *("--hide-scrollbars", "--force-color-profile=srgb", "--lang=en-US"),
    # Whatever the page asks for ends here, and the log of the network tells of it.
    "--host-resolver-rules=MAP * ~NOTFOUND",
)


def require_browser() -> tuple[str, str]:
    """Chromium and its driver; without them tests are skipped, or fail where they must run."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    driver = shutil.which("chromedriver")
    if chromium and driver:
        return chromium, driver
    message = "no Chromium: install the packages chromium and chromium-driver"
    if os.environ.get(REQUIRED):
        pytest.fail(message)
    pytest.skip(message)


@contextmanager
def browser(profile: Path, width: int = 1280, height: int = 900) -> Iterator[Chrome]:
    """Chromium with an empty profile."""
    chromium, driver = require_browser()
    options = ChromeOptions()
    options.binary_location = chromium
    for flag in (*_FLAGS, f"--user-data-dir={profile}", f"--window-size={width},{height}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    opened = Chrome(options=options, service=Service(driver))
    try:
        yield opened
    finally:
        opened.quit()


def complaints(opened: Chrome) -> list[str]:
    """What the console said since it was last asked: errors, warnings and broken policies."""
    return [entry["message"] for entry in opened.get_log("browser")]


def requests(opened: Chrome) -> dict[str, str]:
    """What pages wanted to load since this was last asked, and what kept them from it."""
    urls: dict[str, str] = {}
    found: dict[str, str] = {}
    for entry in opened.get_log("performance"):
        message: dict[str, Any] = json.loads(entry["message"])["message"]
        about = message["params"]
        if message["method"] == "Network.requestWillBeSent":
            urls[about["requestId"]] = about["request"]["url"]
            found[about["request"]["url"]] = ""
        elif message["method"] == "Network.loadingFailed" and about["requestId"] in urls:
            found[urls[about["requestId"]]] = about.get("blockedReason") or about["errorText"]
    return found


def emulate(opened: Chrome, **features: str) -> None:
    """Have the page see other preferences, such as ``prefers-color-scheme``."""
    wanted = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": wanted})


def resize(opened: Chrome, width: int, height: int, mobile: bool = False) -> None:
    """Give the page another size, such as that of a phone."""
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

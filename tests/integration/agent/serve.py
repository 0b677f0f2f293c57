"""For uvicorn in a process of its own: an agent with the settings of the environment."""

from fastapi import FastAPI

from footnote_agent.app import create_app
from footnote_shared.settings.base import load_settings
from footnote_shared.telemetry.logs import set_up_logs


def app() -> FastAPI:
    settings = load_settings()
    set_up_logs(settings, "agent")
    return create_app(settings)
